import type { Statistics } from "../../src/features/statistics/schema.ts";
import type { EpochSplit } from "../../src/features/statistics/split.pure.ts";
import { judgedOf, type StatisticsInput, statisticsOf } from "../../src/features/statistics/statistics.ts";
import { numbersFrom } from "../crash/random.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1, 12);

/** How many of `trials` succeed: goes from one success to the next, so that rare ones are quick to draw. */
export function binomial(random: () => number, trials: number, chance: number): number {
  if (chance <= 0 || trials <= 0) return 0;
  if (chance > 0.5) return trials - binomial(random, trials, 1 - chance);
  const perTrial = Math.log1p(-chance);
  let successes = 0;
  for (let trial = 0; ; successes++) {
    trial += Math.floor(Math.log(1 - random()) / perTrial) + 1;
    if (trial > trials) return successes;
  }
}

/**
 * A campaign whose users arrive, are split by its weights and convert at given rates. What it says about itself comes from the same
 * function that the endpoint calls.
 */
export class SimulatedCampaign {
  readonly #random: () => number;
  readonly #allocations: StatisticsInput["allocations"][number][] = [];
  readonly #cells: StatisticsInput["cells"][number][] = [];
  #weights: readonly number[] = [];
  readonly #texts: number[] = [];
  #epoch = 0;

  constructor(random: () => number, weights: readonly number[]) {
    this.#random = random;
    this.setWeights(weights);
  }

  /** Opens an epoch with other weights; the first is that of the control. */
  setWeights(weights: readonly number[]): void {
    this.#weights = weights;
    this.#epoch++;
    for (const [place, weight] of weights.entries()) {
      const [epoch, variantId] = [this.#epoch, `v${place}`];
      const contentDigest = `c${place}.${this.#texts[place] ?? 0}`;
      this.#allocations.push({ epoch, variantId, weight, contentDigest, startedAt: epoch });
      this.#cells.push({ epoch, variantId, day: NOW / DAY_MS, exposed: 0, converted: 0, recent: 0 });
    }
  }

  /** So many more users are exposed and mature; `rates` by variant. */
  grow(users: number, rates: readonly number[]): void {
    let left = users;
    let weightLeft = this.#weights.reduce((sum, weight) => sum + weight, 0);
    for (const [place, weight] of this.#weights.entries()) {
      const exposed = weightLeft === 0 ? 0 : binomial(this.#random, left, weight / weightLeft);
      left -= exposed;
      weightLeft -= weight;
      const cell = this.#cells.find((each) => each.epoch === this.#epoch && each.variantId === `v${place}`);
      if (cell === undefined) continue;
      cell.exposed += exposed;
      cell.converted += binomial(this.#random, exposed, rates[place] ?? 0);
    }
  }

  /** Counts users of a variant who came and matured, of whom so many converted. */
  add(place: number, { exposed, converted }: { exposed: number; converted: number }): void {
    const cell = this.#cells.find((each) => each.epoch === this.#epoch && each.variantId === `v${place}`);
    if (cell === undefined) return;
    cell.exposed += exposed;
    cell.converted += converted;
  }

  /** Gives a variant another text, which opens an epoch. */
  edit(place: number): void {
    this.#texts[place] = (this.#texts[place] ?? 0) + 1;
    this.setWeights(this.#weights);
  }

  /** What was counted so far. */
  get #counts() {
    const variants = this.#weights.map((weight, place) => ({
      variantId: `v${place}`,
      isControl: place === 0,
      weight,
    }));
    return { variants, allocations: this.#allocations, cells: this.#cells };
  }

  /** What may be claimed now. */
  statistics(): Statistics {
    return statisticsOf({
      ...this.#counts,
      evaluatedAt: NOW,
      attributionDays: 7,
      isGoalEvent: true,
      minimumLift: 0.05,
      holdout: null,
      merged: { units: 0, share: 0 },
      wantsSeries: false,
    });
  }

  /** What verdicts are judged by now. */
  judged(): ReturnType<typeof judgedOf> {
    return judgedOf(this.#counts);
  }

  /** Conversions of the second variant and of the first, epoch by epoch, with the share of the two that the second was given. */
  splits(): EpochSplit[] {
    const converted = (epoch: number, variantId: string): number =>
      this.#cells.find((each) => each.epoch === epoch && each.variantId === variantId)?.converted ?? 0;
    const weightIn = (epoch: number, variantId: string): number =>
      this.#allocations.find((each) => each.epoch === epoch && each.variantId === variantId)?.weight ?? 0;
    return Array.from({ length: this.#epoch }, (_, index) => {
      const [control, arm] = [weightIn(index + 1, "v0"), weightIn(index + 1, "v1")];
      return {
        arm: converted(index + 1, "v1"),
        other: converted(index + 1, "v0"),
        share: arm / (arm + control),
      };
    });
  }

  /** Whether a difference is claimed now, be it for the better or for the worse. */
  claims(): boolean {
    return this.statistics().variants.some(({ comparison }) =>
      ["better", "worse"].includes(comparison?.verdict ?? ""),
    );
  }
}

/** Instants of the looks: after so many users each time, ever further apart, from `first` to `last`. */
export const looksBetween = (first: number, last: number, looks: number): number[] =>
  Array.from({ length: looks }, (_, look) => Math.round(first * (last / first) ** (look / (looks - 1))));

/** A world: the weights and rates of a campaign when so many users have come. */
export type World = { weights(users: number): readonly number[]; rates(users: number): readonly number[] };

/** The share of campaigns that ever claim a difference, in so many runs, with a look at each number of users. */
export function everClaims(world: World, looks: readonly number[], runs: number, seed: number): number {
  const random = numbersFrom(seed);
  let claimed = 0;
  for (let run = 0; run < runs; run++) {
    let weights = world.weights(0);
    const campaign = new SimulatedCampaign(random, weights);
    let users = 0;
    for (const look of looks) {
      const wanted = world.weights(users);
      if (wanted.join() !== weights.join()) campaign.setWeights(wanted);
      weights = wanted;
      campaign.grow(look - users, world.rates(users));
      users = look;
      if (campaign.claims()) {
        claimed++;
        break;
      }
    }
  }
  return claimed / runs;
}

/** Worlds in which no variant differs from another. */
export const worlds = {
  "A/A at 0.5 %": { weights: () => [50, 50], rates: () => [0.005, 0.005] },
  "A/A at 2 %": { weights: () => [50, 50], rates: () => [0.02, 0.02] },
  "A/A at 10 %": { weights: () => [50, 50], rates: () => [0.1, 0.1] },
  "A/A at 50 %": { weights: () => [50, 50], rates: () => [0.5, 0.5] },
  "A/A of three variants, 5 %": { weights: () => [34, 33, 33], rates: () => [0.05, 0.05, 0.05] },
  "a share of 5 %, at 2 %": { weights: () => [5, 95], rates: () => [0.02, 0.02] },
  "a ramp, while the rate changes": {
    weights: (users) => (users < 5_000 ? [90, 10] : [50, 50]),
    rates: (users) => (users < 5_000 ? [0.02, 0.02] : [0.06, 0.06]),
  },
  "weights and rates that change daily": {
    weights: (users) => {
      const day = Math.floor(users / 500) % 4;
      return (
        [
          [34, 33, 33],
          [20, 40, 40],
          [60, 10, 30],
          [20, 75, 5],
        ][day] ?? []
      );
    },
    rates: (users) => Array(3).fill(0.04 + 0.03 * Math.sin(users / 2_000)),
  },
} satisfies Record<string, World>;
