import { sql } from "kysely";

/**
 * Whether a run is not merely the word of a program: a key may log an approval or a launch that never was. For statements in which `r` is
 * the run. Imported runs count, and those from before writers were recorded: no key can make any more of either.
 */
export const isNoWordOfAKey = sql<boolean>`coalesce(r.written_by not in ('api', 'agent'), true)`;
