import { epochMs } from "../../../platform/http/contract/fields.ts";

/** In answers that are read from the rollups: there only while these are behind. */
export const countedThrough = {
  countedThrough: epochMs
    .optional()
    .describe(
      "Up to when everything is counted. Only there while what came later is still being added up; without it the answer is exact.",
    ),
};
