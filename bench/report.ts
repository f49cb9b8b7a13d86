import type { Load } from "./load.ts";

export const median = (values: readonly number[]): number => {
  const sorted = values.toSorted((a, b) => a - b);
  return sorted[Math.floor(sorted.length / 2)] ?? 0;
};

/** Runs each candidate in turn, round after round, so that a machine that drifts drifts for all of them. */
export async function inTurn(
  rounds: number,
  candidates: Readonly<Record<string, () => Promise<Load>>>,
): Promise<Record<string, Load[]>> {
  const results: Record<string, Load[]> = {};
  for (let round = 1; round <= rounds; round++) {
    for (const [name, run] of Object.entries(candidates)) {
      const result = await run();
      results[name] = [...(results[name] ?? []), result];
      const bad = Object.entries(result.statuses).filter(([status]) => !status.startsWith("2"));
      const complaint =
        bad.length > 0 || result.errors > 0
          ? `  NOT ALL TAKEN: ${JSON.stringify(result.statuses)}, ${result.errors} errors`
          : "";
      console.log(
        `round ${round}  ${name.padEnd(18)} ${result.requestsPerSecond.toFixed(0).padStart(7)} req/s  p50 ${result.p50.toFixed(2)} ms  p99 ${result.p99.toFixed(2)} ms${complaint}`,
      );
    }
  }
  return results;
}

/** Median over the rounds of one candidate's rate divided by another's in the same round. */
export function ratio(results: Record<string, Load[]>, name: string, baseline: string): number {
  const base = results[baseline] ?? [];
  return median(
    (results[name] ?? []).map(
      (load, round) => load.requestsPerSecond / (base[round]?.requestsPerSecond ?? Number.NaN),
    ),
  );
}

/** A figure beside what it has to reach. */
export function verdict(what: string, value: number, least: number): void {
  console.log(`${value >= least ? "reached" : "MISSED "}  ${what}: ${value.toFixed(2)} (at least ${least})`);
  if (value < least) process.exitCode = 1;
}

type Cpu = { node: number; postgres: number };

/** Processor time per request: what a figure costs, however busy the machine was. */
export function printCpu(before: Cpu, after: Cpu, { requestsPerSecond, seconds }: Load): void {
  const perRequest = (used: number): string => ((used * 1e6) / (requestsPerSecond * seconds)).toFixed(1);
  const node = perRequest(after.node - before.node);
  console.log(
    `         per request: ${node} µs of Node, ${perRequest(after.postgres - before.postgres)} µs of PostgreSQL`,
  );
}
