import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { lookInTurn, type SplitLooks } from "./rules.ts";

describe("looking at the splits of campaigns", () => {
  const looking = (most: number, now: number) => {
    const seen: string[] = [];
    const look = async (id: string) => seen.push(id) > 0 && id.startsWith("broken");
    return { seen, how: { now, look, isLate: () => seen.length >= most } };
  };

  it("ends once it is late, and goes on there the next time", async () => {
    const ids = ["a", "broken-b", "c", "d"];
    const first = looking(2, 1);
    let looks: SplitLooks = await lookInTurn(ids, new Map(), first.how);
    assert.deepEqual(first.seen, ["a", "broken-b"]);
    const second = looking(3, 2);
    looks = await lookInTurn(ids, looks, second.how);
    assert.deepEqual(second.seen, ["c", "d", "a"]);
    assert.deepEqual([looks.get("broken-b"), looks.get("a")?.lookedAt], [{ isBroken: true, lookedAt: 1 }, 2]);
    const late = looking(0, 3);
    looks = await lookInTurn(["new", ...ids.slice(2)], looks, late.how);
    assert.deepEqual(late.seen, ["new"], "one at least");
    assert.deepEqual([...looks.keys()].toSorted(), ["c", "d", "new"]);
  });
});
