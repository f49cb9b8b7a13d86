import type { CampaignCensus } from "./schema.ts";

/** What a census finds wrong with messages, in sentences for people at a command line; none where nothing is. */
export function findingLines({
  missing,
  uncountedFields,
  warnings,
}: Pick<CampaignCensus, "missing" | "uncountedFields" | "warnings">): string[] {
  const fields =
    uncountedFields === 1 ? "1 more personal field was" : `${uncountedFields} more personal fields were`;
  return [
    ...missing.map(
      ({ field, users, of: all }) => `${users} of ${all} users have no ${field}, and there is no default.`,
    ),
    ...(uncountedFields === 0 ? [] : [`${fields} not counted.`]),
    ...warnings.map(({ path, message }) => `${path}: ${message}`),
  ];
}
