import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { launchEmail, people, setSettings } from "../apps/server/test/email.ts";
import { launchCampaign, messagesOf, toast } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { launchPush } from "../apps/server/test/push.ts";
import { assertFaultlessEverywhere, complaintsOf, openedBy, pageOf, title } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);
const SENDER = { "email.from": "Acme <news@acme.example>", "email.postalAddress": "1 Main Street" };

describe("the launch of a test of two texts", () => {
  it("says who gets which text, who is held out, and that so few users cannot show a difference", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "editor");
    const { api } = project;
    await messagesOf(project, "ada");
    await api.identifyBatch({
      body: { users: Array.from({ length: 26 }, (_, n) => ({ userId: `user-${n}` })) },
    });
    const guardrails = { maxActiveCampaigns: 3, maxUnsubscribeRate: 0.01, maxComplaintRate: 0.001 };
    const { goal } = await api.createGoal({
      body: { name: "Sales", targetEvent: "paid", holdoutPercent: 10, guardrails },
    });
    const { id } = await launchCampaign(project, {
      name: "Two texts",
      goalId: goal.id,
      launch: false,
      variants: [
        { name: "A", isControl: true, weight: 50, message: toast("Plain") },
        { name: "B", weight: 50, message: toast("Promise") },
      ],
    });
    const { willReceive } = await api.takeCampaignCensus({ path: { id } });
    assert.ok(willReceive > 10 && willReceive <= 26, String(willReceive));
    const { plan } = await api.getCampaignPlan({
      path: { id },
      query: { controlRate: 0.05, exposedPerDay: willReceive },
    });
    const needed = plan?.lifts.find(({ lift }) => lift === 0.5)?.users80 ?? 0;
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByRole("button", { name: "Launch" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("50%, A (control): “Plain”").waitFor();
    await dialog.getByText("50%, B: “Promise”").waitFor();
    await dialog.getByText("The goal holds 10 % of users out").waitFor();
    await dialog.getByText(`${willReceive} users cannot show a difference`).waitFor();
    await dialog
      .getByText(`Even a lift of 50% needs about ${needed.toLocaleString("en-US")} users.`, { exact: false })
      .waitFor();
    await dialog.getByText("5% is taken for it", { exact: false }).waitFor();
    await dialog.getByRole("row", { name: /Campaigns at once/ }).waitFor();
    assert.equal(await dialog.getByText(/Most (unsubscriptions|complaints)/).count(), 0);
    assert.equal(await dialog.getByText("No page carries Tidings").count(), 0);
    await assertFaultlessEverywhere(page, "the dialog before a launch");
    assert.equal(await dialog.getByRole("button", { name: "Launch" }).isEnabled(), true, "it is a remark");
    const alone = await launchCampaign(project, { name: "One text", goalId: goal.id, launch: false });
    await page.goto(addressOf(project, `campaigns/${alone.id}`));
    await page.getByRole("button", { name: "Launch" }).click();
    await dialog.getByText("One variant, so there is nothing to compare").waitFor();
    const { goal: eventless } = await api.createGoal({ body: { name: "Silent" } });
    await api.updateCampaign({ path: { id }, body: { goalId: eventless.id } });
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByRole("button", { name: "Launch" }).click();
    await dialog.getByText("Its goal counts no event").waitFor();
    assert.deepEqual(complaints, []);
  });
});

describe("a message that nobody can get", () => {
  it("is a mail that the outbox catches, on every page about it, until a mail server is named", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "owner");
    await setSettings(house, project, SENDER);
    const { id } = await launchEmail(project, { name: "News", launch: false });
    const caught = page.getByText("Mail goes nowhere yet: it is caught in the outbox");
    await page.goto(addressOf(project, `campaigns/${id}`));
    await caught.waitFor();
    await page.getByText("No user has an address: nobody gets mail").waitFor();
    assert.equal(await caught.evaluate((text) => getComputedStyle(text).fontWeight), "700");
    await people(project, ["ada", "bo"]);
    await page.reload();
    await page.getByRole("button", { name: "Launch" }).click();
    const dialog = page.getByRole("dialog");
    await dialog.getByText("2 users get this mail", { exact: false }).waitFor();
    await dialog.getByText("Mail goes nowhere yet").waitFor();
    assert.equal(await dialog.getByText("No user has an address").count(), 0);
    await dialog.getByRole("link", { name: "Look at the outbox" }).click();
    await page.getByText("Nothing was caught.").waitFor();
    assert.equal(await dialog.count(), 0);
    for (const path of ["email?view=sender", "agent"]) {
      await page.goto(addressOf(project, path));
      await caught.waitFor();
    }
    await page.goto(addressOf(project, "email?view=sender"));
    await page.getByRole("button", { name: "Send me a test mail" }).click();
    await page.getByRole("status").getByText("because no mail server is named").waitFor();
    await page.getByRole("status").getByRole("link", { name: "Look at it" }).click();
    await page.getByRole("link", { name: "Your mail arrives" }).waitFor();
    await setSettings(house, project, {
      "email.smtpUrl": "smtp://mail.acme.example:587",
      "email.domainVerified": "true",
    });
    for (const path of [`campaigns/${id}`, "email", "agent"]) {
      const read = page.waitForResponse("**/api/people/setup");
      await page.goto(addressOf(project, path));
      await read;
      await page.getByRole("main").getByRole("tab").first().waitFor();
      assert.equal(await caught.count(), 0, path);
    }
  });

  it("is a push without a credential and without a device", async (t) => {
    const page = await newPage(t);
    house.at(Date.now());
    const [project] = await openedBy(house, page, "editor");
    const { id } = await launchPush(project, { launch: false });
    await page.goto(addressOf(project, `campaigns/${id}`));
    await page.getByText("Pushes cannot leave yet: there is no credential").waitFor();
    await page.getByText("No device is registered yet: nobody gets pushes").waitFor();
    await page.getByRole("link", { name: "See the devices" }).click();
    await title(page, "Push");
  });
});
