import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../test/harness.ts";
import { SECOND_MS } from "../time/clock.ts";
import { projectLoop } from "./project-loop.ts";

const house = testHouse();
const PROJECTS = ["a", "b", "c", "d", "e"];
const ALL = PROJECTS.map((projectId) => ({ projectId }));
const { signal } = new AbortController();

describe("a loop over projects", () => {
  it("gives each its turns, however many are worked at once and however much the first ones have to do", async () => {
    const turns: string[] = [];
    const endless = projectLoop({
      name: "endless",
      atOnce: 2,
      find: async () => ALL,
      async turn(_app, projectId) {
        turns.push(projectId);
        return true;
      },
    });
    for (let round = 0; turns.length < 4 * PROJECTS.length && round < 100; round++)
      assert.equal(await endless.turn(house.tidings.app, signal), true);
    assert.deepEqual(turns.slice(0, PROJECTS.length), PROJECTS);
    for (const projectId of PROJECTS) {
      const theirs = turns.filter((each) => each === projectId).length;
      assert.ok(theirs >= 3, `${projectId} had ${theirs} of ${turns.length} turns`);
    }
  });

  it("works no more at once than it may, and goes on beside one that takes long", async () => {
    const release = Promise.withResolvers<boolean>();
    const turns: string[] = [];
    let [running, most] = [0, 0];
    const slow = projectLoop({
      name: "slow",
      atOnce: 2,
      find: async () => ALL.filter(({ projectId }) => !turns.includes(projectId)),
      async turn(_app, projectId) {
        turns.push(projectId);
        running++;
        most = Math.max(most, running);
        if (projectId === "a") await release.promise;
        else await Promise.resolve();
        running--;
        return true;
      },
    });
    for (let round = 0; turns.length < PROJECTS.length && round < 100; round++)
      await slow.turn(house.tidings.app, signal);
    assert.deepEqual([turns, most, running], [PROJECTS, 2, 1]);
    release.resolve(true);
    await slow.finish?.(house.tidings.app);
    assert.equal(running, 0);
  });

  it("leaves one alone that failed, and need not look for it", async () => {
    const turns: string[] = [];
    const busyOnes: string[][] = [];
    const failing = projectLoop({
      name: "failing",
      async find(_app, { busy }) {
        busyOnes.push([...busy]);
        return ALL;
      },
      async turn(_app, projectId) {
        turns.push(projectId);
        if (projectId === "a") throw new Error("as it should");
        return false;
      },
    });
    for (let round = 0; round < 3; round++)
      assert.equal(await failing.turn(house.tidings.app, signal), false);
    const count = (projectId: string): number => turns.filter((each) => each === projectId).length;
    assert.deepEqual(PROJECTS.map(count), [1, 3, 3, 3, 3]);
    assert.deepEqual(busyOnes, [[], ["a"], ["a"]]);
    house.advance(5 * SECOND_MS);
    await failing.turn(house.tidings.app, signal);
    assert.equal(count("a"), 2);
  });
});
