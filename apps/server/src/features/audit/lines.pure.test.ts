import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { csvLine } from "./lines.pure.ts";

const lineOf = (target: string): string =>
  csvLine({
    id: 1,
    at: 0,
    projectId: null,
    by: { kind: "command", id: null, name: "Ada" },
    operation: "none",
    target,
    fields: [],
    before: null,
    after: null,
    requestId: null,
    projectName: null,
    targetName: null,
    names: {},
  });

const around = (cell: string): string => `1,1970-01-01T00:00:00.000Z,,,Ada,command,,none,${cell},,,,,,\r\n`;

describe("a cell of a table for spreadsheets", () => {
  it("begins no formula, whatever parts one cell from the next", () => {
    for (const [text, cell] of [
      ["=1+1", "'=1+1"],
      [" =1", "' =1"],
      ["@x", "'@x"],
      ["\uff1d1", "'\uff1d1"],
      ["\uff0b1", "'\uff0b1"],
      ["\uff0d1", "'\uff0d1"],
      ["\uff20x", "'\uff20x"],
      ["\u22121", "'\u22121"],
      ["x;=1", `"x;'=1"`],
      ['x;"=1"', `"x;'""=1"""`],
      ["x;;=1", `"x;;'=1"`],
      ["x\t=1", `"x\t'=1"`],
      ["x\r\n=1", `"x\r\n'=1"`],
      ["\t=1", `"\t'=1"`],
      ["\r1", `"'\r1"`],
    ] as const)
      assert.equal(lineOf(text), around(cell), JSON.stringify(text));
  });

  it("is otherwise as it was written", () => {
    for (const [text, cell] of [
      ["a=b", "a=b"],
      ["50%|x", "50%|x"],
      ["a;b", '"a;b"'],
      ["a\r\nb", '"a\r\nb"'],
      ["it's", "it's"],
    ] as const)
      assert.equal(lineOf(text), around(cell));
  });
});
