import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import { inTableOrder, type OrderedTable } from "./table-order.pure.ts";

const table = (name: string, ...needs: string[]): OrderedTable => ({ name, needs });
const order = (...tables: OrderedTable[]): string[] => inTableOrder(tables).map(({ name }) => name);

describe("inTableOrder", () => {
  it("puts each table after those that it needs, and leaves the others as they are", () => {
    assert.deepEqual(order(table("a"), table("b"), table("c")), ["a", "b", "c"]);
    assert.deepEqual(order(table("a", "c"), table("b", "a"), table("c"), table("d")), ["c", "a", "b", "d"]);
  });

  it("lets a table need itself", () => {
    assert.deepEqual(order(table("a", "a", "b"), table("b", "b")), ["b", "a"]);
  });

  it("refuses tables that need each other, and names them", () => {
    assert.throws(
      () => order(table("z", "a"), table("a", "b"), table("b", "c"), table("c", "a")),
      /a, b, c, a/,
    );
  });

  it("refuses a table that needs one that is not there", () => {
    assert.throws(() => order(table("a", "gone")), /a needs gone/);
  });

  it("keeps every table once, each after those that it needs, whatever they need", () => {
    const anyTables = fc.uniqueArray(fc.string({ minLength: 1 }), { maxLength: 12 }).chain((names) =>
      fc.tuple(
        fc.constant(names),
        fc.tuple(...names.map((_, i) => fc.subarray(names.slice(0, i)))),
        fc.shuffledSubarray(
          names.map((_, i) => i),
          { minLength: names.length },
        ),
      ),
    );
    fc.assert(
      fc.property(anyTables, ([names, needs, shuffled]) => {
        const tables = shuffled.map((i) => table(names[i] ?? "", ...(needs[i] ?? [])));
        const ordered = inTableOrder(tables);
        assert.deepEqual(new Set(ordered), new Set(tables));
        assert.equal(ordered.length, tables.length);
        const at = new Map(ordered.map(({ name }, i) => [name, i]));
        for (const [i, each] of ordered.entries())
          for (const name of each.needs) assert.ok((at.get(name) ?? i) < i, `${each.name} before ${name}`);
      }),
    );
  });
});
