/**
 * A runner in a process of its own, which can be killed and stopped: `look` has it look after everything that is due, at an instant of the
 * test's clock, and it says what became of each evaluation.
 */
import { type Evaluated, lookAfter, patientFetch } from "@tidings/agent";
import { createClient } from "@tidings/client";
import { POLICIES, type PolicyName } from "./policies.ts";

export type Order = { now: number };
export type Report = { evaluated: Evaluated[]; failures: string[] };

const { RUNNER_URL = "", AGENT_KEY = "", RUNNER_POLICY = "", RUNNER_EVERY_HOURS = "24" } = process.env;
const { signal } = new AbortController();
const policy = POLICIES[RUNNER_POLICY as PolicyName];
const api = createClient(RUNNER_URL, AGENT_KEY, patientFetch(signal));
const words = (cause: unknown): string => (cause instanceof Error ? cause.message : String(cause));

process.on("message", async ({ now }: Order) => {
  const report: Report = { evaluated: [], failures: [] };
  const agent = { api, policy, everyHours: Number(RUNNER_EVERY_HOURS), clock: () => now, signal };
  try {
    await lookAfter(agent, {
      evaluated: (evaluated) => report.evaluated.push(evaluated),
      failed: (campaignId, cause) => report.failures.push(`${campaignId}: ${words(cause)}`),
    });
  } catch (cause) {
    report.failures.push(words(cause));
  }
  process.send?.(report);
});
process.once("disconnect", () => process.exit());
process.send?.("ready");
