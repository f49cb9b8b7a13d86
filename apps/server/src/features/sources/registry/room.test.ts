import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { codeHouse, followRepository, ownRepository } from "../../../../test/from-code.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import { look } from "../../../../test/source-work.ts";

const house = codeHouse({ sourcesProjectMaxMb: 3 });

describe("the room that repositories of a project have", { skip: WITHOUT_GIT }, () => {
  it("is theirs together: one that does not fit says so, and others are read", async () => {
    const [large, small] = [ownRepository(), ownRepository()];
    large.commit({ "large.txt": Array.from({ length: 200_000 }, () => Math.random()).join() });
    const [full, other] = [await house.project(), await house.project()];
    const reasonsOf = async ({ api }: TestProject) =>
      (await api.listSources()).sources.map(({ id, state, reason }) => [id, state, reason]);
    await followRepository(house, full, large.url, "a");
    await followRepository(house, other, large.url, "a");
    await look(house);
    await followRepository(house, full, large.url, "b");
    await followRepository(house, full, small.url, "c");
    await look(house);
    assert.deepEqual(await reasonsOf(full), [
      ["a", "ok", null],
      ["b", "unavailable", "no_room"],
      ["c", "ok", null],
    ]);
    assert.deepEqual(await reasonsOf(other), [["a", "ok", null]]);
  });
});
