import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { numbersFrom } from "../../../../../test/crash/random.ts";
import { looksBetween } from "../../../../../test/statistics/simulate.ts";
import { newUuid } from "../../../../platform/uuid.ts";
import { armFor } from "../entering/arms.ts";
import { type ArmQuestion, armStatisticsOf } from "./arm-statistics.ts";
import type { JourneyStatistics } from "./schema.ts";

const DAY_MS = 86_400_000;
const NOW = Date.UTC(2026, 5, 1, 12);
const MATURED = Math.floor(NOW / DAY_MS) - 1;
const JOURNEYS = 1_000;

/** Weights of the arms, and which share of the users of each does the event, once so many users have entered. */
type World = (entered: number) => { weights: readonly number[]; rates: readonly number[] };

/** A journey whose users draw their arms as users of a real one do. */
class SimulatedJourney {
  readonly #id = newUuid(NOW);
  readonly #random: () => number;
  readonly #world: World;
  readonly #allocations: ArmQuestion["allocations"][number][] = [];
  readonly #cells = new Map<string, ArmQuestion["cells"][number]>();
  #entered = 0;
  #arms: ArmQuestion["arms"] = [];

  constructor(random: () => number, world: World) {
    this.#random = random;
    this.#world = world;
  }

  /** Lets users in until so many have entered. */
  growTo(users: number): void {
    for (; this.#entered < users; this.#entered++) {
      const { weights, rates } = this.#world(this.#entered);
      this.#weigh(weights);
      const epoch = this.#allocations.at(-1)?.epoch ?? 0;
      const arm = armFor(this.#arms, { journeyId: this.#id, userKey: newUuid(NOW), first: null });
      const key = `${epoch} ${arm}`;
      const cell = this.#cells.get(key) ?? { epoch, arm, day: MATURED, exposed: 0, converted: 0, recent: 0 };
      this.#cells.set(key, cell);
      cell.exposed++;
      const place = this.#arms.findIndex(({ name }) => name === arm);
      if (this.#random() < (rates[place] ?? 0)) cell.converted++;
    }
  }

  /** Opens an epoch where the weights are others. */
  #weigh(weights: readonly number[]): void {
    if (weights.join() === this.#arms.map(({ weight }) => weight).join()) return;
    this.#arms = weights.map((weight, place) => ({ name: `arm${place}`, weight, isControl: place === 0 }));
    const epoch = (this.#allocations.at(-1)?.epoch ?? 0) + 1;
    for (const { name: arm, weight } of this.#arms)
      this.#allocations.push({ epoch, arm, weight, contentDigest: arm, startedAt: epoch });
  }

  statistics(): JourneyStatistics {
    return armStatisticsOf({
      evaluatedAt: NOW,
      attributionDays: 7,
      minimumLift: 0.05,
      arms: this.#arms,
      allocations: this.#allocations,
      cells: [...this.#cells.values()],
    });
  }
}

const LOOKS = looksBetween(40, 600, 8);

/** The shares of journeys that ever claim a difference, and that ever say their split is broken, with eight looks at each. */
function everSaying(world: World, seed: number): { claims: number; mismatches: number } {
  const random = numbersFrom(seed);
  let [claims, mismatches] = [0, 0];
  for (let run = 0; run < JOURNEYS; run++) {
    const journey = new SimulatedJourney(random, world);
    const looks = LOOKS.map((users) => {
      journey.growTo(users);
      return journey.statistics();
    });
    if (
      looks.some(({ arms }) => arms.some(({ comparison }) => /better|worse/.test(comparison?.verdict ?? "")))
    )
      claims++;
    if (looks.some(({ sampleRatio }) => sampleRatio.mismatch)) mismatches++;
  }
  return { claims: claims / JOURNEYS, mismatches: mismatches / JOURNEYS };
}

describe("the statistics of the arms of a journey", () => {
  it("claim no difference where there is none, in more than 1 of 20 journeys, however often one looks", () => {
    // In the second world rates and weights change together, so that users of one arm came in better times.
    const worlds: Record<string, World> = {
      "two arms alike": () => ({ weights: [1, 1], rates: [0.2, 0.2] }),
      "a ramp, while the rate changes": (entered) =>
        entered < 200 ? { weights: [9, 1], rates: [0.1, 0.1] } : { weights: [1, 1], rates: [0.4, 0.4] },
    };
    for (const [name, world] of Object.entries(worlds)) {
      const { claims, mismatches } = everSaying(world, 11);
      assert.ok(claims <= 0.05, `${name}: ${claims}`);
      assert.ok(mismatches <= 0.005, `${name}: ${mismatches}`);
    }
  });

  it("find a difference that is there, and name the arm to keep", () => {
    const journey = new SimulatedJourney(numbersFrom(3), () => ({ weights: [1, 1], rates: [0.1, 0.3] }));
    journey.growTo(1_500);
    const { arms, decision } = journey.statistics();
    assert.deepEqual(
      arms.map(({ name, isControl, comparison }) => [name, isControl, comparison?.verdict ?? null]),
      [
        ["arm0", true, null],
        ["arm1", false, "better"],
      ],
    );
    assert.deepEqual(decision, { action: "ship", arm: "arm1", retire: [] });
  });
});
