import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../harness.ts";
import { rounds, seedOf } from "../rounds.ts";
import { playSeed } from "./play.ts";

/**
 * Random operations over HTTP, and the same in a model in memory: whatever can be read has to be what the model says. `MODEL_SEEDS=100`
 * plays so many seeds, from `MODEL_FROM` on.
 */
const STEPS = 700;
const SEEDS = Number(process.env.MODEL_SEEDS ?? rounds(1, 3));
const FROM = Number(process.env.MODEL_FROM ?? rounds(seedOf(), 1));

describe(`${STEPS} random operations leave what a plain model of them says`, {
  timeout: SEEDS * 300_000,
}, () => {
  const house = testHouse({ webhooksPrivate: true });
  for (let seed = FROM; seed < FROM + SEEDS; seed++)
    it(`seed ${seed}`, async () => {
      await playSeed(house, seed, STEPS);
      assert.deepEqual(await house.differences(), {});
    });
});
