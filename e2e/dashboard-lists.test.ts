import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { complaintsOf, openedBy, pageOf } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

/** Presses the button of a list, and then the one of the question; answers the name and the text of the file that was saved. */
async function saved(page: Page, form: RegExp): Promise<{ name: string; text: string }> {
  await page.getByRole("button", { name: "Save as CSV" }).click();
  const dialog = page.getByRole("dialog");
  await dialog.getByRole("radio", { name: form }).check();
  const downloading = page.waitForEvent("download");
  await dialog.getByRole("button", { name: "Save", exact: true }).click();
  const file = await downloading;
  await dialog.waitFor({ state: "detached" });
  return { name: file.suggestedFilename(), text: await readFile(await file.path(), "utf8") };
}

const segment = {
  version: 1,
  root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value: "pro" },
} as const;

describe("lists in the dashboard", () => {
  it("show who is in a segment in pages, and save it as a table and as JSON lines", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "approver");
    const ids = Array.from({ length: 30 }, (_, n) => `Zoë ${n}`);
    await project.api.identifyBatch({
      body: {
        users: [
          ...ids.map((userId) => ({ userId, traits: { plan: "pro", formula: "=1+1" } })),
          { userId: "outside", traits: { plan: "free" } },
        ],
      },
    });
    const made = await project.api.createSegment({ body: { key: "pro", name: "Pro", expression: segment } });
    await page.goto(pageOf(house, project, `segments/${made.segment.id}?view=members`));
    // The count above the list names some of them as well.
    const listed = page.getByRole("row").getByRole("link", { name: /^Zoë/ });
    const names = (): Promise<string[]> => listed.allTextContents();
    await listed.first().waitFor();
    const first = await names();
    await page.getByRole("button", { name: "Next", exact: true }).click();
    await page.getByRole("button", { name: "From the beginning" }).waitFor();
    await listed.getByText(first[0] ?? "", { exact: true }).waitFor({ state: "detached" });
    assert.deepEqual([...first, ...(await names())].toSorted(), ids.toSorted());
    const table = await saved(page, /CSV/);
    assert.match(table.name, /^users-\d{4}-\d\d-\d\d\.csv$/);
    assert.ok(table.text.startsWith("\ufeffid,externalUserId,"), "Excel takes it for UTF-8");
    assert.equal(table.text.trimEnd().split("\r\n").length, 31);
    assert.ok(table.text.includes(",Zoë 7,") && table.text.includes(",'=1+1,"));
    assert.ok(!table.text.includes("outside"));
    const lines = await saved(page, /NDJSON/);
    const found = lines.text.trimEnd().split("\n");
    assert.deepEqual(
      found.map((line) => (JSON.parse(line) as { externalUserId: string }).externalUserId).toSorted(),
      ids.toSorted(),
    );
    assert.deepEqual(complaints, []);
  });

  it("are no files for those who may not take them out, and the button says what it takes", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "viewer");
    await page.goto(pageOf(house, project, "users"));
    const button = page.getByRole("button", { name: "Save as CSV" });
    await button.hover();
    await page.getByRole("tooltip", { name: "Needs the role approver" }).waitFor();
    assert.equal(await button.getAttribute("aria-disabled"), "true");
  });
});
