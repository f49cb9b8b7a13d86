import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { processes } from "../apps/server/src/platform/loops/processes.ts";
import { makePerson } from "../apps/server/test/people.ts";
import { otherProcess } from "../apps/server/test/roles.ts";
import { assertFaultlessEverywhere, cameIn, complaintsOf, dashboardUrl, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage({ secretKey: Buffer.alloc(32, "tidings tests") });

const SYSTEM = "/app/p/-/system";

/** An operator, in front of the page of the server. */
async function opened(page: Page): Promise<void> {
  house.at(Date.now());
  await house.project();
  await cameIn(page.context(), house, await makePerson(house, { role: "owner", isOperator: true }));
  await page.goto(dashboardUrl(house) + SYSTEM);
  await title(page, "System");
}

describe("the system", () => {
  it("is looked at by an operator, who runs the doctor by keyboard alone", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    await opened(page);
    await page.getByRole("row", { name: /^Node\.js \d+/ }).waitFor();
    await page.getByRole("row", { name: /^Migrations \d+ applied/ }).waitFor();
    await page.getByRole("row", { name: /^By itself No: set BACKUP_EVERY/ }).waitFor();
    await page.getByRole("row", { name: "Newest There is none yet", exact: true }).waitFor();
    await page.getByText("It was not run from here yet.").waitFor();
    await page.getByRole("button", { name: "Run the doctor" }).press("Enter");
    await page.getByText("Waits for a process that works.").waitFor();
    assert.equal(await page.getByRole("button", { name: "Run it again" }).isDisabled(), true);
    await house.drain();
    await page.getByText("Everything is right").waitFor();
    await page.getByText(/^0 differences in \d+ checks, in [\d.]+ s\.$/).waitFor();
    await page.getByText(/^All \d+ checks$/).press("Enter");
    await page.getByRole("row", { name: /deliveries: campaign counters equal the deliveries 0/ }).waitFor();

    const { projectId } = await house.project();
    await house.database.pool.query(
      "insert into event_names (project_id, name, users, occurrences, last_seen_at) values ($1, 'paid', 1, 1, 1)",
      [projectId],
    );
    await page.getByRole("button", { name: "Run it again" }).press("Enter");
    await page.getByText("Waits for a process that works.").waitFor();
    await house.drain();
    await page.getByRole("alert").filter({ hasText: "difference" }).waitFor();
    await page.getByText("The facts are right, and nothing was lost.").waitFor();
    await house.database.pool.query("delete from event_names where project_id = $1", [projectId]);
    assert.deepEqual(complaints, []);
  });

  it("names what each process does, and that none looks after campaigns", async (t) => {
    const page = await newPage(t);
    await opened(page);
    await page.getByText(/^No process has the role agent, so Tidings looks after no campaign/).waitFor();
    const agent = await otherProcess(house, { looksAfter: true });
    await page.reload();
    await page.getByRole("row", { name: /looks after campaigns.*alive/ }).waitFor();
    assert.equal(await page.getByText(/^No process has the role agent/).count(), 0);
    await agent.leaves();
  });

  it("is closed to owners who do not run the server", async (t) => {
    const page = await newPage(t);
    await house.project();
    await cameIn(page.context(), house, await makePerson(house, { role: "owner" }));
    await page.goto(dashboardUrl(house) + SYSTEM);
    await page.getByText("This page is about the server").waitFor();
    assert.equal(await page.getByRole("link", { name: "System", exact: true }).count(), 0);
  });

  it("is free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    await house.database.pool.query(
      "insert into loop_turns (name, due_at, failures) values ('a loop with a name', now(), 3)",
    );
    await house.tidings.app.get(processes).startWorking();
    try {
      await opened(page);
      await page.getByText("failed 3 times in a row").first().waitFor();
      await assertFaultlessEverywhere(page, "the system");
      await page.goto(`${dashboardUrl(house)}/app/p/-/overview`);
      await page
        .getByText(/0 users, 0 events in 7 days/)
        .first()
        .waitFor();
      await assertFaultlessEverywhere(page, "all projects");
    } finally {
      await house.tidings.app.get(processes).leave();
    }
    assert.deepEqual(complaints, []);
  });
});
