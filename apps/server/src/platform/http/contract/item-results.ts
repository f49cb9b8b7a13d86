import { z } from "zod";
import { count } from "./fields.ts";

/** What became of one of several things in a request: each gets its own answer, and one that is refused does not stop the others. */
export type ItemResult<Done extends { ok: true }> = Done | { ok: false; error: string };

/**
 * The answer of an operation that takes several things: how many were taken and how many were refused, and what became of each. The status
 * is 200 whatever was refused, so the counts stand beside the list, for callers who do not read all of it.
 * @param done what is answered of one that was taken
 */
export const itemResults = <Done extends z.ZodType>(done: Done, max: number) =>
  z.object({
    ok: count.max(max).describe("How many were taken."),
    refused: count.max(max).describe("How many were refused; `results` says which, and why."),
    results: z
      .array(
        z.union([
          done,
          z.object({
            ok: z.literal(false).describe("Nothing of it was written."),
            error: z.string().max(2_000).describe("The field, the rule, and what to do."),
          }),
        ]),
      )
      .max(max)
      .describe("What became of each, in the order of the request."),
  });

/** The results of a request's things with their counts. */
export function withCounts<Done extends { ok: true }>(results: ItemResult<Done>[]) {
  const refused = results.filter(({ ok }) => !ok).length;
  return { ok: results.length - refused, refused, results };
}
