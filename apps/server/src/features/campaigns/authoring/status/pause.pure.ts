import type { By } from "../../../../platform/http/contract/endpoint.ts";
import type { EndedBy, PausedBy } from "../schema.ts";

/** The one that pauses a campaign. `runId`: the run that says why, as the API spells it. */
export type Pausing = Pick<PausedBy, "by"> & Partial<Pick<PausedBy, "name" | "runId" | "guardrail">>;

/** The one that ends a campaign, likewise. */
export type Ending = Pick<EndedBy, "by"> & Partial<Pick<EndedBy, "name" | "runId">>;

/** What is kept of a pause for as long as it lasts. */
export const pauseAt = (
  { by, name = null, runId = null, guardrail = null }: Pausing,
  at: number,
): PausedBy => ({
  by,
  name,
  at,
  runId,
  guardrail,
});

/** What is kept of the end. */
export const endAt = ({ by, name = null, runId = null }: Ending, at: number): EndedBy => ({
  by,
  name,
  at,
  runId,
});

/** The caller of an operation, as the author of a pause or an end. */
export const authorOf = ({ kind, name }: By): Ending & Pausing => ({ by: kind, name });
