import assert from "node:assert/strict";
import { globSync } from "node:fs";
import { describe, it } from "node:test";
import { readSteps, staircaseText } from "../../scripts/staircase.ts";
import { staircase } from "../../src/features.ts";

const FEATURES = new URL("../../src/features/", import.meta.url).pathname;
const rooms = readSteps().flat();

describe("a room", () => {
  it("says its folder, the one that features.ts imports it from", () => {
    const wrong = staircase
      .flat()
      .flatMap(({ room }, place) => (room === rooms[place] ? [] : { room, folder: rooms[place] }));
    assert.deepEqual(wrong, [], "let `room` in the index.ts of a room be its folder in features");
  });

  it("stands on one step, and in no other room", () => {
    const inside = rooms.filter((room, place) =>
      rooms.some((other, at) => at !== place && `${room}/`.startsWith(`${other}/`)),
    );
    assert.deepEqual(inside, [], "list it once, and let it be a folder beside the other one");
  });

  it("has every source of features in it", () => {
    const folders = globSync("**/*.{ts,svg}", { cwd: FEATURES }).map((path) => path.replace(/\/?[^/]*$/, ""));
    const outside = [...new Set(folders)].filter(
      (folder) => !rooms.some((room) => `${folder}/`.startsWith(`${room}/`)),
    );
    assert.deepEqual(
      outside,
      [],
      "these folders belong to no room: give the room an index.ts with `room`, and list it on its step in src/features.ts",
    );
    assert.ok(folders.length > 500);
  });
});

it("the staircase of ARCHITECTURE.md begins with the highest step, and names the rooms of a wing behind it", () => {
  const steps = [["audit"], ["users/profiles", "people", "users/events"]];
  assert.equal(staircaseText(steps), " users (profiles, events) · people\n audit\n");
});
