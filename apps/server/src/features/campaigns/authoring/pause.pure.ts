import type { By } from "../../../platform/http/endpoint.ts";
import type { PausedBy } from "./schema.ts";

/** The one that pauses a campaign. `runId`: the run that says why, as the API spells it. */
export type Pausing = Pick<PausedBy, "by"> & Partial<Pick<PausedBy, "name" | "runId" | "guardrail">>;

/** What is kept of a pause for as long as it lasts. */
export const pauseAt = (
  { by, name = null, runId = null, guardrail = null }: Pausing,
  at: number,
): PausedBy => ({
  ...{ by, name, at, runId, guardrail },
});

/** The caller of an operation, as the one who pauses. */
export const pausingOf = ({ kind, name }: By): Pausing => ({ by: kind, name });
