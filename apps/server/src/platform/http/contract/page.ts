import { z } from "zod";
import { count, queryInt } from "./fields.ts";

const MAX_PAGE = 1_000_000;

/** The paging part of a query: `page` from 1, `perPage` 1 to 100. */
export const pageQuery = (perPage = 50) => ({
  page: queryInt(1, MAX_PAGE, 1).describe("The page, from 1."),
  perPage: queryInt(1, 100, perPage).describe("Entries of a page."),
});

export type PageQuery = { page: number; perPage: number };

/** The paging part of a response. */
export const pageFields = {
  total: count.meta({ description: "How many there are in all.", example: 1 }),
  page: z.int().min(1).meta({ description: "The page, from 1.", example: 1 }),
  pageCount: count.meta({ description: "How many pages there are.", example: 1 }),
};

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
