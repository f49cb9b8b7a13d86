import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { rowsStatement, valuesStatement } from "./statement.ts";

describe("prepared statements", () => {
  it("have a name each, which no other text may take", () => {
    const declare = (text: string) => () =>
      rowsStatement<{ a: number }, { a: number }>({ name: "t_named", reach: "key" }, { a: "int4" }, text);
    declare(" select a from input")();
    assert.doesNotThrow(declare(" select a from input"));
    assert.throws(declare(" select 1 as a from input"), /Two prepared statements are called t_named\./);
    assert.throws(
      () =>
        valuesStatement<{ a: number }, { a: number }>(
          { name: "t_named", reach: "key" },
          { a: "int4" },
          ({ a }) => `select ${a} as a`,
        ),
      /Two prepared statements are called t_named\./,
    );
  });
});
