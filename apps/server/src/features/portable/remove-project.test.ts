import assert from "node:assert/strict";
import { access, mkdir } from "node:fs/promises";
import { join } from "node:path";
import { it } from "node:test";
import { askAs } from "../../../test/asking.ts";
import { launchCampaign } from "../../../test/factories.ts";
import { mirrorsFolder } from "../../../test/from-code.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { makePerson } from "../../../test/people.ts";
import { chosenProject } from "../access/public.ts";
import { deleteClosedProjects } from "./delete-project.ts";

const dataDir = mirrorsFolder();
const house = testHouse({ dataDir });
/** Until then a server may still write for a project whose keys are gone. */
const KEYS_ARE_FORGOTTEN_MS = 6_000;

/** Tables that have rows of a project. */
async function tablesOf({ projectId }: TestProject): Promise<string[]> {
  const { pool } = house.database;
  const { rows } = await pool.query<{ name: string }>(
    `select c.relname as name from pg_class c join pg_attribute a on a.attrelid = c.oid and not a.attisdropped
    where c.relkind = 'r' and c.relnamespace = current_schema()::regnamespace and a.attname = 'project_id'`,
  );
  const found = await Promise.all(
    rows.map(async ({ name }) => {
      const { rowCount } = await pool.query(`select from "${name}" where project_id = $1 limit 1`, [
        projectId,
      ]);
      return rowCount === 0 ? [] : [name];
    }),
  );
  return found.flat().sort();
}

const deleteDue = () => deleteClosedProjects(house.tidings.app, new AbortController().signal);

it("a project is deleted: gone at once, empty soon after, and told of in the log of all projects", async () => {
  const operator = await makePerson(house, { role: "owner", isOperator: true });
  const [doomed, neighbour] = [await house.project(), await house.project()];
  for (const each of [doomed, neighbour]) {
    await launchCampaign(each);
    await each.sdk.identify({ body: { userId: "ada" } });
    await each.sdk.track({ body: { userId: "ada", event: "came" } });
  }
  await askAs(house, operator, doomed.projectId, ["PUT", "/api/people/project/name", { name: "Doomed" }]);
  const before = await tablesOf(neighbour);
  const remove = () => askAs(house, operator, "-", ["DELETE", `/api/people/projects/${doomed.projectId}`]);

  const answers = await Promise.all([remove(), remove()]);
  assert.deepEqual(answers.map(({ status }) => status).sort(), [204, 404]);
  const me = await askAs(house, operator, "-", ["GET", "/api/people/me"]);
  const ids = (me.body.projects as { id: string }[]).map(({ id }) => id);
  assert.ok(!ids.includes(doomed.projectId) && ids.includes(neighbour.projectId));
  await assert.rejects(chosenProject(house.database.kysely, doomed.projectId), /There is no project/);
  house.advance(KEYS_ARE_FORGOTTEN_MS - 1);
  assert.equal((await refusal(doomed.api.listCampaigns())).status, 401);
  assert.equal((await askAs(house, operator, doomed.projectId, ["GET", "/api/people/keys"])).status, 404);
  await deleteDue();
  assert.ok((await tablesOf(doomed)).includes("users"), "nothing goes while a server may write");

  house.advance(1);
  await deleteDue();
  assert.deepEqual(await tablesOf(doomed), []);
  await deleteDue();
  assert.deepEqual(await tablesOf(neighbour), before);
  await neighbour.api.listCampaigns();
  const { rows } = await house.database.pool.query(
    "select operation, detail from audit_entries where target = $1 and project_id is null",
    [doomed.projectId],
  );
  assert.deepEqual(rows, [{ operation: "removeProject", detail: { before: { name: "Doomed" } } }]);
});

it("a deletion that was interrupted is finished by the loop of a server", async () => {
  const project = await house.project();
  await project.sdk.identify({ body: { userId: "ada" } });
  const { pool } = house.database;
  await pool.query("update projects set deleted_at = $2 where id = $1", [
    project.projectId,
    house.now() - KEYS_ARE_FORGOTTEN_MS,
  ]);
  const mirror = join(dataDir, "mirrors", project.projectId, "a mirror");
  await mkdir(mirror, { recursive: true });
  await house.drain();
  assert.deepEqual(await tablesOf(project), []);
  await assert.rejects(access(mirror), "what was fetched from its repositories goes as well");
  const { rows } = await pool.query("select from projects where id = $1", [project.projectId]);
  assert.deepEqual(rows, []);
});
