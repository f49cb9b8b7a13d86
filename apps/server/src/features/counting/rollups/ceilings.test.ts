import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { defaultLimits } from "../../../platform/limits.ts";
import { applyDeltas } from "./public.ts";

const limits = { ...defaultLimits, projectEventNames: 3, eventPropertyKeys: 2, projectTraitKeys: 3 };
const house = testHouse({ limits });

const track = ({ sdk }: TestProject, userId: string, event: string, props: Record<string, unknown> = {}) =>
  sdk.track({ body: { userId, event, props } });

const identify = ({ sdk }: TestProject, userId: string, traits: Record<string, unknown>) =>
  sdk.identify({ body: { userId, traits } });

/** How many rows with a name or a key each table of the rollups has; tables without any are left out. */
async function rowsOf({ projectId }: TestProject): Promise<Record<string, number>> {
  const tables = [
    "event_names",
    "event_days",
    "event_properties",
    "trait_keys",
    "trait_values",
    "crowded_traits",
  ];
  const counts: Record<string, number> = {};
  for (const table of tables) {
    const { rows } = await house.database.pool.query<{ rows: number }>(
      `select count(*)::int as rows from ${table} where project_id = $1`,
      [projectId],
    );
    if (rows[0]?.rows) counts[table] = rows[0].rows;
  }
  return counts;
}

describe("a project's ceilings", () => {
  it("count further names and keys together, and every event all the same", async () => {
    const project = await house.project();
    const { api } = project;
    for (let turn = 0; turn < 10; turn++) {
      await track(project, "anna", `event ${turn}`, { a: 1, [`key ${turn}`]: 1, [`more ${turn}`]: "x" });
      await track(project, "anna", "event 0", { [`key ${turn}`]: 1 });
      await identify(project, "anna", { [`trait ${turn}`]: "x" });
      await api.getOverview();
    }
    const { capabilities } = await api.getAudienceCapabilities();
    assert.deepEqual(
      capabilities.events.map(({ name, occurrences }) => [name, occurrences]),
      [
        ["event 0", 11],
        ["event 1", 1],
        ["event 2", 1],
      ],
    );
    assert.ok(capabilities.events.every((each) => each.properties.length === 2 && each.propertiesTruncated));
    assert.deepEqual(
      capabilities.traits.map(({ key }) => key),
      ["trait 0", "trait 1", "trait 2"],
    );
    assert.deepEqual([capabilities.eventsTruncated, capabilities.traitsTruncated], [true, true]);
    const { totals, topEvents } = await api.getMetrics();
    assert.deepEqual([totals.events, topEvents.length], [20, 3]);
    assert.equal((await api.listEvents()).total, 20);
    for (const [query, total] of [
      [{ name: "event 9" }, 1],
      [{ name: "event 0" }, 11],
      [{ q: "EVENT" }, 20],
      [{ q: "nothing" }, 0],
    ] as const)
      assert.equal((await api.listEvents({ query })).total, total, JSON.stringify(query));
    const expression = {
      version: 1 as const,
      root: { kind: "event" as const, event: "event 9" },
    };
    const checked = await api.checkAudience({ body: { expression } });
    assert.equal(checked.matchedCount, 1);
    assert.deepEqual(await house.differences(), {});
  });

  it("leave nothing of somebody who is erased, and room for others then", async () => {
    const project = await house.project();
    for (let turn = 0; turn < 8; turn++) {
      await track(project, "anna", `hers ${turn}`, { [`hers ${turn}`]: 1, x: 1, y: 2, z: 3 });
      await identify(project, "anna", { [`hers ${turn}`]: "x" });
    }
    for (let i = 0; i < 52; i++) await identify(project, `user ${i}`, { "hers 0": `value ${i}` });
    await applyDeltas(house.tidings.app);
    assert.deepEqual(await house.differences(), {});
    for (const userId of ["anna", ...Array.from({ length: 52 }, (_, i) => `user ${i}`)])
      await project.api.eraseUser({ path: { id: userId } });
    await applyDeltas(house.tidings.app);
    assert.deepEqual(await rowsOf(project), {});
    await track(project, "ben", "his");
    await identify(project, "ben", { his: "x" });
    const { capabilities } = await project.api.getAudienceCapabilities();
    assert.deepEqual([capabilities.events[0]?.name, capabilities.traits[0]?.values], ["his", ["x"]]);
    assert.deepEqual([capabilities.eventsTruncated, capabilities.traitsTruncated], [false, false]);
    assert.deepEqual(await house.differences(), {});
  });

  it("blur when a name was last seen where that was by somebody who is erased", async () => {
    const project = await house.project();
    await track(project, "ben", "paid");
    house.advance(5_000);
    await track(project, "anna", "paid");
    const lastSeen = async (): Promise<number> =>
      (await project.api.getAudienceCapabilities()).capabilities.events[0]?.lastSeenAt ?? 0;
    const hers = house.now();
    assert.equal(await lastSeen(), hers);
    house.advance(1_000);
    await project.api.eraseUser({ path: { id: "anna" } });
    const HOUR_MS = 3_600_000;
    const end = Math.floor(hers / HOUR_MS) * HOUR_MS + HOUR_MS - 1;
    assert.equal(await lastSeen(), Math.min(end, house.now()), "never in the future");
    const later = await house.project();
    await track(later, "carl", "paid");
    await track(later, "dora", "paid");
    house.advance(HOUR_MS);
    await later.api.eraseUser({ path: { id: "dora" } });
    const { events } = (await later.api.getAudienceCapabilities()).capabilities;
    const endThen = Math.floor((house.now() - HOUR_MS) / HOUR_MS) * HOUR_MS + HOUR_MS - 1;
    assert.equal(events[0]?.lastSeenAt, endThen, "not moved further than its hour");
    assert.deepEqual(await house.differences(), {});
  });

  it("stay exact whatever comes and goes, folded whenever", async () => {
    const project = await house.project();
    let seed = 7;
    const pick = (below: number): number => {
      seed = (seed * 1_103_515_245 + 12_345) % 2_147_483_648;
      return Math.floor((seed / 2_147_483_648) * below);
    };
    const steps: readonly (() => Promise<unknown>)[] = [
      () => track(project, `u${pick(5)}`, `e${pick(8)}`, { [`k${pick(5)}`]: pick(2) ? "x" : 1 }),
      () => track(project, `u${pick(5)}`, `e${pick(8)}`, { [`k${pick(5)}`]: null, [`k${pick(5)}`]: true }),
      () => identify(project, `u${pick(5)}`, { [`t${pick(7)}`]: pick(3) ? `v${pick(3)}` : pick(2) }),
      () => identify(project, `u${pick(5)}`, { [`t${pick(7)}`]: null }),
      () => project.api.eraseUser({ path: { id: `u${pick(5)}` } }).catch(() => undefined),
      () => project.api.getOverview(),
    ];
    for (let round = 0; round < 25; round++) {
      for (let step = 0; step < 12; step++) await steps[pick(steps.length)]?.();
      assert.deepEqual(await house.differences(), {}, `round ${round}`);
    }
    await project.api.getOverview();
    assert.deepEqual(await house.differences(), {});
    const rows = await rowsOf(project);
    assert.ok((rows.event_names ?? 0) <= 4 && (rows.event_properties ?? 0) <= 3 * 2 * 5 + 3 + 1);
    for (let user = 0; user < 5; user++)
      await project.api.eraseUser({ path: { id: `u${user}` } }).catch(() => undefined);
    await applyDeltas(house.tidings.app);
    assert.deepEqual(await rowsOf(project), {});
  });
});
