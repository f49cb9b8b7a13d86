import assert from "node:assert/strict";
import { mkdtemp, readFile, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import type { TestProject } from "../apps/server/test/harness.ts";
import { clientOf } from "../apps/server/test/people.ts";
import { assertFaultlessEverywhere, complaintsOf, openedBy, pageOf, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const PEOPLE = `id,email,first_name,plan,seats,created_at,unsubscribed,notes
1,ada@example.com,Ada,pro,3,2024-05-01T10:00:00Z,false,likes tea
2,bob@example.com,Bob,free,1,2024-06-01T10:00:00Z,true,
3,cleo at home,Cleo,free,2,2024-06-02T10:00:00Z,false,
4,dora@example.com,Dora,pro,1,2024-07-01T10:00:00Z,false,
`;
const ADDRESSES = `id,email,plan
7,eve@example.com,pro
`;

const zoneOf = (page: Page) => page.getByRole("main").getByRole("button", { name: /drop it here/ });

/** Drops a file on the page, as a person does who has it on their desk. */
async function drop(page: Page, name: string, text: string): Promise<void> {
  const data = await page.evaluateHandle(
    ([called, content]) => {
      const transfer = new DataTransfer();
      transfer.items.add(new File([content], called));
      return transfer;
    },
    [name, text] as const,
  );
  await zoneOf(page).dispatchEvent("drop", { dataTransfer: data });
}

const rowOf = (page: Page, name: string) => page.getByRole("row").filter({ hasText: name });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });
const figure = (page: Page, name: string, value: string): Promise<void> =>
  page
    .getByRole("main")
    .getByText(new RegExp(`^${name}${value}`))
    .first()
    .waitFor();

/** Answers the question before a file is brought in. */
async function confirm(page: Page, about: RegExp): Promise<void> {
  const dialog = page.getByRole("dialog");
  await dialog.getByText(about).waitFor();
  await dialog.getByRole("button", { name: "Bring in", exact: true }).click();
  await dialog.waitFor({ state: "detached" });
}

const usersOf = async ({ api }: TestProject): Promise<string[]> =>
  (await api.listUsers()).users.map(({ externalUserId }) => externalUserId).toSorted();

/** Begins to bring in a file by the API; answers its id. */
async function begun(
  { api }: TestProject,
  name: string,
  text: string,
  kind: "users" | "events" | "suppressions" = "users",
): Promise<string> {
  const { import: made } = await api.createImport({ body: { kind, name } });
  await api.uploadImportPart({ path: { id: made.id, n: 1 }, file: new Blob([text]) });
  return made.id;
}

describe("a file that is brought in", () => {
  it("is dropped, looked at, changed, tried, and brought in; who left gets no mail", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "approver");
    await page.goto(pageOf(house, project, "import"));
    await page.getByText("No file was brought in yet.").waitFor();
    await drop(page, "people.csv", PEOPLE);
    await title(page, "people.csv");
    await page.getByText(/Table \(CSV\), cells between commas, 8 columns$/).waitFor();
    const meaning = (column: string) => page.getByLabel(`What becomes of ${column}`);
    assert.equal(await meaning("id").inputValue(), "userId");
    assert.equal(await meaning("email").inputValue(), "email");
    assert.equal(await meaning("created_at").inputValue(), "firstSeenAt");
    assert.equal(await page.getByLabel("How seats is read").inputValue(), "number");
    await rowOf(page, "unsubscribed").getByText("Says who gets no mail").waitFor();
    // What is changed stays in the tab over a reload.
    await meaning("notes").selectOption("leftOut");
    await page.getByLabel("Name of plan in Tidings").fill("tariff");
    await page.reload();
    await page.getByLabel("Name of plan in Tidings").waitFor();
    assert.equal(await page.getByLabel("Name of plan in Tidings").inputValue(), "tariff");
    assert.equal(await meaning("notes").inputValue(), "leftOut");

    await button(page, "Try it").click();
    await page.getByText("Being tried, started by").waitFor();
    await house.drain();
    await page.getByText(/^Tried by .+ Nothing was written\.$/).waitFor();
    await figure(page, "Would change something", "3");
    await rowOf(page, "email").filter({ hasText: /14$/ }).waitFor();
    assert.deepEqual(await usersOf(project), []);
    const downloading = page.waitForEvent("download");
    await button(page, "Save refused lines").click();
    const table = await readFile(await (await downloading).path(), "utf8");
    assert.match(table, /\r\n4,email,/);

    await button(page, "Bring in").click();
    await confirm(page, /^3 lines will change something, and 1 line is not taken, as the trial showed\./);
    await page.getByText("It goes on when you leave this page.").waitFor();
    await house.drain();
    await page.getByRole("heading", { name: "What came of it" }).waitFor();
    await figure(page, "Changed something", "3");
    assert.deepEqual(await usersOf(project), ["1", "2", "4"]);
    const { user } = await project.api.getUser({ path: { id: "1" } });
    assert.deepEqual(user.traits, { email: "ada@example.com", first_name: "Ada", tariff: "pro", seats: 3 });
    await page.getByRole("link", { name: "See the users" }).click();
    await title(page, "Users");
    await page.getByRole("link", { name: /Bob/ }).click();
    await page.getByText(/^bob@example\.com gets no mail: unsubscribed/).waitFor();
    await page.getByRole("link", { name: "Bring in", exact: true }).click();
    await page.getByRole("row", { name: /people\.csv Users Brought in 3 1/ }).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("with addresses and without those who left is brought in once a person says where they are", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "approver");
    const id = await begun(project, "addresses.csv", ADDRESSES);
    await page.goto(pageOf(house, project, `import/${id}`));
    const bring = button(page, "Bring in");
    await bring.hover();
    await page.getByRole("tooltip", { name: "Say first where those are who left." }).waitFor();
    await page.mouse.move(0, 0);
    await page.getByRole("radio", { name: /^In another file/ }).check();
    await page.getByText("There is none yet.").waitFor();
    assert.equal(await bring.getAttribute("aria-disabled"), "true");

    const left = await begun(project, "left.csv", "email\neve@example.com\n", "suppressions");
    await project.api.startImport({ path: { id: left }, body: {} });
    await house.drain();
    await page.reload();
    await page.getByRole("combobox", { name: "File with those who left" }).click();
    await page.getByRole("option", { name: /^left\.csv/ }).click();
    await bring.click();
    await confirm(page, /^It was not tried as it is now/);
    await house.drain();
    await page.getByRole("heading", { name: "What came of it" }).waitFor();
    await page.getByText("Those who left came with another file.").waitFor();
    assert.deepEqual(await usersOf(project), ["7"]);
    const { import: brought } = await project.api.getImport({ path: { id } });
    assert.deepEqual(brought.whoLeft, { importId: left });
    assert.deepEqual(complaints, []);
  });

  it("is stopped, goes on, and is deleted, without what it brought in", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "approver");
    const id = await begun(project, "people.csv", PEOPLE);
    await page.goto(pageOf(house, project, `import/${id}`));
    await button(page, "Bring in").click();
    await confirm(page, /^It was not tried as it is now/);
    await button(page, "Stop").click();
    await page.getByText("It is stopped.").waitFor();
    await house.drain();
    assert.deepEqual(await usersOf(project), []);
    await button(page, "Go on").click();
    await confirm(page, /^It was not tried as it is now/);
    await house.drain();
    await figure(page, "Changed something", "3");
    await button(page, "Delete").click();
    const dialog = page.getByRole("dialog", { name: "Delete people.csv?" });
    await dialog.getByText("What it brought in stays.").waitFor();
    await dialog.getByRole("button", { name: "Delete", exact: true }).click();
    await page.getByText("No file was brought in yet.").waitFor();
    assert.deepEqual(await usersOf(project), ["1", "2", "4"]);
  });
});

const PART = 4 * 1_024 * 1_024;
/** A file of three parts. */
const LARGE = `id,email\n${Array.from({ length: 100_000 }, (_, n) => `user-${n},${"x".repeat(80)}${n}@example.com\n`).join("")}`;

/** Chooses a file by the keyboard. It lies on the disk: what a browser is handed as bytes takes long. */
async function chooses(page: Page, name: string, text: string): Promise<void> {
  const path = join(await mkdtemp(join(tmpdir(), "tidings-import-")), name);
  await writeFile(path, text);
  const choosing = page.waitForEvent("filechooser");
  await zoneOf(page).press("Enter");
  await (await choosing).setFiles(path);
}

describe("an upload", () => {
  it("that was cut goes on with the same file, and with no other", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "editor");
    assert.equal(Math.ceil(LARGE.length / PART), 3);
    await page.goto(pageOf(house, project, "import"));
    await page.route("**/parts/2", (route) => route.abort());
    await chooses(page, "large.csv", LARGE);
    await title(page, "large.csv");
    await page.getByText(/^Uploaded: [\d.]+ MB of [\d.]+ MB\.$/).waitFor();
    const [file] = (await project.api.listImports()).imports;
    const parts = async () => (await project.api.getImport({ path: { id: file?.id ?? "" } })).import.parts;
    await page
      .getByRole("status")
      .filter({ hasText: /^Uploaded: [5-9]/ })
      .waitFor();
    assert.deepEqual(await parts(), [1, 3]);
    await page.unroute("**/parts/2");

    await page.reload();
    await page.getByText("2 parts are there.").waitFor();
    await chooses(page, "small.csv", PEOPLE);
    await page.getByText("That is another file: this one is called large.csv.").waitFor();
    await chooses(page, "large.csv", PEOPLE);
    await page.getByText("That is another file: large.csv had another size when it was begun.").waitFor();
    await chooses(page, "large.csv", LARGE.replace("user-0,", "user-X,"));
    await page.getByText(/^That is another file: its beginning is not that of large\.csv/).waitFor();
    assert.deepEqual(await parts(), [1, 3]);
    await chooses(page, "large.csv", LARGE);
    await page.getByRole("heading", { name: "2. What is in it" }).waitFor();
    assert.deepEqual(await parts(), [1, 2, 3]);
    assert.equal((await project.api.getImport({ path: { id: file?.id ?? "" } })).import.bytes, LARGE.length);

    // The same file, dropped once more, is the one that waits.
    await page.getByRole("link", { name: "All files" }).click();
    await page.getByText("Not started").waitFor();
    await chooses(page, "large.csv", LARGE);
    await title(page, "large.csv");
    assert.equal(new URL(page.url()).pathname.endsWith(file?.id ?? "-"), true);
    assert.equal((await project.api.listImports()).total, 1);
  });

  it("of an empty file, or of several at once, does not begin", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "editor");
    await page.goto(pageOf(house, project, "import"));
    await chooses(page, "empty.csv", "");
    await page.getByText("empty.csv is empty.").waitFor();
    const data = await page.evaluateHandle(() => {
      const transfer = new DataTransfer();
      for (const name of ["a.csv", "b.csv"]) transfer.items.add(new File(["id\n1\n"], name));
      return transfer;
    });
    await zoneOf(page).dispatchEvent("drop", { dataTransfer: data });
    await page.getByText("Drop one file at a time.").waitFor();
    assert.equal((await project.api.listImports()).total, 0);
  });
});

describe("who may bring files in", () => {
  it("is an approver; an editor prepares them, and a viewer sees what came of them", async (t) => {
    const page = await newPage(t);
    const [project] = await openedBy(house, page, "editor");
    const id = await begun(project, "people.csv", PEOPLE);
    const closed = async (name: string, role: string): Promise<void> => {
      await button(page, name).hover();
      await page.getByRole("tooltip", { name: `Needs the role ${role}` }).waitFor();
      await page.mouse.move(0, 0);
      await page.getByRole("tooltip").waitFor({ state: "detached" });
    };
    await page.goto(pageOf(house, project, `import/${id}`));
    await closed("Try it", "approver");
    await closed("Bring in", "approver");
    await page.getByLabel("What becomes of notes").selectOption("leftOut");

    const viewing = await newPage(t);
    const refused: string[] = [];
    viewing.on("response", (response) => {
      if (response.status() === 403) refused.push(response.url());
    });
    const { person } = await clientOf(house, project.projectId, "viewer");
    const split = person.cookie.indexOf("=");
    await viewing.context().addCookies([
      {
        name: person.cookie.slice(0, split),
        value: person.cookie.slice(split + 1),
        url: new URL(pageOf(house, project, "")).origin,
      },
    ]);
    await viewing.goto(pageOf(house, project, `import/${id}`));
    await viewing.getByText("Editors see the columns").waitFor();
    await viewing.goto(pageOf(house, project, "import"));
    await button(viewing, "Choose a file").hover();
    await viewing.getByRole("tooltip", { name: "Needs the role editor" }).waitFor();
    assert.deepEqual(refused, []);
  });
});

describe("the pages of files", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "approver");
    await page.goto(pageOf(house, project, "import"));
    await page.getByText("No file was brought in yet.").waitFor();
    await assertFaultlessEverywhere(page, "no file");
    const id = await begun(project, "people.csv", PEOPLE);
    await begun(project, `${"x".repeat(190)}.csv`, ADDRESSES);
    await page.goto(pageOf(house, project, `import/${id}`));
    await page.getByRole("heading", { name: "3. Who gets no mail" }).waitFor();
    await assertFaultlessEverywhere(page, "a file that is ready");
    await button(page, "Bring in").click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the question before a file is brought in");
    await page.keyboard.press("Escape");
    await button(page, "Try it").click();
    await page.getByText("Being tried").waitFor();
    await assertFaultlessEverywhere(page, "a file that is tried");
    await house.drain();
    await page.getByText("Tried by").waitFor();
    await assertFaultlessEverywhere(page, "a file that was tried");
    await project.api.startImport({ path: { id }, body: {} });
    await house.drain();
    await page.getByRole("heading", { name: "What came of it" }).waitFor();
    await assertFaultlessEverywhere(page, "a file that was brought in");
    const other = await begun(project, "addresses.csv", ADDRESSES);
    await page.goto(pageOf(house, project, `import/${other}`));
    await page.getByText("Where are those who left?").first().waitFor();
    await assertFaultlessEverywhere(page, "a file without those who left");
    const { import: part } = await project.api.createImport({ body: { kind: "events", name: "events.csv" } });
    await page.goto(pageOf(house, project, `import/${part.id}`));
    await page.getByText("The upload is not finished").waitFor();
    await assertFaultlessEverywhere(page, "a file that is not there");
    await page.goto(pageOf(house, project, "import?kind=events"));
    await page.getByRole("row", { name: /events\.csv/ }).waitFor();
    await assertFaultlessEverywhere(page, "files");
    assert.deepEqual(complaints, []);
  });
});
