import assert from "node:assert/strict";
import { existsSync, readdirSync } from "node:fs";
import { join } from "node:path";
import { describe, it, type TestContext } from "node:test";
import type { Locator, Page } from "playwright-core";
import type { TestProject } from "../apps/server/test/harness.ts";
import { type S3Peer, startS3 } from "../apps/server/test/peers/s3.ts";
import { clientOf, giveRole, makePerson, PASSWORD, signedInAgo } from "../apps/server/test/people.ts";
import { keepSecrets } from "../apps/server/test/secrets/secrets-of-the-run.ts";
import {
  assertFaultlessEverywhere,
  cameIn,
  complaintsOf,
  hasFocus,
  openedBy,
  PHONE,
  pageOf,
  title,
} from "./dashboard.ts";
import { filesFolder } from "./every-page.ts";
import { testStage } from "./stage.ts";

const syncsFolder = filesFolder();
const { house, page: newPage, visitor } = testStage({ syncsFolder, syncsPrivate: true });

const MINUTE_MS = 60_000;
/** Within this time a change of a session is felt. */
const BELIEVED_MS = 5_000;

const button = (page: Page | Locator, name: string) => page.getByRole("button", { name, exact: true });
const dialogOf = (page: Page, name: string) => page.getByRole("dialog", { name, exact: true });
const field = (form: Locator, name: string) => form.getByRole("textbox", { name, exact: true });
const secretOf = (form: Locator) => form.locator("input[name=secretAccessKey]");
const box = (form: Locator, name: string) => form.getByRole("checkbox", { name, exact: true });
const radio = (form: Locator, name: string) => form.getByRole("radio", { name, exact: true });
/** The rows below the head of a part of the page. */
const rowsOf = (page: Page, part: string) =>
  page
    .getByRole("region", { name: part, exact: true })
    .getByRole("row")
    .filter({ has: page.getByRole("cell") });
const written = (page: Page) => rowsOf(page, "What was written");

let folders = 0;
/** The name of a folder that no other test writes to. */
const newFolder = (): string => `warehouse-${++folders}`;

/** Events that arrived some hours ago, so that their hour is over. */
async function seenBefore({ api, projectId }: TestProject, count: number): Promise<void> {
  for (let n = 0; n < count; n++)
    await api.track({ body: { userId: `user-${n}`, event: "seen", props: { n } } });
  await house.database.pool.query(
    "update events set recorded_at = recorded_at - 7200000 where project_id = $1",
    [projectId],
  );
}

type Made = { to?: { folder: string } | { s3: object }; lists?: readonly ("events" | "users")[] };

/** A sync that the API has made, by its id. */
async function madeFor(
  project: TestProject,
  { to, lists = ["events", "users"] }: Made = {},
): Promise<string> {
  const { client } = await clientOf(house, project.projectId, "owner");
  const { sync } = await client.createSync({
    body: {
      lists: [...lists],
      format: "csv",
      every: "hour",
      to: (to ?? { folder: newFolder() }) as { folder: string },
    },
  });
  return sync.id;
}

/** A store that speaks S3, for one test. */
async function openStore(t: TestContext): Promise<S3Peer> {
  const store = await startS3();
  keepSecrets(store.key.secretAccessKey);
  t.after(() => store.close());
  return store;
}

/** A place in a store, as the API takes it. */
const bucketOf = ({ url, region, bucket, key }: S3Peer, prefix: string) => ({
  s3: { endpoint: url, region, bucket, prefix, ...key },
});

describe("a sync", () => {
  it("to a folder is made by an owner, who sees what is written", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project, person] = await openedBy(house, page, "owner");
    await seenBefore(project, 3);
    const folder = newFolder();
    await page.goto(pageOf(house, project, "syncs"));
    await page.getByText("There is no sync yet.").waitFor();
    await signedInAgo(house, person, 11 * MINUTE_MS);
    house.advance(BELIEVED_MS + 1_000);
    await button(page, "New sync").click();
    const form = dialogOf(page, "New sync");
    assert.ok(await box(form, "Events").isChecked());
    assert.ok(await box(form, "Users").isChecked());
    assert.ok(await radio(form, "Parquet").isChecked());
    assert.equal(await field(form, "Path in the bucket").inputValue(), "tidings/test");
    assert.ok(await button(form, "Make the sync").isDisabled());
    await radio(form, "A folder of this server").check();
    assert.equal(await field(form, "Name of the folder").inputValue(), "test");
    await field(form, "Name of the folder").fill(folder);
    await button(form, "Make the sync").click();
    await dialogOf(page, "Is it you?").locator("input[name=password]").fill(PASSWORD);
    await button(page, "Confirm").click();

    await title(page, folder);
    await page.getByText("about to begin").waitFor();
    await page.getByText("Nothing was written yet.").waitFor();
    await house.drain();
    await page.getByText("up to date").waitFor();
    await written(page).nth(1).waitFor();
    assert.equal(await written(page).count(), 2);
    const events = written(page).filter({ hasText: "events/date=" });
    await events.getByRole("cell", { name: "3", exact: true }).waitFor();
    const progress = rowsOf(page, "How far each list is");
    await progress.filter({ hasText: "Users" }).getByRole("cell", { name: "3", exact: true }).waitFor();
    const files = readdirSync(join(syncsFolder, folder), { recursive: true }).map(String);
    assert.equal(files.filter((name) => name.endsWith(".parquet")).length, 2);

    await page.getByRole("combobox", { name: "List", exact: true }).click();
    await page.getByRole("option", { name: "Users", exact: true }).click();
    await events.waitFor({ state: "detached" });
    await written(page).nth(0).waitFor();
    assert.equal(await written(page).count(), 1);
    await page.reload();
    await written(page).filter({ hasText: "users/date=" }).waitFor();
    assert.equal(await written(page).count(), 1);

    await page.getByRole("link", { name: "All syncs", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: folder });
    await row.getByText("Events, Users", { exact: true }).waitFor();
    await row.getByText("Parquet, every hour", { exact: true }).waitFor();
    await row.getByText("up to date", { exact: true }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("is refused where another one writes, and the form says so at the field", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    const folder = newFolder();
    await madeFor(project, { to: { folder } });
    await page.goto(pageOf(house, project, "syncs"));
    await button(page, "New sync").click();
    const form = dialogOf(page, "New sync");
    await radio(form, "A folder of this server").check();
    const name = field(form, "Name of the folder");
    await name.fill(folder);
    await button(form, "Make the sync").click();
    await form
      .getByRole("alert")
      .getByText(/^Another sync writes there/)
      .waitFor();
    assert.equal(await name.getAttribute("aria-invalid"), "true");
    await name.fill("no folder");
    await button(form, "Make the sync").click();
    await form.getByText(/^must begin with a letter or a digit/).waitFor();
    await form
      .getByRole("alert")
      .getByText(/^Name of the folder must begin with/)
      .waitFor();
    const free = newFolder();
    await name.fill(free);
    await button(form, "Make the sync").click();
    await title(page, free);
  });

  it("to a bucket says what the store answers, until it has keys that work", async (t) => {
    house.at(Date.now());
    const store = await openStore(t);
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "owner");
    await seenBefore(project, 2);
    await page.goto(pageOf(house, project, "syncs"));
    await button(page, "New sync").click();
    const form = dialogOf(page, "New sync");
    await field(form, "Address of the store").fill(`${store.url}/lake`);
    await field(form, "Region").fill(store.region);
    await field(form, "Bucket").fill(store.bucket);
    await field(form, "Path in the bucket").fill("tidings/shop");
    await field(form, "Key ID").fill(store.key.accessKeyId);
    const secret = secretOf(form);
    assert.equal(await secret.getAttribute("type"), "password");
    await secret.fill("another-secret");
    await button(form, "Make the sync").click();
    await form.getByText(/^must be an address alone/).waitFor();
    await field(form, "Address of the store").fill(store.url);
    await button(form, "Make the sync").click();
    await form
      .getByRole("alert")
      .getByText(/SignatureDoesNotMatch/)
      .waitFor();
    await secret.fill(store.key.secretAccessKey);
    await button(form, "Make the sync").click();
    await title(page, "lake/tidings/shop");
    await page.getByText(`With the key ${store.key.accessKeyId}.`).waitFor();
    assert.ok(!(await page.content()).includes(store.key.secretAccessKey));

    store.behave(() => ({ status: 403, code: "AccessDenied" }));
    await house.drain();
    await page.getByText(/^It has been failing since/).waitFor();
    await page.getByText(/^The last attempt: .*AccessDenied/).waitFor();
    await page.getByRole("link", { name: "All syncs", exact: true }).click();
    const row = page.getByRole("row").filter({ hasText: "lake/tidings/shop" });
    await row.getByText("failing", { exact: true }).waitFor();
    await row.getByText(/AccessDenied/).waitFor();
    await row.getByRole("link").click();

    await button(page, "New keys").click();
    const renewing = dialogOf(page, "New keys");
    const key = secretOf(renewing);
    await hasFocus(field(renewing, "Key ID"));
    await field(renewing, "Key ID").fill(store.key.accessKeyId);
    await key.fill("another-secret");
    await button(renewing, "Save").click();
    await renewing
      .getByRole("alert")
      .getByText(/AccessDenied/)
      .waitFor();
    store.behave(() => null);
    await key.fill(store.key.secretAccessKey);
    await button(renewing, "Save").click();
    await page.getByText("The sync has the new keys.").waitFor();
    await button(page, "Write now").click();
    await page.getByText("What is due is written now.").waitFor();
    await house.drain();
    await page.getByText("up to date").waitFor();
    await written(page).nth(1).waitFor();
    assert.equal(await written(page).count(), 2);
    await page.getByText(/^It has been failing since/).waitFor({ state: "detached" });
    assert.ok([...store.objects.keys()].some((name) => name.startsWith("tidings/shop/events/date=")));
    assert.deepEqual(complaints, []);
  });

  it("is switched off and on, gets another list, and is deleted while its files stay", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    const folder = newFolder();
    const id = await madeFor(project, { to: { folder }, lists: ["users"] });
    await page.goto(pageOf(house, project, `syncs/${id}`));
    await button(page, "Switch off").click();
    await button(dialogOf(page, "Switch this sync off?"), "Switch off").click();
    await page.getByText("It is off", { exact: true }).waitFor();
    assert.equal(await button(page, "Write now").getAttribute("aria-disabled"), "true");
    assert.equal(await button(page, "New keys").count(), 0);
    await house.drain();
    assert.ok(!existsSync(join(syncsFolder, folder, "users")));
    await button(page, "Switch on").click();
    await button(dialogOf(page, "Switch this sync on?"), "Switch on").click();
    await page.getByText("The sync is on.").waitFor();
    await house.drain();
    await written(page).filter({ hasText: "users/date=" }).waitFor();

    await button(page, "Change lists").click();
    const changing = dialogOf(page, "Change which lists are written");
    await box(changing, "Users").uncheck();
    await changing.getByText("Choose one list or more.").waitFor();
    assert.ok(await button(changing, "Save").isDisabled());
    await box(changing, "Users").check();
    await box(changing, "Gets no mail").check();
    await button(changing, "Save").click();
    await page.getByText("The lists are changed.").waitFor();
    await house.drain();
    await written(page).filter({ hasText: "suppressions/date=" }).waitFor();
    await written(page).nth(1).waitFor();
    assert.equal(await written(page).count(), 2);

    await button(page, "Delete").click();
    await button(dialogOf(page, "Delete this sync?"), "Delete").click();
    await page.getByText("There is no sync yet.").waitFor();
    assert.ok(existsSync(join(syncsFolder, folder, "users")));
    await button(page, "New sync").click();
    const form = dialogOf(page, "New sync");
    await radio(form, "A folder of this server").check();
    await field(form, "Name of the folder").fill(folder);
    await button(form, "Make the sync").click();
    await form
      .getByRole("alert")
      .getByText(/^Another sync writes there, or has written there/)
      .waitFor();
  });

  it("shows what it has written page by page", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    const id = await madeFor(project, { lists: ["events"] });
    await house.drain();
    // Hours of before: each of them would take an hour.
    await house.database.pool.query(
      `insert into sync_windows (sync_id, list, until, project_id, since, folder, files, rows, bytes, begun_at, ended_at)
       select w.sync_id, w.list, w.until - n * 3600000, w.project_id, w.until - (n + 1) * 3600000, 'events/hour=' || n, w.files, w.rows,
         w.bytes, w.begun_at, w.ended_at
       from sync_windows w, generate_series(1, 29) n where w.project_id = $1`,
      [project.projectId],
    );
    await page.goto(pageOf(house, project, `syncs/${id}`));
    await written(page).nth(24).waitFor();
    assert.equal(await written(page).count(), 25);
    await button(page, "Older").click();
    await button(page, "Newest").waitFor();
    await written(page).nth(5).waitFor({ state: "detached" });
    await written(page).nth(4).waitFor();
    assert.equal(await written(page).count(), 5);
    await button(page, "Newest").click();
    await written(page).nth(24).waitFor();
  });

  it("is made by keys alone", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "owner");
    await page.goto(pageOf(house, project, "syncs"));
    await button(page, "New sync").press("Enter");
    const form = dialogOf(page, "New sync");
    const tabTo = async (target: Locator): Promise<void> => {
      const isThere = () => target.evaluate((element) => element === document.activeElement);
      for (let pressed = 0; pressed < 20 && !(await isThere()); pressed++) await page.keyboard.press("Tab");
      await hasFocus(target);
    };
    await hasFocus(box(form, "Events"));
    await tabTo(box(form, "Messages"));
    await page.keyboard.press("Space");
    await tabTo(radio(form, "A bucket"));
    await page.keyboard.press("ArrowDown");
    await tabTo(field(form, "Name of the folder"));
    const folder = newFolder();
    await page.keyboard.press("ControlOrMeta+A");
    await page.keyboard.type(folder);
    await page.keyboard.press("Enter");
    await title(page, folder);
    await rowsOf(page, "How far each list is").filter({ hasText: "Messages" }).waitFor();
    await button(page, "Delete").press("Enter");
    await hasFocus(button(dialogOf(page, "Delete this sync?"), "Cancel"));
    await page.keyboard.press("Escape");
    await dialogOf(page, "Delete this sync?").waitFor({ state: "detached" });
  });

  it("is seen by an approver, who changes nothing of it, and by nobody below", async (t) => {
    house.at(Date.now());
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "approver");
    const folder = newFolder();
    const id = await madeFor(project, { to: { folder } });
    await page.goto(pageOf(house, project, "syncs"));
    assert.equal(await button(page, "New sync").getAttribute("aria-disabled"), "true");
    await page.getByRole("link", { name: folder, exact: true }).click();
    await title(page, folder);
    for (const name of ["Write now", "Switch off", "Change lists", "Delete"])
      assert.equal(await button(page, name).getAttribute("aria-disabled"), "true", name);

    for (const role of ["viewer", "editor"] as const) {
      const person = await makePerson(house);
      await giveRole(house, project.projectId, person, role);
      const context = await visitor(t);
      await cameIn(context, house, person);
      const below = await context.newPage();
      await below.goto(pageOf(house, project, `syncs/${id}`));
      await below.getByText("This page needs the role approver").waitFor();
      assert.equal(await below.getByText(folder).count(), 0);
    }
  });
});

describe("the pages of syncs", () => {
  it("are free of faults in every width and colour", async (t) => {
    house.at(Date.now());
    const store = await openStore(t);
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await openedBy(house, page, "owner");
    await seenBefore(project, 12);
    await page.goto(pageOf(house, project, "syncs"));
    await page.getByText("There is no sync yet.").waitFor();
    await assertFaultlessEverywhere(page, "no sync");
    await button(page, "New sync").click();
    await field(dialogOf(page, "New sync"), "Bucket").waitFor();
    await assertFaultlessEverywhere(page, "new sync");
    await page.keyboard.press("Escape");

    const failing = await madeFor(project, { to: bucketOf(store, `shop/${"a-long-name-".repeat(8)}/x`) });
    store.behave(() => ({ status: 503, code: "SlowDown" }));
    const works = await madeFor(project);
    await house.drain();
    await page.goto(pageOf(house, project, "syncs"));
    await page.getByText("up to date", { exact: true }).waitFor();
    await page.getByText(/SlowDown/).waitFor();
    await assertFaultlessEverywhere(page, "syncs");
    await page.goto(pageOf(house, project, `syncs/${failing}`));
    await page.getByText(/^It has been failing since/).waitFor();
    await assertFaultlessEverywhere(page, "a sync that fails");
    await button(page, "New keys").click();
    await field(dialogOf(page, "New keys"), "Key ID").waitFor();
    await assertFaultlessEverywhere(page, "new keys");
    await page.keyboard.press("Escape");
    await page.goto(pageOf(house, project, `syncs/${works}`));
    await written(page).nth(1).waitFor();
    await assertFaultlessEverywhere(page, "a sync");
    assert.deepEqual(complaints, []);
  });

  it("are worked by a finger", async (t) => {
    house.at(Date.now());
    const page = await newPage(t, PHONE);
    const [project] = await openedBy(house, page, "owner");
    const folder = newFolder();
    await page.goto(pageOf(house, project, "syncs"));
    await button(page, "New sync").tap();
    const form = dialogOf(page, "New sync");
    await radio(form, "A folder of this server").tap();
    await field(form, "Name of the folder").fill(folder);
    await button(form, "Make the sync").tap();
    await title(page, folder);
    await house.drain();
    await written(page).nth(1).waitFor();
    assert.equal(await written(page).count(), 2);
  });
});
