import { z } from "zod";
import { count, queryInt } from "./fields.ts";

const MAX_PAGE = 1_000_000;

/** The paging part of a query: `page` from 1, `perPage` 1 to 100. */
export const pageQuery = (perPage = 50) => ({
  page: queryInt(1, MAX_PAGE, 1),
  perPage: queryInt(1, 100, perPage),
});

export type PageQuery = { page: number; perPage: number };

/** The paging part of a response. */
export const pageFields = { total: count, page: z.int().min(1), pageCount: count };

/** Rows to skip and to take. */
export const pageWindow = ({ page, perPage }: PageQuery): { offset: number; limit: number } => ({
  offset: (page - 1) * perPage,
  limit: perPage,
});

/** The paging part of an answer for `total` rows. */
export const pageAnswer = ({ page, perPage }: PageQuery, total: number) => ({
  total,
  page,
  pageCount: Math.ceil(total / perPage),
});
