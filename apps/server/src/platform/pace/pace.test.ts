import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type PiecePace, paceBeside } from "./pace.pure.ts";
import { PieceTurns } from "./piece-turns.ts";

const QUIET: PiecePace = { isQuiet: true, restMs: 0 };

/** The share of the time that pieces have which take so long each. */
const shareOf = (requestsPerSecond: number, tookMs: number): number =>
  tookMs / (tookMs + paceBeside(requestsPerSecond, tookMs).restMs);

describe("the pace of a file", () => {
  it("is as fast as can be while hardly any request comes", () => {
    for (const requests of [0, 5, 29]) assert.deepEqual(paceBeside(requests, 400), QUIET);
  });

  it("is small pieces beside requests, with a share that falls from a quarter to a twentieth", () => {
    for (const requests of [30, 100, 5_000]) {
      assert.equal(paceBeside(requests, 20).isQuiet, false);
    }
    const shares = [30, 100, 200, 500, 100_000].map((requests) => shareOf(requests, 20));
    assert.deepEqual(
      shares.map((share) => share.toFixed(3)),
      ["0.250", "0.250", "0.125", "0.050", "0.050"],
    );
  });

  it("has a rest that ends soon, also behind a piece that waited for a lock", () => {
    assert.equal(paceBeside(1_000, 2_000).restMs, 3_000);
    assert.equal(paceBeside(1_000, 0).restMs, 0, "there is nothing to rest for before the first piece");
  });
});

/** Turns under a clock that moves when a piece is brought in, by so many milliseconds. */
function turnsBeside(requestsPerSecond: number) {
  let now = 0;
  const turns = new PieceTurns({ perSecond: () => requestsPerSecond }, () => now);
  return {
    turns,
    take: (signal: AbortSignal, tookMs: number, then: () => Promise<void> = async () => undefined) =>
      turns.take(signal, async (pace) => {
        now += tookMs;
        await then();
        return pace.isQuiet;
      }),
  };
}

const ENDLESS = new AbortController().signal;

describe("the turns of pieces", () => {
  it("are had at once on a quiet server, those of two files together", async () => {
    const { take } = turnsBeside(0);
    const [first, second] = [Promise.withResolvers<void>(), Promise.withResolvers<void>()];
    const meet = (own: PromiseWithResolvers<void>, other: PromiseWithResolvers<void>) => () => {
      own.resolve();
      return other.promise;
    };
    const both = [take(ENDLESS, 400, meet(first, second)), take(ENDLESS, 400, meet(second, first))];
    assert.deepEqual(await Promise.all(both), [true, true]);
  });

  it("are had one after the other beside requests, also where a piece fails", async () => {
    const { take } = turnsBeside(1_000);
    const trail: string[] = [];
    const piece = (name: string) => async () => {
      trail.push(`${name} begins`);
      await new Promise(setImmediate);
      trail.push(`${name} ends`);
      if (name === "one") throw new Error("lost a race");
    };
    const [one, two] = [take(ENDLESS, 1, piece("one")), take(ENDLESS, 1, piece("two"))];
    await assert.rejects(one, /lost a race/);
    assert.equal(await two, false);
    assert.deepEqual(trail, ["one begins", "one ends", "two begins", "two ends"]);
  });

  it("come at once where their rest is stopped", async () => {
    const { take } = turnsBeside(1_000);
    await take(ENDLESS, 1_000);
    const stop = new AbortController();
    const began = performance.now();
    const resting = take(stop.signal, 1_000);
    stop.abort();
    assert.equal(await resting, false);
    assert.ok(performance.now() - began < 3_000, "a rest is three seconds");
    assert.equal(await take(stop.signal, 1_000), false, "nor is there another one");
  });
});
