import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { testHouse } from "../../../test/harness.ts";
import { makePerson } from "../../../test/people.ts";
import { houseChecks } from "../../platform/checks.ts";
import { readMigrations } from "../../platform/db/migrate.ts";
import { processes } from "../../platform/loops/processes.ts";
import { newUuid } from "../../platform/uuid.ts";
import { beginRunAcrossProjects } from "./doctor-store.ts";

const house = testHouse({ secretKey: Buffer.alloc(32, "tidings tests") });

async function asOperator() {
  const person = await makePerson(house, { role: "owner", isOperator: true });
  return { person, api: createPeopleClient(house.url, person.headers("-")) };
}

const query = (text: string, values: readonly unknown[] = []) => house.database.pool.query(text, [...values]);

describe("the system", () => {
  it("has a number of rows only for tables that were counted", async () => {
    const { api } = await asOperator();
    const rowsOf = async (table: string) => {
      const { database } = await api.getSystem();
      return database.tables.find(({ name }) => name === table)?.rows;
    };
    // Of all tables, the largest: it is listed.
    await query(
      "create table largest as select n, repeat('x', 1000) as text from generate_series(1, 7000) n",
    );
    try {
      assert.equal(await rowsOf("largest"), null);
      await query("analyze largest");
      assert.equal(await rowsOf("largest"), 7_000);
    } finally {
      await query("drop table largest");
    }
  });

  it("says what runs, on what, and how far it is", async () => {
    const { api } = await asOperator();
    const gone = newUuid(1);
    await query(
      "insert into processes (lease_owner, serves, works, seen_at) values ($1, true, false, now() - interval '1 hour')",
      [gone],
    );
    await house.tidings.app.get(processes).startWorking();
    await query(
      "insert into loop_turns (name, due_at, failures) values ('stumbles', now() - interval '9 days', 3)",
    );
    try {
      const system = await api.getSystem();
      const names = (await readMigrations()).map(({ name }) => name);
      assert.equal(system.node, process.versions.node);
      assert.match(system.postgres, /^\d+\.\d+/);
      assert.match(system.version, /^\d+\.\d+\.\d+/);
      assert.ok(system.startedAt < house.now());
      const { migrations, tables, bytes } = system.database;
      assert.deepEqual(
        [migrations.applied, migrations.last, migrations.missing],
        [names.length, names.at(-1), 0],
      );
      assert.equal(tables.length, 10);
      assert.deepEqual(
        tables.map((each) => each.bytes),
        tables.map((each) => each.bytes).toSorted((a, b) => b - a),
      );
      assert.ok(bytes > (tables[0]?.bytes ?? 0));
      const [own] = system.processes.filter(({ isThis }) => isThis);
      assert.deepEqual([own?.works, own?.serves, own?.isStale], [true, false, false]);
      assert.deepEqual(system.queues, { mailDue: 0, mailUnknown: 0, pushDue: 0 });
      const [first] = system.turns;
      assert.deepEqual([first?.name, first?.failures, first?.isRunning], ["stumbles", 3, false]);
    } finally {
      await house.tidings.app.get(processes).leave();
    }
  });

  it("knows the disk of the folder of its data", async () => {
    const { api } = await asOperator();
    const { disk } = await api.getSystem();
    if (disk !== null) assert.ok(disk.freeBytes > 0 && disk.freeBytes <= disk.totalBytes);
  });
});

describe("the doctor of the dashboard", () => {
  it("looks once at a time, where a process works, and says what it found", async () => {
    const { person, api } = await asOperator();
    assert.deepEqual(await api.getDoctor(), { run: null });
    const answers = await Promise.all([api.runDoctor(), api.runDoctor(), api.runDoctor()]);
    for (const { run } of answers)
      assert.deepEqual([run?.state, run?.requestedBy, run?.findings], ["waiting", person.name, []]);
    assert.equal((await query("select 1 from doctor_runs")).rowCount, 1);
    await house.drain();
    const { run } = await api.getDoctor();
    const names = house.tidings.app
      .ask(houseChecks)()
      .map(({ name }) => name);
    assert.deepEqual(
      [run?.state, run?.differences, run?.fault, run?.checks],
      ["done", 0, null, names.length],
    );
    assert.deepEqual(
      run?.findings.map(({ name }) => name),
      [...names, "push: no provider refuses a credential"],
    );
    assert.equal(run?.endedAt, house.now());
    await house.drain();
    assert.deepEqual((await api.getDoctor()).run, run, "it does not look again by itself");
  });

  it("finds what the command finds, and forgets the run before", async () => {
    const { api } = await asOperator();
    const { projectId } = await house.project();
    await query(
      "insert into event_names (project_id, name, users, occurrences, last_seen_at) values ($1, 'paid', 1, 1, 1)",
      [projectId],
    );
    await api.runDoctor();
    await house.drain();
    const { run } = await api.getDoctor();
    const found = Object.fromEntries(
      (run?.findings ?? []).flatMap(({ name, differences }) =>
        differences > 0 ? [[name, differences]] : [],
      ),
    );
    assert.deepEqual(found, await house.differences());
    assert.ok((run?.differences ?? 0) > 0);
    assert.equal((await query("select 1 from doctor_runs")).rowCount, 1);
    await query("delete from event_names where project_id = $1", [projectId]);
  });

  it("ends what a process has begun that is gone, and is asked again", async () => {
    const { api } = await asOperator();
    await api.runDoctor();
    const { kysely } = house.database;
    const begun = await beginRunAcrossProjects(kysely, {
      leaseOwner: newUuid(house.now()),
      checks: 70,
      now: house.now(),
    });
    assert.ok(begun);
    assert.equal(
      (await api.runDoctor()).run?.state,
      "running",
      "it is still under way, as far as anybody knows",
    );
    await house.drain();
    const { run } = await api.getDoctor();
    assert.deepEqual([run?.state, run?.fault], ["failed", "The process that looked has ended. Ask again."]);
    await api.runDoctor();
    await house.drain();
    assert.equal((await api.getDoctor()).run?.state, "done");
  });

  it("says that it could not look, and looks again", async () => {
    const { api } = await asOperator();
    // No loop reads this table, so that the doctor alone fails for it.
    await query("alter table ai_billing_reports rename to away");
    try {
      await api.runDoctor();
      await house.drain().catch(() => undefined);
    } finally {
      await query("alter table away rename to ai_billing_reports");
    }
    const { run } = await api.getDoctor();
    assert.deepEqual([run?.state, run?.differences], ["failed", 0]);
    assert.match(run?.fault ?? "", /^The database could not be asked/);
  });

  it("leaves an entry in the audit log, of the organization", async () => {
    const { person, api } = await asOperator();
    await api.runDoctor();
    const { entries } = await api.listAuditEntries();
    const mine = entries.filter(({ by }) => by.id === person.id);
    assert.deepEqual(
      mine.map(({ operation }) => operation),
      ["runDoctor", "signIn"],
    );
    await house.drain();
  });
});
