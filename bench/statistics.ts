/**
 * `node bench/statistics.ts [--runs 1000] [--looks 200] [--only claims,power,arithmetic,statement] [--deliveries 1000000]`: how often
 * campaigns without a difference claim one, through the function that the endpoint calls; how many users a difference takes, beside a test
 * with one look; how long the arithmetic takes; and the statement that counts, beside that of the plain conversions.
 */

import { join } from "node:path";
import { parseArgs } from "node:util";
import { countExposed } from "../apps/server/src/features/deliveries/results/statistics-store.ts";
import { countConversions } from "../apps/server/src/features/deliveries/store.ts";
import { statisticsOf } from "../apps/server/src/features/statistics/public.ts";
import { LIFT, splitEvidence } from "../apps/server/src/features/statistics/split.pure.ts";
import { openDatabase } from "../apps/server/src/platform/db/db.ts";
import { createLog } from "../apps/server/src/platform/log.ts";
import { numbersFrom } from "../apps/server/test/crash/random.ts";
import { binomial, everClaims, looksBetween, worlds } from "../apps/server/test/statistics/simulate.ts";
import { fillProject } from "./filled.ts";
import { startTidings } from "./processes.ts";
import { median } from "./report.ts";

const { values } = parseArgs({
  options: {
    runs: { type: "string", default: "1000" },
    looks: { type: "string", default: "200" },
    only: { type: "string", default: "claims,power,arithmetic,statement" },
    deliveries: { type: "string", default: "1000000" },
    rounds: { type: "string", default: "5" },
  },
});
const RUNS = Number(values.runs);
const DAY_MS = 86_400_000;
const parts = values.only.split(",");

/** Says whether a figure is at most what it may be. */
function atMost(what: string, value: number, most: number, unit = ""): void {
  console.log(
    `${value <= most ? "reached" : "MISSED "}  ${what}: ${value.toFixed(3)}${unit} (at most ${most}${unit})`,
  );
  if (value > most) process.exitCode = 1;
}

if (parts.includes("claims")) {
  console.log(
    `\nCampaigns without a difference that ever claim one: ${RUNS} campaigns, ${values.looks} looks each.`,
  );
  const looks = looksBetween(20, 50_000, Number(values.looks));
  for (const [name, world] of Object.entries(worlds)) atMost(name, everClaims(world, looks, RUNS, 1), 0.05);
}

/** Users of both arms that a z-test with one look needs: 80 % power, 5 % error, two sides. */
function usersOfOneLook(rate: number, lift: number): number {
  const other = rate * (1 + lift);
  return (2 * 7.848879 * (rate * (1 - rate) + other * (1 - other))) / (other - rate) ** 2;
}

if (parts.includes("power")) {
  const runs = Math.max(20, Math.round(RUNS / 4));
  console.log(
    `\nUsers until a claim, divided by those of a z-test with one look and 80 % power: median / 80 % of ${runs} runs.`,
  );
  const random = numbersFrom(2);
  for (const rate of [0.005, 0.02, 0.1, 0.5]) {
    const cells = [0.05, 0.1, 0.2, 0.5].map((lift) => {
      const oneLook = usersOfOneLook(rate, lift);
      const found = Array.from({ length: runs }, () => usersUntilClaim(random, rate, lift, oneLook)).sort(
        (a, b) => a - b,
      );
      const quantile = (part: number): string =>
        ((found[Math.floor(runs * part)] ?? Number.NaN) / oneLook).toFixed(2);
      return `+${lift * 100} %: ${quantile(0.5)} / ${quantile(0.8)}`.padEnd(22);
    });
    console.log(`rate ${`${rate * 100} %`.padEnd(6)} ${cells.join(" ")}`);
  }
}

/** Users of both arms, half in each, when a difference is first claimed; there is a look after every 2 % more. */
function usersUntilClaim(random: () => number, rate: number, lift: number, oneLook: number): number {
  let [half, arm, other] = [0, 0, 0];
  for (let next = Math.max(10, oneLook / 100); half < oneLook * 20; next *= 1.02) {
    const more = Math.max(1, Math.round(next / 2) - half);
    half += more;
    arm += binomial(random, more, rate * (1 + lift));
    other += binomial(random, more, rate);
    if (splitEvidence([{ arm, other, share: 0.5 }], LIFT).logE >= Math.log(20)) return 2 * half;
  }
  return Infinity;
}

/** A campaign of ten variants, counted over so many epochs and days. */
function largeQuestion(epochs: number, days: number): Parameters<typeof statisticsOf>[0] {
  const random = numbersFrom(3);
  const now = Date.UTC(2026, 5, 1);
  const variants = Array.from({ length: 10 }, (_, place) => ({
    variantId: `v${place}`,
    isControl: place === 0,
    weight: 10,
  }));
  const all = Array.from({ length: epochs }, (_, place) => place + 1);
  const allocations = all.flatMap((epoch) =>
    variants.map(({ variantId }, place) => ({
      epoch,
      variantId,
      weight: 5 + ((epoch * 7 + place * 3) % 20),
      contentDigest: variantId,
      startedAt: epoch,
    })),
  );
  const cells = Array.from({ length: days }, (_, day) => day).flatMap((day) =>
    variants.map(({ variantId }) => {
      const exposed = 300 + Math.floor(random() * 50);
      const epoch = 1 + Math.floor((day * epochs) / days);
      const converted = binomial(random, exposed, 0.04);
      return { variantId, epoch, day: now / DAY_MS - days + day, exposed, converted, recent: 0 };
    }),
  );
  return {
    evaluatedAt: now,
    attributionDays: 7,
    isGoalEvent: true,
    minimumLift: 0.05,
    variants,
    allocations,
    cells,
    holdout: null,
    merged: { units: 0, share: 0 },
    wantsSeries: false,
  };
}

if (parts.includes("arithmetic")) {
  console.log("\nThe arithmetic for ten variants, median of 100 runs.");
  const timed = (question: Parameters<typeof statisticsOf>[0]): number =>
    median(
      Array.from({ length: 130 }, () => {
        const begun = performance.now();
        statisticsOf(question);
        return performance.now() - begun;
      }).slice(30),
    );
  atMost("1 epoch", timed(largeQuestion(1, 120)), 5, " ms");
  console.log(`100 epochs: ${timed(largeQuestion(100, 120)).toFixed(1)} ms`);
  console.log(
    `a series of 120 days: ${timed({ ...largeQuestion(1, 120), wantsSeries: true }).toFixed(1)} ms`,
  );
}

if (parts.includes("statement")) {
  const deliveries = Number(values.deliveries);
  console.log(`\nThe statement over ${deliveries} deliveries, beside that of the plain conversions.`);
  const tidings = await startTidings();
  const client = await tidings.connect();
  const address = { host: join(tidings.dataDir, "run"), user: "tidings", database: "tidings" };
  const database = openDatabase(address, createLog("error"));
  const { kysely } = database;
  try {
    const campaignId = (
      await fillProject(client, tidings, { users: deliveries, events: deliveries * 2 })
    ).slice(4);
    const { projectId } = tidings;
    const evaluatedAt = Date.now();
    const outcome = { event: "event_2", evaluatedAt, attributionMs: 7 * DAY_MS };
    const readings = {
      conversions: () => countConversions(kysely, projectId, { campaignId, event: "event_2", evaluatedAt }),
      statistics: () => countExposed(kysely, projectId, campaignId, outcome),
    };
    const times: Record<keyof typeof readings, number[]> = { conversions: [], statistics: [] };
    for (let round = 0; round <= Number(values.rounds); round++) {
      for (const name of ["conversions", "statistics"] as const) {
        const begun = performance.now();
        await readings[name]();
        // The first round fills the caches.
        if (round > 0) times[name].push(performance.now() - begun);
      }
    }
    const ratios = times.statistics.map((ms, round) => ms / (times.conversions[round] ?? Number.NaN));
    console.log(
      `conversions ${median(times.conversions).toFixed(0)} ms, statistics ${median(times.statistics).toFixed(0)} ms`,
    );
    atMost("statistics / conversions", median(ratios), 2);
  } finally {
    await database.close();
    await client.end();
    await tidings.stop();
  }
}
