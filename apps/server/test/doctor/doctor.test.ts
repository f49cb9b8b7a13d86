import assert from "node:assert/strict";
import { before, describe, it } from "node:test";
import type { PoolClient } from "pg";
import { checks } from "../../src/features.ts";
import type { TestProject } from "../harness.ts";
import { observingStage } from "../observing.ts";
import { isBrief } from "../rounds.ts";
import { damages, PROJECT } from "./damages.ts";
import { doctorWorld } from "./world.ts";

const stage = await observingStage();
const { house } = stage;

let project: TestProject;
let neighbour: TestProject;

/** Runs statements on one connection, past triggers and foreign keys: damage obeys no rule. */
async function unguarded(act: (client: PoolClient) => Promise<void>): Promise<void> {
  const client = await house.database.pool.connect();
  try {
    await client.query("set session_replication_role = replica");
    await act(client);
  } finally {
    await client.query("reset session_replication_role");
    client.release();
  }
}

type Findings = Record<string, number>;

/** What the doctor says of everything, of the project and of its neighbour. A brief run asks of the project alone. */
async function lookEverywhere(): Promise<{ project: Findings; all?: Findings; neighbour?: Findings }> {
  const ofProject = await house.differences(project.projectId);
  if (isBrief()) return { project: ofProject };
  return {
    project: ofProject,
    all: await house.differences(),
    neighbour: await house.differences(neighbour.projectId),
  };
}

/** What the doctor says while the damage is done. */
async function findings(statement: string) {
  const tables = [...new Set([...statement.matchAll(/(?:update|into|from) (\w+)/g)].map(([, name]) => name))];
  const { rows } = await house.database.pool.query<{ name: string }>(
    "select tablename as name from pg_tables where schemaname = 'public' and tablename = any($1)",
    [tables],
  );
  let found: Awaited<ReturnType<typeof lookEverywhere>> | null = null;
  await unguarded(async (client) => {
    for (const { name } of rows)
      await client.query(`create temp table "saved_${name}" as select * from public."${name}"`);
    const damaged = await client.query(statement.replaceAll(PROJECT, `'${project.projectId}'`));
    assert.ok(damaged.rowCount, statement);
    found = await lookEverywhere();
    for (const { name } of rows) {
      await client.query(`delete from public."${name}"`);
      await client.query(
        `insert into public."${name}" overriding system value select * from "saved_${name}"`,
      );
      await client.query(`drop table "saved_${name}"`);
    }
  });
  return found;
}

describe("the doctor", () => {
  before(async () => {
    project = await doctorWorld(stage);
    neighbour = await house.project();
  });

  it("finds a house healthy in which everything has happened", async () => {
    assert.deepEqual(await house.differences(), {});
    assert.deepEqual(await house.differences(project.projectId), {});
  });

  for (const [name, { by, rows = 1, also = {}, ofOrganization = false }] of Object.entries(damages))
    it(`finds, and only there: ${name}`, async () => {
      const wanted = { ...also, [name]: rows };
      const elsewhere = { all: wanted, neighbour: ofOrganization ? wanted : {} };
      assert.deepEqual(await findings(by), { project: wanted, ...(isBrief() ? {} : elsewhere) });
    });

  it("is tried on every check, and leaves the house as it was", async () => {
    assert.deepEqual(Object.keys(damages).sort(), checks.map(({ name }) => name).sort());
    assert.deepEqual(await house.differences(), {});
  });

  it("leaves none of the views behind by which it looks at one project", async () => {
    const { rows } = await house.database.pool.query(
      "select count(*) as left from pg_views where schemaname ~ '^pg_temp'",
    );
    assert.deepEqual(rows, [{ left: 0 }]);
  });
});
