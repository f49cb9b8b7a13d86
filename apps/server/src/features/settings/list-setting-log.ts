import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { queryInt } from "../../platform/http/contract/fields.ts";
import { ownerOf, SettingChange } from "./contract.ts";
import { listOwnChanges } from "./read.ts";

const LAST = 999_999_999;

export const listSettingLog = endpoint(
  {
    id: "listSettingLog",
    method: "GET",
    path: "/api/people/settings/log",
    tag: "Settings",
    summary: "List who changed which setting, newest first",
    keys: [],
    people: "owner",
    scope: "either",
    query: z.object({
      before: queryInt(1, LAST, LAST).describe("Only changes with a smaller id."),
      limit: queryInt(1, 100, 50).describe("How many changes at most."),
    }),
    result: z.object({
      changes: z
        .array(SettingChange.extend({ id: z.int().min(1).describe("Grows with each change.") }))
        .max(100)
        .describe("The changes, newest first."),
      next: z.int().nullable().describe("The `before` of the next page; null at the end."),
    }),
  },
  async (ctx, { query: { before, limit } }) => {
    // One more than are shown tells whether there is a next page.
    const found = await listOwnChanges(ctx.db, ownerOf(ctx), { before, limit: limit + 1 });
    const changes = found.slice(0, limit);
    return { changes, next: found.length > limit ? (changes.at(-1)?.id ?? null) : null };
  },
);
