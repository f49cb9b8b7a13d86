import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql } from "kysely";
import { sharedHouse } from "../../../../test/harness.ts";
import { userRef } from "../../../domain/ids.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { holdoutGate, isHeldOut } from "../gates/holdout.ts";
import { bucketSql } from "../gates/list.ts";
import { drawVariant } from "../results/point.ts";
import { variantIndexSql } from "./audience-store.ts";

const house = sharedHouse();
const KEYS = Array.from({ length: 400 }, (_, n) => userRef("a project", `user ${n}`).userKey);
const users = sql`(select k::uuid as draw_key, ord from unnest(${KEYS}::text[]) with ordinality k (k, ord)) u`;

describe("the SQL of a census", () => {
  it("holds out the same users as delivery", async () => {
    const { kysely } = house.database;
    for (const holdoutPercent of [0, 1, 7, 33, 50, 99, 100]) {
      const current = { goalId: newUuid(house.now()), holdoutPercent };
      const { rows } = await sql<{ bucket: string }>`
        select ${bucketSql([holdoutGate], { current })} as bucket from ${users} order by ord`.execute(kysely);
      assert.deepEqual(
        rows.map(({ bucket }) => bucket),
        KEYS.map((key) => (isHeldOut(current, key) ? "held_out" : "will_receive")),
      );
    }
    const none = bucketSql([holdoutGate], { current: { goalId: null, holdoutPercent: 50 } });
    const { rows } = await sql`select from ${users} where ${none} <> 'will_receive'`.execute(kysely);
    assert.equal(rows.length, 0);
  });

  it("draws the same variants as delivery", async () => {
    for (const weights of [[1], [0, 1], [1, 1], [1, 0, 2], [100, 1, 0], [3, 7, 11, 0], Array(10).fill(100)]) {
      const campaignId = newUuid(house.now());
      const variants = weights.map((weight: number, index: number) => ({ id: String(index), weight }));
      const { rows } = await sql<{ index: number }>`
        select ${variantIndexSql(campaignId, variants)} as index from ${users} order by ord`.execute(
        house.database.kysely,
      );
      assert.deepEqual(
        rows.map(({ index }) => String(index)),
        KEYS.map((key) => drawVariant(variants, campaignId, key)?.id),
      );
    }
  });
});
