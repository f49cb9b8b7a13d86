import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { askAs } from "../../../test/asking.ts";
import { toast } from "../../../test/factories.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { clientOf, giveRole, makePerson, type TestPerson } from "../../../test/people.ts";

import { listAuditAuthors } from "./list-audit-authors.ts";
import { findAuthors } from "./store.ts";

const house = testHouse();

const rename = (person: TestPerson, { projectId }: TestProject, name: string) =>
  askAs(house, person, projectId, ["PUT", "/api/people/project/name", { name }]);

/** A project with changes by two of its owners. */
async function changed(): Promise<{ project: TestProject; ada: TestPerson; grace: TestPerson }> {
  const project = await house.project();
  const [ada, grace] = [await makePerson(house), await makePerson(house)];
  for (const person of [ada, grace]) await giveRole(house, project.projectId, person, "owner");
  await rename(ada, project, "One");
  await rename(grace, project, '=cmd|"x",\n2'.replace("\n", " "));
  await askAs(house, ada, project.projectId, [
    "PATCH",
    "/api/people/settings",
    { changes: { "email.postalAddress": 'Acme\\n"Oslo", Norway' } },
  ]);
  return { project, ada, grace };
}

const get = (person: TestPerson, { projectId }: TestProject, path: string) =>
  askAs(house, person, projectId, ["GET", `/api/people/audit${path}`]);

const operationsIn = ({ body }: { body: Record<string, unknown> }): string[] =>
  (body.entries as { operation: string }[]).map(({ operation }) => operation);

describe("the audit log", () => {
  it("is narrowed to a person, to operations, and to both", async () => {
    const { project, ada, grace } = await changed();
    assert.deepEqual(operationsIn(await get(ada, project, `?personId=${ada.id}`)), [
      "changePeopleSettings",
      "renameProject",
    ]);
    assert.deepEqual(operationsIn(await get(ada, project, "?operations=renameProject,createKey")), [
      "renameProject",
      "renameProject",
    ]);
    const both = `?personId=${grace.id}&operations=changePeopleSettings`;
    assert.deepEqual(operationsIn(await get(ada, project, both)), []);
    for (const query of [`?operations=${"x".repeat(4_001)}`, "?operations=", "?personId="])
      assert.equal((await get(ada, project, query)).status, 400, query);
  });

  it("lists what can be in it by kinds, each operation once and in words, also the steps of the sign-in", async () => {
    const { project, ada } = await changed();
    const { body } = await get(ada, project, "/kinds");
    const kinds = body.kinds as { name: string; operations: { id: string; did: string }[] }[];
    const wordsOf = (name: string) =>
      Object.fromEntries(
        (kinds.find((kind) => kind.name === name)?.operations ?? []).map(({ id, did }) => [id, did]),
      );
    assert.equal(wordsOf("Goals").createGoal, "made a goal");
    assert.equal(wordsOf("People").changePassword, "changed their password");
    const ids = kinds.flatMap(({ operations }) => operations.map(({ id }) => id));
    assert.equal(new Set(ids).size, ids.length);
    const done = operationsIn(await get(ada, project, ""));
    assert.ok(done.length > 0 && done.every((operation) => ids.includes(operation)), done.join());
  });

  it("says how the things are called that entries name, while they are there, and people to owners alone", async () => {
    const project = await house.project();
    const owner = await clientOf(house, project.projectId, "owner");
    const viewer = await clientOf(house, project.projectId, "viewer");
    const { client } = owner;
    const { goal } = await client.createGoal({ body: { name: "Sales", targetEvent: "paid" } });
    const { campaign } = await client.createCampaign({
      body: { name: "Hello", message: toast(), goalId: goal.id },
    });
    await client.updateGoal({ path: { id: goal.id }, body: { name: "More sales" } });
    await client.suppressEmailAddress({ body: { address: "ada@example.com" } });
    await client.setPersonRole({ path: { personId: viewer.person.id }, body: { role: "viewer" } });
    const namesFor = async (reader: typeof client) => {
      const { named } = await reader.listAuditEntries();
      return named.map(({ kind, id, name }) =>
        kind === "address" ? `${kind}: ${name}` : `${kind} ${id}: ${name}`,
      );
    };
    const things = [
      `address: ada@example.com`,
      `campaign ${campaign.id}: Hello`,
      `goal ${goal.id}: More sales`,
    ];
    const { email, name } = viewer.person;
    assert.deepEqual((await namesFor(client)).toSorted(), [...things, `person ${email}: ${name}`]);
    assert.deepEqual((await namesFor(viewer.client)).toSorted(), things);
    const other = await clientOf(house, (await house.project()).projectId, "owner");
    assert.deepEqual(await namesFor(other.client), []);
  });

  it("names those who changed something, by the name that they had last, and nobody of another project", async () => {
    const { project, ada, grace } = await changed();
    await changed();
    const { body } = await get(ada, project, "/authors");
    assert.deepEqual(
      body.authors,
      [ada, grace].map(({ id, name }) => ({ id, name })).toSorted((a, b) => a.name.localeCompare(b.name)),
    );
  });
});

describe("who changed some things", () => {
  it("is found by the things, and not by reading the whole log", async () => {
    const { project } = await changed();
    const { kysely, pool } = house.database;
    await pool.query(
      `insert into audit_entries (organization_id, project_id, at, by_kind, by_name, operation, target, detail)
      select organization_id, id, n, 'human', 'Ada', 'createSegment', 'seg_' || n, '{}'
      from projects, generate_series(1, 5000) n where id = $1`,
      [project.projectId],
    );
    await pool.query("analyze audit_entries");
    const found = await findAuthors(kysely, project.projectId, ["createSegment"], ["seg_7", "seg_8"]);
    assert.deepEqual([found.size, found.get("seg_7")?.get(7)], [2, "Ada"]);
    const { rows } = await pool.query<{ "QUERY PLAN": string }>(
      `explain select target, at, by_name from audit_entries
      where project_id = $1 and operation in ('createSegment') and target in ('seg_7', 'seg_8')`,
      [project.projectId],
    );
    assert.match(rows.map((row) => row["QUERY PLAN"]).join("\n"), /audit_entries_of_target/);
  });

  it("has its turn among the expensive reads where the whole log is read", () => {
    assert.equal(listAuditAuthors.spec.cost, "heavy");
  });
});

describe("the export of the audit log", () => {
  it("is every entry of the project, an entry a line, as the list has them", async () => {
    const { project, ada } = await changed();
    await changed();
    const { status, text, headers } = await get(ada, project, "/export");
    assert.equal(status, 200);
    assert.equal(headers.get("content-type"), "application/x-ndjson; charset=utf-8");
    assert.match(
      headers.get("content-disposition") ?? "",
      /^attachment; filename="audit-log-\d{4}-\d\d-\d\d\.ndjson"$/,
    );
    const lines = text
      .trimEnd()
      .split("\n")
      .map((line) => JSON.parse(line));
    const entries = lines.map(({ projectName: _p, targetName: _t, names: _n, ...entry }) => entry);
    assert.deepEqual(entries, (await get(ada, project, "")).body.entries);
    const narrowed = await get(ada, project, `/export?personId=${ada.id}&operations=renameProject`);
    assert.equal(narrowed.text.trimEnd().split("\n").length, 1);
  });

  it("is a table that spreadsheets read, in which no text is a formula", async () => {
    const { project, ada } = await changed();
    const { text, headers } = await get(ada, project, "/export?format=csv");
    assert.equal(headers.get("content-type"), "text/csv; charset=utf-8");
    const [head = "", ...rows] = text.split("\r\n");
    assert.equal(
      head,
      "id,at,project,projectName,by,byKind,byId,operation,target,targetName,fields,before,after,names,requestId",
    );
    assert.equal(rows.length, 4, "three entries, and the end of the last line");
    assert.match(text, /"\{""name"":""One""\}"/);
    assert.doesNotMatch(text, /(^|,)[=+\-@]/m);
  });

  it("has the names of what is there still beside the ids, and of no other project", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const owner = await clientOf(house, project.projectId, "owner");
    await giveRole(house, other.projectId, owner.person, "owner");
    const { goal } = await owner.client.createGoal({ body: { name: "=Sales", targetEvent: "paid" } });
    const { campaign } = await owner.client.createCampaign({
      body: { name: "Spring", channel: "web_inapp", message: toast("Hi") },
    });
    const after = { goalId: goal.id, projectIds: [project.projectId, other.projectId] };
    await house.database.pool.query(
      `insert into audit_entries (organization_id, project_id, at, by_kind, by_name, operation, target, detail)
      select organization_id, id, 1, 'command', 'test', 'none', $2, $3 from projects where id = $1`,
      [project.projectId, campaign.id, { after }],
    );
    const { text } = await get(owner.person, project, "/export");
    const [line] = text.split("\n");
    const { targetName, projectName, names } = JSON.parse(line ?? "");
    const known = { [project.projectId]: "Test", [goal.id]: "=Sales" };
    assert.deepEqual([targetName, projectName, names], ["Spring", "Test", known]);
    const { text: table } = await get(owner.person, project, "/export?format=csv");
    const [, row = ""] = table.split("\r\n");
    assert.ok(row.includes(`,${campaign.id},Spring,`), row);
    assert.ok(row.includes(`""${goal.id}"":""=Sales""`), row);
  });

  it("is whole where it is longer than one piece, and has nothing that came meanwhile", async () => {
    const { project, ada } = await changed();
    await house.database.pool.query(
      `insert into audit_entries (organization_id, project_id, at, by_kind, by_name, operation, detail)
      select organization_id, id, 1, 'command', 'test', 'none', '{}' from projects, generate_series(1, 1200)
      where id = $1`,
      [project.projectId],
    );
    const { text } = await get(ada, project, "/export");
    const ids = text
      .trimEnd()
      .split("\n")
      .map((line) => (JSON.parse(line) as { id: number }).id);
    assert.equal(ids.length, 1_203);
    assert.deepEqual(
      ids,
      ids.toSorted((a, b) => b - a),
    );
    assert.equal(new Set(ids).size, ids.length);
  });

  it("of the organization has the entries of all projects", async () => {
    const { project } = await changed();
    const boss = await makePerson(house, { role: "owner" });
    const { text } = await askAs(house, boss, "-", ["GET", "/api/people/audit/export"]);
    assert.ok(text.includes(project.projectId));
  });
});
