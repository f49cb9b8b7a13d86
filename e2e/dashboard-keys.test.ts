import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import { createClient } from "@tidings/client";
import type { Page } from "playwright-core";
import { askAs } from "../apps/server/test/asking.ts";
import { until } from "../apps/server/test/commands/spawned.ts";
import { refusal, type TestProject } from "../apps/server/test/harness.ts";
import { makePerson, PASSWORD, signedInAgo, type TestPerson } from "../apps/server/test/people.ts";
import { keepSecrets } from "../apps/server/test/secrets/secrets-of-the-run.ts";
import {
  assertFaultlessEverywhere,
  cameIn,
  complaintsOf,
  dashboardUrl,
  hasFocus,
  openedBy,
  pageOf,
  takeByKeys,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();
const MINUTE_MS = 60_000;
/** Within this time a change of keys and sessions is felt. */
const BELIEVED_MS = 5_000;

/** The new key that a dialog shows. */
async function newKey(page: Page): Promise<string> {
  const key = (await page.getByLabel("New key", { exact: true }).textContent()) ?? "";
  keepSecrets(key);
  return key;
}

const works = (key: string) => createClient(house.url, key).listCampaigns();
const statusWith = async (key: string) => (await refusal(works(key))).status;

describe("a key", () => {
  it("is rotated by keyboard alone; the former one answers until its grace is over, then 401", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, person] = await openedBy(house, page, "owner");
    await signedInAgo(house, person, 11 * MINUTE_MS);
    house.advance(BELIEVED_MS + 1_000);
    await page.goto(pageOf(house, project, "keys"));
    await title(page, "Keys");
    await page.getByRole("button", { name: "Replace: Secret keys" }).press("Enter");
    const dialog = page.getByRole("dialog", { name: "Replace: Secret keys" });
    const replace = dialog.getByRole("button", { name: "Replace", exact: true });
    await hasFocus(replace);
    const grace = dialog.getByRole("combobox", { name: "The present ones work for" });
    await grace.focus();
    await page.keyboard.press("Enter");
    await takeByKeys(page, "1 hour");
    await until(async () => (await grace.inputValue()) === "1 hour", "the field says what was taken");
    await replace.press("Enter");
    const confirming = page.getByRole("dialog", { name: "Is it you?" });
    await hasFocus(confirming.locator("input[name=password]"));
    await page.keyboard.type(PASSWORD);
    await page.keyboard.press("Enter");
    const key = await newKey(page);
    await dialog.getByText(/^What was there before works until/).waitFor();
    const line = await dialog.getByLabel("So a server calls Tidings").textContent();
    assert.ok(line?.startsWith("curl ") && line.includes(key));
    await dialog.getByRole("button", { name: "Close", exact: true }).press("Enter");
    await page.getByRole("row", { name: new RegExp(`…${project.secretKey.slice(-4)} former`) }).waitFor();

    await works(key);
    await works(project.secretKey);
    house.advance(60 * MINUTE_MS + BELIEVED_MS);
    await works(key);
    assert.equal(await statusWith(project.secretKey), 401);
    assert.deepEqual(complaints, []);
  });

  it("is made beside the others, and revoked after a question", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "keys"));
    await page.getByRole("button", { name: "Make a key: Agent keys" }).click();
    await page.getByRole("button", { name: "Make it" }).click();
    const key = await newKey(page);
    await page.getByRole("dialog").getByRole("button", { name: "Close", exact: true }).click();
    await works(key);
    await works(project.agentKey);
    await page
      .getByRole("button", { name: `Revoke the key that ends in ${project.agentKey.slice(-4)}` })
      .click();
    const question = page.getByRole("dialog", { name: "Revoke this key?" });
    await question.getByRole("button", { name: "Revoke" }).click();
    await page.getByText("The key is revoked.").waitFor();
    house.advance(BELIEVED_MS);
    await works(key);
    assert.equal(await statusWith(project.agentKey), 401);
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("row", { name: /revoked a key/ }).waitFor();
    assert.ok(!(await page.content()).includes(key));
  });
});

describe("a send key", () => {
  it("is made where there was none, on a page that says what it may do", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "keys"));
    await page
      .getByText("Sends transactional mail, and reads what became of it. Nothing else.", { exact: true })
      .waitFor();
    await page.getByText("No key of this kind works now. Make one.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Replace: Send keys" }).count(), 0);
    await page.getByRole("button", { name: "Make a key: Send keys" }).click();
    const dialog = page.getByRole("dialog", { name: "Make a key: Send keys" });
    await dialog.getByRole("button", { name: "Make it" }).click();
    const key = await newKey(page);
    const line = await dialog.getByLabel("So a receipt is sent").textContent();
    assert.ok(
      line?.startsWith(`curl ${dashboardUrl(house)}/api/v1/send `) && line.includes(key),
      String(line),
    );
    await assertFaultlessEverywhere(page, "a new send key");
    await dialog.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("row", { name: new RegExp(`pk_send_…${key.slice(-4)}`) }).waitFor();
    assert.equal(await statusWith(key), 403);
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("row", { name: /made a key.*Send key/ }).waitFor();
    assert.ok(!(await page.content()).includes(key));
    assert.deepEqual(complaints, []);
  });
});

/** An operator who looks at all projects, of which one has an owner of its own. */
async function operating(page: Page): Promise<[TestProject, TestPerson]> {
  const project = await house.project();
  const operator = await makePerson(house, { role: "owner", isOperator: true });
  await cameIn(page.context(), house, operator);
  await page.goto(`${dashboardUrl(house)}/app/p/-/overview`);
  await title(page, "Projects");
  return [project, operator];
}

describe("a project", () => {
  it("is made with its keys, renamed, and deleted by its name", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    await operating(page);
    await page.getByRole("button", { name: "New project" }).press("Enter");
    await hasFocus(page.getByRole("dialog").getByLabel("Name"));
    await page.keyboard.type("Acme shop");
    await page.keyboard.press("Enter");
    const ready = page.getByRole("dialog", { name: "Acme shop is ready" });
    const secret = (await ready.getByLabel("Secret key, for your servers").textContent()) ?? "";
    keepSecrets(secret, (await ready.getByLabel("Agent key, for an agent of your own").textContent()) ?? "");
    await works(secret);
    await ready.getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: "Rename Acme shop" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Acme store");
    await page.keyboard.press("ControlOrMeta+s");
    await page.getByRole("link", { name: "Acme store" }).waitFor();
    await page.getByRole("button", { name: "Delete Acme store" }).click();
    const question = page.getByRole("dialog", { name: "Delete Acme store for good?" });
    const remove = question.getByRole("button", { name: "Delete for good" });
    await question.getByLabel("Type Acme store to confirm").fill("acme store");
    assert.equal(await remove.isDisabled(), true);
    await page.keyboard.press("ControlOrMeta+Enter");
    await question.getByLabel("Type Acme store to confirm").fill("Acme store");
    await remove.click();
    await page.getByText("Acme store is deleted.").waitFor();
    await page.getByRole("link", { name: "Acme store" }).waitFor({ state: "detached" });
    house.advance(BELIEVED_MS);
    assert.equal(await statusWith(secret), 401);
    await page.getByRole("link", { name: "Audit log" }).click();
    await page.getByRole("row", { name: /deleted a project.*name: Acme store/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("is renamed by its owner, who makes and deletes none", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    await house.project();
    await cameIn(page.context(), house, await makePerson(house, { role: "owner" }));
    await page.goto(`${dashboardUrl(house)}/app/p/-/overview`);
    await page.getByRole("button", { name: "Rename Test" }).first().waitFor();
    assert.equal(await page.getByRole("button", { name: "New project" }).count(), 0);
    assert.equal(await page.getByRole("button", { name: /^Delete/ }).count(), 0);
  });
});

describe("the audit log", () => {
  it("is narrowed to a person and a kind of change, and exported as it is seen", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, person] = await openedBy(house, page, "owner");
    const other = await makePerson(house, { role: "owner" });
    const { projectId } = project;
    const rename = (by: TestPerson, name: string) =>
      askAs(house, by, projectId, ["PUT", "/api/people/project/name", { name }]);
    await rename(person, "Mine");
    await rename(other, "Theirs");
    const changes = { changes: { "email.capMax": "5" } };
    await askAs(house, other, projectId, ["PATCH", "/api/people/settings", changes]);
    await page.goto(pageOf(house, project, "audit"));
    await page.getByRole("row", { name: /name: Test → Mine/ }).waitFor();
    await page.getByRole("combobox", { name: "Changed by" }).click();
    await page.getByRole("option", { name: other.name }).click();
    await page.getByRole("row", { name: /name: Test → Mine/ }).waitFor({ state: "detached" });
    await page.getByRole("combobox", { name: "Kind of change" }).click();
    await page.getByRole("option", { name: "Projects" }).click();
    await page.getByRole("row", { name: /changed settings/ }).waitFor({ state: "detached" });
    await page.getByRole("row", { name: /name: Mine → Theirs/ }).waitFor();
    await page.reload();
    await page.getByRole("row", { name: /name: Mine → Theirs/ }).waitFor();
    await page.getByRole("button", { name: "Export" }).click();
    const downloading = page.waitForEvent("download");
    await page.getByRole("button", { name: "Save", exact: true }).click();
    const file = await downloading;
    assert.match(file.suggestedFilename(), /^audit-log-\d{4}-\d\d-\d\d\.csv$/);
    const [, row = "", ...rest] = (await readFile(await file.path(), "utf8")).split("\r\n");
    assert.deepEqual(rest, [""]);
    assert.match(row, /renameProject.*Theirs/);
    assert.deepEqual(complaints, []);
  });
});

describe("the pages of keys, projects and the audit log", () => {
  it("are free of faults in every width and colour", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, operator] = await operating(page);
    const { projectId } = project;
    const long = "x".repeat(80);
    await askAs(house, operator, projectId, ["PUT", "/api/people/project/name", { name: long }]);
    const made = await askAs(house, operator, projectId, [
      "POST",
      "/api/people/keys/secret/rotate",
      { graceMinutes: 60 },
    ]);
    keepSecrets(String(made.body.key));
    await house.database.pool.query(
      "update api_keys set ending = null where project_id = $1 and kind = 'agent'",
      [projectId],
    );
    await page.goto(`${dashboardUrl(house)}/app/p/${projectId}/keys`);
    await page.getByText("former", { exact: true }).waitFor();
    await assertFaultlessEverywhere(page, "keys");
    await page.getByRole("button", { name: "Replace: Publishable keys" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the replacing of keys");
    await page.getByRole("dialog").getByRole("button", { name: "Replace", exact: true }).click();
    await newKey(page);
    await assertFaultlessEverywhere(page, "a new key");
    await page.getByRole("dialog").getByRole("button", { name: "Close", exact: true }).click();
    await page.getByRole("button", { name: /^Revoke the key that was made/ }).click();
    await page.getByRole("dialog", { name: "Revoke this key?" }).waitFor();
    await assertFaultlessEverywhere(page, "the question before a key is revoked");

    await page.goto(`${dashboardUrl(house)}/app/p/${projectId}/audit`);
    await page
      .getByRole("row", { name: /replaced keys/ })
      .first()
      .waitFor();
    await assertFaultlessEverywhere(page, "the audit log");
    await page.getByRole("button", { name: "Export" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the export");
    await page.goto(`${dashboardUrl(house)}/app/p/${projectId}/audit?kind=Users`);
    await page.getByText("Nothing like that was changed.").waitFor();
    await assertFaultlessEverywhere(page, "an audit log with nothing in it");

    await page.goto(`${dashboardUrl(house)}/app/p/-/overview`);
    await page.getByRole("link", { name: long }).waitFor();
    await assertFaultlessEverywhere(page, "projects");
    await page.getByRole("button", { name: `Delete ${long}` }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the question before a project is deleted");
    await page.keyboard.press("Escape");
    await page.getByRole("button", { name: "New project" }).click();
    await page.getByRole("dialog").getByLabel("Name").fill("Acme");
    await page.getByRole("dialog").getByRole("button", { name: "Make the project" }).click();
    const ready = page.getByRole("dialog", { name: "Acme is ready" });
    for (const name of ["Secret key, for your servers", "Agent key, for an agent of your own"])
      keepSecrets((await ready.getByLabel(name).textContent()) ?? "");
    await assertFaultlessEverywhere(page, "the keys of a new project");
    assert.deepEqual(complaints, []);
  });
});
