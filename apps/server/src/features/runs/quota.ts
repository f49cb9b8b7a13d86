import type { Ctx } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { addToDay } from "./quota-store.ts";

/** What a row takes besides its texts, with its places in the indexes: many small runs fill a disk as well. */
const ROW_BYTES = 500;

/**
 * Counts what a key has just written, and refuses it where its project has written too much on this UTC day: a refusal takes back what
 * was written. Runs stay for ever, so a key that was stolen must not fill the disk. What Tidings writes itself is not counted.
 * @throws ApiError conflict
 */
export async function spendDay(
  { app, db, projectId, now }: Ctx,
  texts: readonly (string | null | undefined)[],
): Promise<void> {
  const { runBytesPerDay: most } = app.config.limits;
  const bytes = texts.reduce((sum, text) => sum + Buffer.byteLength(text ?? ""), ROW_BYTES);
  const written = await addToDay(db, projectId, Math.floor(now / DAY_MS), bytes);
  if (written <= most) return;
  throw new ApiError(
    "conflict",
    `The runs and transcripts that this project's keys write in a UTC day come to at most ${most} bytes (runBytesPerDay).`,
    { fields: { reason: "day_is_full" } },
  );
}
