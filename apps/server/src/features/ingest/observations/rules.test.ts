import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { judgeOrder, piecesOf, type ReportedCommand } from "./rules.ts";
import type { Command } from "./schema.ts";

const reported = (sequence: number, id = `c${sequence}`, digest = `d${sequence}`): ReportedCommand => ({
  id,
  sequence,
  digest,
});
const kept = [reported(1), reported(2), reported(3)];

describe("judgeOrder", () => {
  const cases: [string, ReportedCommand[], number, ReportedCommand[], ReturnType<typeof judgeOrder>][] = [
    ["the first of all", [reported(1)], 0, [], { repeats: 0 }],
    ["the next ones", [reported(4), reported(5)], 3, [], { repeats: 0 }],
    ["repeats alone", kept, 3, kept, { repeats: 3 }],
    ["one repeat of several", [reported(2)], 3, kept, { repeats: 1 }],
    ["a repeat that goes on", [reported(3), reported(4)], 3, kept, { repeats: 1 }],
    [
      "one before the first",
      [reported(2)],
      0,
      [],
      { fault: "commands[0].sequence must be 1: what comes before it is missing" },
    ],
    [
      "a gap at the start",
      [reported(5)],
      3,
      [],
      { fault: "commands[0].sequence must be 4: what comes before it is missing" },
    ],
    [
      "a gap inside",
      [reported(4), reported(6)],
      3,
      [],
      { fault: "commands[1].sequence must be 5, one more than that before it" },
    ],
    [
      "a step back",
      [reported(4), reported(3)],
      3,
      kept,
      { fault: "commands[1].sequence must be 5, one more than that before it" },
    ],
    [
      "another digest",
      [reported(2, "c2", "x")],
      3,
      kept,
      { fault: "commands[0] is not what was reported as 2 before" },
    ],
    [
      "another id",
      [reported(2, "x", "d2")],
      3,
      kept,
      { fault: "commands[0] is not what was reported as 2 before" },
    ],
    [
      "one that is not kept any more",
      [reported(2)],
      3,
      [],
      { fault: "commands[0] is not what was reported as 2 before" },
    ],
    [
      "a kept id again",
      [reported(4, "c1")],
      3,
      kept,
      { fault: "commands[0].id was used for another command" },
    ],
    [
      "one id twice",
      [reported(4), reported(5, "c4")],
      3,
      [],
      { fault: "commands[1].id was used for another command" },
    ],
    ["the largest", [reported(Number.MAX_SAFE_INTEGER)], Number.MAX_SAFE_INTEGER - 1, [], { repeats: 0 }],
  ];
  for (const [name, commands, last, known, verdict] of cases)
    it(`${"fault" in verdict ? "refuses" : "takes"} ${name}`, () => {
      assert.deepEqual(judgeOrder(commands, last, known), verdict);
    });
});

describe("piecesOf", () => {
  const event = (eventId: string): Command => ({
    id: eventId,
    sequence: 1,
    kind: "event",
    event: "x",
    eventId,
  });
  const tap: Command = { id: "t", sequence: 1, kind: "tap", targetId: "a", attemptId: "b" };
  const receipt: Command = { ...tap, kind: "receipt" };
  const cases: [string, Command[], number[]][] = [
    ["nothing", [], []],
    ["what is about pushes", [receipt, tap, tap], [3]],
    ["events", [event("a"), event("b")], [2]],
    ["events before and after a tap", [event("a"), receipt, tap, event("b"), event("c")], [1, 2, 2]],
    ["the same event twice", [event("a"), event("b"), event("a"), event("b")], [2, 2]],
    ["the same event on both sides of a tap", [event("a"), tap, event("a")], [1, 1, 1]],
  ];
  for (const [name, commands, sizes] of cases)
    it(`cuts ${name}`, () => {
      const pieces = piecesOf(commands.map((command) => ({ command })));
      assert.deepEqual(
        pieces.map(({ length }) => length),
        sizes,
      );
      assert.deepEqual(
        pieces.flat().map(({ command }) => command),
        commands,
      );
    });
});
