import { z } from "zod";
import { endpoint } from "../../platform/http/contract/endpoint.ts";
import { queryInt } from "../../platform/http/contract/fields.ts";
import { HOUR_MS } from "../../platform/time/clock.ts";
import { hourOf, KEPT_DAYS } from "./counts.ts";
import { isRefusal, textOfReason } from "./reasons.pure.ts";
import { Intake, IntakeReason } from "./schema.ts";
import { type HourSums, readCallsSince } from "./store.ts";

const MOST_HOURS = KEPT_DAYS * 24;
const DEFAULT_HOURS = 7 * 24;

type Calls = Intake["calls"][number];

/** The counts by library and call, of what was taken and what was not. */
function callsOf(sums: readonly HourSums[]): Calls[] {
  const calls = new Map<string, Calls>();
  for (const { library, call, outcome, count, lastAt } of sums) {
    const reason = IntakeReason.safeParse(outcome);
    // A call that was changed counts as taken, too.
    if (reason.success && !isRefusal(reason.data)) continue;
    const key = JSON.stringify([library, call]);
    const known = calls.get(key) ?? { library, call: call as Calls["call"], taken: 0, refused: 0, lastAt };
    known[reason.success ? "refused" : "taken"] += count;
    known.lastAt = Math.max(known.lastAt, lastAt);
    calls.set(key, known);
  }
  return [...calls.values()].sort((one, other) => other.taken + other.refused - one.taken - one.refused);
}

const problemsOf = (sums: readonly HourSums[]): Intake["problems"] =>
  sums.flatMap(({ outcome, call, ...sum }) => {
    const reason = IntakeReason.safeParse(outcome);
    if (!reason.success) return [];
    return {
      ...sum,
      call: call as Calls["call"],
      reason: reason.data,
      isRefused: isRefusal(reason.data),
      text: textOfReason(reason.data),
    };
  });

export const getIntake = endpoint(
  {
    id: "getIntake",
    method: "GET",
    path: "/api/v1/intake",
    tag: "Intake",
    summary: "Read what libraries of other services sent, and what was not taken of it",
    keys: ["secret", "agent"],
    people: "viewer",
    budget: "reports",
    tool: {},
    query: z.object({
      hours: queryInt(1, MOST_HOURS, DEFAULT_HOURS).describe("How many hours back, this one included."),
    }),
    result: z.object({ intake: Intake.describe("What came.") }),
  },
  async ({ db, projectId, now }, { query: { hours } }) => {
    const first = hourOf(now) - hours + 1;
    const sums = await readCallsSince(db, projectId, first);
    return { intake: { since: first * HOUR_MS, calls: callsOf(sums), problems: problemsOf(sums) } };
  },
);
