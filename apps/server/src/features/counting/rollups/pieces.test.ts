import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { describe, it } from "node:test";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import { defaultLimits } from "../../../platform/limits.ts";
import { applyDeltas, readEvents } from "./public.ts";
import { MAX_COUNTED_KEYS, shapeOf } from "./rules.ts";

// Reads of a project take turns and may wait up to a second each in these tests; the long wait keeps them from being refused.
const house = testHouse({ limits: { ...defaultLimits, eventPropertyKeys: 60, heavyReadWaitMs: 60_000 } });

const track = ({ sdk }: TestProject, userId: string, event: string, props: Record<string, unknown> = {}) =>
  sdk.track({ body: { userId, event, props } });

const deltasOf = async ({ projectId }: TestProject): Promise<{ id: number; fault: string | null }[]> =>
  (
    await house.database.pool.query<{ id: number; fault: string | null }>(
      "select id, fault from rollup_deltas where project_id = $1 order by id",
      [projectId],
    )
  ).rows;

const delta = ({ projectId }: TestProject, facts: unknown) =>
  house.database.pool.query("insert into rollup_deltas (lane, project_id, facts) values (0, $1, $2)", [
    projectId,
    JSON.stringify(facts),
  ]);

/** Locks the rollups of a project, so that nothing can be added to them meanwhile. */
async function whileLocked<T>({ projectId }: TestProject, act: () => Promise<T>): Promise<T> {
  const client = await house.database.pool.connect();
  try {
    await client.query("begin");
    await client.query("select from event_names where project_id = $1 for update", [projectId]);
    return await act();
  } finally {
    await client.query("rollback");
    client.release();
  }
}

/** The counts that each read of the rollups shows, and how far each says that it is behind. */
async function readAll({ api }: TestProject) {
  const [overview, metrics, events, { capabilities }] = await Promise.all([
    api.getOverview(),
    api.getMetrics(),
    api.listEvents(),
    api.getAudienceCapabilities(),
  ]);
  return {
    counts: [overview.eventsLast7d, metrics.totals.events, events.total, capabilities.events[0]?.occurrences],
    behind: [overview, metrics, events, capabilities].map(({ countedThrough }) => countedThrough),
  };
}

const UP_TO_DATE = [undefined, undefined, undefined, undefined];

describe("reads of the rollups", () => {
  it("do not wait for those of another project, and say how far their own are behind", async () => {
    const [slow, quick] = [await house.project(), await house.project()];
    for (const project of [slow, quick]) {
      await track(project, "anna", "paid");
      assert.deepEqual(await readAll(project), { counts: [1, 1, 1, 1], behind: UP_TO_DATE });
      await track(project, "anna", "paid");
    }
    await whileLocked(slow, async () => {
      assert.deepEqual(await readAll(quick), { counts: [2, 2, 2, 2], behind: UP_TO_DATE });
      const { counts, behind } = await readAll(slow);
      // The list of events does not read the rollups, so it has both events.
      assert.deepEqual(counts, [1, 1, 2, 1]);
      for (const at of behind) assert.ok(at !== undefined && at <= house.now(), String(at));
    });
    assert.deepEqual(await readAll(slow), { counts: [2, 2, 2, 2], behind: UP_TO_DATE });
    assert.deepEqual(await house.differences(), {});
  });

  it("take one connection, however many there are", async () => {
    const project = await house.project();
    await track(project, "anna", "paid");
    await readAll(project);
    await track(project, "anna", "paid");
    await whileLocked(project, async () => {
      const reads = Array.from({ length: 12 }, () => project.api.getOverview());
      const waiting = async (): Promise<number> => {
        const { rows } = await house.database.pool.query<{ waiting: number }>(
          "select count(*)::int as waiting from pg_stat_activity where datname = current_database() and wait_event_type = 'Lock'",
        );
        return rows[0]?.waiting ?? 0;
      };
      let most = 0;
      const watching = (async () => {
        let isOver = false;
        const all = Promise.all(reads).then(() => {
          isOver = true;
        });
        while (!isOver) most = Math.max(most, await waiting());
        await all;
      })();
      await watching;
      assert.ok(most <= 1, `${most} connections waited`);
      for (const read of reads) assert.notEqual((await read).countedThrough, undefined);
    });
    assert.deepEqual((await readAll(project)).counts, [2, 2, 2, 2]);
  });

  it("are exact after more deltas than one piece has room for", async () => {
    const project = await house.project();
    const facts = [["delivery", 20_000, 1, 1, 0]];
    const { projectId } = project;
    await house.database.pool.query(
      "insert into rollup_deltas (lane, project_id, facts) select 0, $1, $2 from generate_series(1, 1100)",
      [projectId, JSON.stringify(facts)],
    );
    assert.equal((await project.api.getOverview()).countedThrough, undefined);
    assert.deepEqual(await deltasOf(project), []);
    const { rows } = await house.database.pool.query(
      "select shown from delivery_days where project_id = $1",
      [projectId],
    );
    assert.deepEqual(rows, [{ shown: 1_100 }]);
    await house.database.pool.query("delete from delivery_days where project_id = $1", [projectId]);
  });
});

describe("a delta that cannot be added up", () => {
  const FAULTY: readonly unknown[] = [
    [["event", "x", "not a day", [], 1, 1]],
    [["event", "x", 20_000, "no shape", 1, 1]],
    [["event", "x", 20_000, [["key"]], 1, 1]],
    [["event", null, 20_000, [], 1, 1]],
    [["trait", randomBytes(4_000).toString("hex"), "string", 1]],
    "no list",
  ];

  it("is put aside, found by the doctor, and stops neither its project nor another", async () => {
    const [project, other] = [await house.project(), await house.project()];
    for (const facts of FAULTY) {
      await track(project, "anna", "paid");
      await delta(project, facts);
    }
    await track(project, "anna", "paid");
    await track(other, "anna", "paid");
    const found = await house.differences();
    assert.equal(
      found["deltas: each can be added to the rollups"],
      4,
      "those that can be told by their form",
    );
    assert.deepEqual((await readAll(other)).counts, [1, 1, 1, 1]);
    assert.deepEqual(await readAll(project), { counts: [7, 7, 7, 7], behind: UP_TO_DATE });
    const left = await deltasOf(project);
    assert.equal(left.length, FAULTY.length);
    assert.ok(left.every(({ fault }) => fault !== null));
    await applyDeltas(house.tidings.app);
    assert.deepEqual(await house.differences(), {
      "deltas: each can be added to the rollups": FAULTY.length,
    });
    await house.database.pool.query("delete from rollup_deltas where project_id = $1", [project.projectId]);
    assert.deepEqual(await house.differences(), {});
  });
});

describe("the properties of an event", () => {
  it("are noted up to fifty, the same ones when it is erased", async () => {
    const project = await house.project();
    // Beyond the Basic Multilingual Plane, UTF-16 sorts differently than UTF-8 bytes do.
    const keys = [
      ...Array.from({ length: 60 }, (_, i) => `k${String(i).padStart(2, "0")}`),
      "\u{1f600}",
      "\uffee",
    ];
    const props = Object.fromEntries(keys.map((key) => [key, 1]));
    const many = Object.fromEntries(
      Array.from({ length: 52 }, (_, i) => [i % 2 ? `\u{1f600}${i}` : `\uffee${i}`, 1]),
    );
    assert.equal(JSON.parse(shapeOf(props)).length, MAX_COUNTED_KEYS);
    await track(project, "anna", "wide", props);
    await track(project, "anna", "wider", many);
    assert.deepEqual(await house.differences(), {});
    await project.api.getOverview();
    const known = await readEvents(house.database.kysely, project.projectId, { limit: 10, properties: 100 });
    assert.deepEqual(
      known.map(({ properties }) => properties.length),
      [MAX_COUNTED_KEYS, MAX_COUNTED_KEYS],
    );
    assert.deepEqual(await house.differences(), {});
    await project.api.eraseUser({ path: { id: "anna" } });
    await project.api.getOverview();
    const { rows } = await house.database.pool.query(
      "select key from event_properties where project_id = $1",
      [project.projectId],
    );
    assert.deepEqual([rows, await house.differences()], [[], {}]);
  });
});
