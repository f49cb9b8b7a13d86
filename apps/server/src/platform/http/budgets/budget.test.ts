import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createBuckets, defaultBudgets } from "./budget.ts";

const NOW = Date.UTC(2026, 0, 15);

describe("createBuckets", () => {
  it("allows exactly a minute's budget at once, for any size", () => {
    for (const size of [1, 2, 3, 7, 60, 1_200]) {
      const { take } = createBuckets({ goals: size });
      for (let taken = 0; taken < size; taken++) assert.equal(take("p", "goals", NOW), 0);
      assert.ok(take("p", "goals", NOW) > 0, `${size}`);
    }
  });
  it("is true to what it says: after the seconds that it names, and never before the token is back", () => {
    for (let size = 1; size <= 1_300; size++) {
      const { take } = createBuckets({ goals: size });
      for (let taken = 0; taken < size; taken++) take("p", "goals", NOW);
      const seconds = take("p", "goals", NOW);
      assert.ok(Number.isInteger(seconds) && seconds >= 1 && seconds <= 60, `${size}: ${seconds}`);
      const early = Math.floor(60_000 / size) - 1;
      if (early > 0) assert.ok(take("p", "goals", NOW + early) > 0, `${size} early`);
      assert.equal(take("p", "goals", NOW + seconds * 1_000), 0, `${size} after ${seconds} s`);
    }
  });
  it("comes back evenly, and never beyond a minute's worth", () => {
    const { take } = createBuckets({ goals: 60 });
    const takeAll = (at: number): number => {
      let taken = 0;
      while (take("p", "goals", at) === 0) taken++;
      return taken;
    };
    assert.deepEqual(
      [0, 1, 1.5, 2, 12, 13, 100_000].map((seconds) => takeAll(NOW + seconds * 1_000)),
      [60, 1, 0, 1, 10, 1, 60],
    );
  });
  it("is counted per project and per budget", () => {
    const { take } = createBuckets({ goals: 1, media: 1 });
    assert.equal(take("p", "goals", NOW), 0);
    assert.equal(take("p", "media", NOW), 0);
    assert.equal(take("q", "goals", NOW), 0);
    assert.ok(take("p", "goals", NOW) > 0);
  });
  it("keeps the defaults of what is not said", () => {
    const { take } = createBuckets({ goals: 1 });
    for (let taken = 0; taken < defaultBudgets.campaigns; taken++)
      assert.equal(take("p", "campaigns", NOW), 0);
    assert.equal(take("p", "campaigns", NOW), 1);
  });
  it("hands over what is spent and not back, and takes it again elsewhere", () => {
    const limits = { goals: 60, media: 2 };
    const [one, other] = [createBuckets(limits), createBuckets(limits)];
    for (let taken = 0; taken < 60; taken++) one.take("p", "goals", NOW);
    one.take("q", "media", NOW);
    const spent = one.handOver(NOW + 10_000);
    assert.deepEqual(spent, [
      { projectId: "p", budget: "goals", parts: 50 * 60_000 },
      { projectId: "q", budget: "media", parts: 40_000 },
    ]);
    assert.equal(one.take("p", "goals", NOW), 0);
    for (const each of spent) other.add(each, NOW);
    for (let taken = 0; taken < 10; taken++) assert.equal(other.take("p", "goals", NOW), 0);
    assert.equal(other.take("p", "goals", NOW), 1);
    assert.equal(other.take("q", "media", NOW), 0);
    assert.equal(other.take("q", "media", NOW), 20);
  });
  it("hands over nothing of what is back", () => {
    const { take, handOver } = createBuckets({ goals: 60 });
    take("p", "goals", NOW);
    assert.deepEqual(handOver(NOW + 1_000), []);
  });
});
