import { ApiError } from "../../platform/http/contract/errors.ts";

/** The refusal of a change that was made for an earlier revision. */
export const staleRevision = (): ApiError =>
  new ApiError("conflict", "expectedRevision is stale: read it again.", {
    fields: { reason: "stale_revision" },
  });
