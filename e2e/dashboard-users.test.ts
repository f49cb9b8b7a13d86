import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { install } from "../apps/server/test/devices.ts";
import { feedback, launchCampaign, messagesOf, toast } from "../apps/server/test/factories.ts";
import { refusal, type TestProject } from "../apps/server/test/harness.ts";
import { sentMail } from "../apps/server/test/mail.ts";
import { PASSWORD, signedInAgo, type TestPerson } from "../apps/server/test/people.ts";
import {
  assertFaultlessEverywhere,
  assertFitsTablet,
  assertPageFaultless,
  complaintsOf,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const MINUTE_MS = 60_000;

/** A project with a user who came, got a message and bought, and a person who looks at it. */
async function opened(page: Page, role: "viewer" | "approver"): Promise<[TestProject, TestPerson]> {
  house.at(Date.now());
  const [project, person] = await openedBy(house, page, role);
  await launchCampaign(project, { name: "Summer sale" });
  await project.sdk.identify({
    body: { userId: "ada", traits: { city: "Oslo", first_name: "Ada", last_name: "Lovelace" } },
  });
  await project.sdk.identify({ body: { userId: "grace", traits: { plan: "free" } } });
  await project.sdk.track({ body: { userId: "ada", event: "came", props: { from: "mail" } } });
  house.advance(MINUTE_MS);
  const [message] = await messagesOf(project, "ada");
  await feedback(project, message?.deliveryId ?? "", "ada", "shown");
  house.advance(MINUTE_MS);
  await project.sdk.track({ body: { userId: "ada", event: "bought", props: { price: 12 } } });
  return [project, person];
}

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

describe("a user", () => {
  it("is found by a name, with all that happened to them", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "viewer");
    await page.goto(addressOf(project, "users"));
    await page.getByRole("link", { name: "grace" }).waitFor();
    await page.getByLabel("Find a user").fill("lovelace");
    await page.getByRole("link", { name: "grace" }).waitFor({ state: "detached" });
    await page.getByRole("row", { name: "Ada Lovelace ada found by the name" }).getByRole("link").click();
    await title(page, "Ada Lovelace");
    await page.getByRole("row", { name: "city Oslo" }).waitFor();
    const happened = page.getByRole("table").filter({ hasText: "Details" }).getByRole("row");
    await happened.nth(3).waitFor();
    const texts = await happened.allTextContents();
    assert.deepEqual(
      texts.map((text) => /Did bought|Message queued|Did came/.exec(text)?.[0]),
      [undefined, "Did bought", "Message queued", "Did came"],
    );
    assert.match(texts[1] ?? "", /price: 12$/);
    assert.match(texts[2] ?? "", /Summer sale Shown$/);
    await page.getByRole("tab", { name: "What they did" }).click();
    await page.getByRole("row", { name: /bought/ }).waitFor();
    assert.equal(await page.getByText("Summer sale").count(), 0);
    await page.getByRole("tab", { name: "Messages" }).click();
    await page
      .getByRole("row", { name: /^Summer sale/ })
      .getByRole("link", { name: "“Hello”" })
      .click();
    await page.getByRole("tab", { name: "Message", selected: true }).waitFor();
    await page.goBack();
    await page.getByRole("link", { name: "Summer sale" }).click();
    await title(page, "Summer sale");
    await page.getByRole("tab", { name: "Deliveries" }).click();
    await page.getByRole("link", { name: "Ada Lovelace ada" }).click();
    await title(page, "Ada Lovelace");
    assert.deepEqual(complaints, []);
  });

  it("is called by a name in every list, whatever the name is, and by the id without one", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "viewer");
    const names = {
      markup: "<img src=x onerror=alert(1)> & Co",
      turned: "\u202eecilA",
      picture: "👩‍👩‍👧‍👦 família",
      long: "x".repeat(2_000),
      blank: " \u200b ",
    };
    for (const [userId, name] of Object.entries(names))
      await project.api.identify({ body: { userId, traits: { name } } });
    await project.api.identify({ body: { userId: "number", traits: { name: 12, email: "n@example.com" } } });
    const requests: string[] = [];
    page.on("request", (request) => {
      if (request.url().endsWith("/users/names")) requests.push(request.postData() ?? "");
    });
    await page.goto(addressOf(project, "users"));
    const shown = (userId: string) => page.getByRole("link", { name: new RegExp(`(^| )${userId}$`) });
    for (const [userId, name] of Object.entries(names).slice(0, 3)) {
      await shown(userId).getByText(name, { exact: true }).waitFor();
      assert.equal(await shown(userId).getAttribute("title"), `${name} (${userId})`);
    }
    await shown("number").getByText("n@example.com").waitFor();
    assert.equal(await shown("blank").textContent(), "blank");
    assert.match((await shown("long").getAttribute("title")) ?? "", /^x{200} \(long\)$/);
    // All rows are one request.
    assert.equal(requests.length, 1);
    // A name takes one line, as the id does before it is known.
    const heights = await page
      .getByRole("table")
      .getByRole("link")
      .evaluateAll((links) => links.map((link) => Math.round(link.getBoundingClientRect().height)));
    assert.ok(Math.max(...heights) - Math.min(...heights) <= 12, `users of one line: ${heights.join()}`);
    assert.deepEqual(complaints, []);
  });

  it("fits a tablet in a list whose names arrive after it was drawn", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "viewer");
    const campaign = await launchCampaign(project, { name: "Autumn sale" });
    const userId = "wilhelmina-37";
    await project.api.identify({ body: { userId, traits: { name: "Wilhelmina ".repeat(6) } } });
    await messagesOf(project, userId);
    const { promise: released, resolve: release } = Promise.withResolvers<void>();
    await page.route("**/users/names", async (route) => {
      await released;
      await route.continue();
    });
    await page.setViewportSize({ width: 820, height: 1180 });
    await page.goto(addressOf(project, `campaigns/${campaign.id}?view=deliveries`));
    const link = page.getByRole("link", { name: new RegExp(`${userId}$`) });
    await link.waitFor();
    await assertFitsTablet(page, "deliveries without names");
    release();
    // The id alone has the name once.
    await link.getByText("Wilhelmina Wilhelmina").waitFor();
    // The table is measured when it has grown, and is drawn as a list right after that.
    await page.waitForFunction(() => {
      const { scrollWidth, clientWidth } = document.documentElement;
      return scrollWidth <= clientWidth;
    });
    await assertFitsTablet(page, "deliveries with names");
  });

  it("shows whether mail and pushes come, the segments, what is withheld, and why a message does not come", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "viewer");
    const mail = await sentMail(house, project, { userId: "anna" });
    house.advance(MINUTE_MS);
    await fetch(mail.link("unsubscribe"), { method: "POST" });
    await (await install(project)).bind("anna");
    const root = { kind: "event" as const, event: "bought" };
    await project.api.createSegment({
      body: { key: "buyers", name: "Buyers", expression: { version: 1, root } },
    });
    const { campaign: draft } = await project.api.createCampaign({
      body: { name: "Autumn", message: toast() },
    });
    await page.goto(addressOf(project, "users/anna"));
    await page.getByText(/anna@example\.com gets no mail: unsubscribed .+, from the campaign News/).waitFor();
    await page.getByRole("link", { name: "News" }).first().waitFor();
    await page.getByText(/on iOS with a push token|on iOS without a push token/).waitFor();
    await page.getByRole("tab", { name: "Segments" }).click();
    await page.getByText(/^In no segment, as of /).waitFor();
    await page.goto(addressOf(project, "users/ada?view=segments"));
    await page.getByText(/^In 1 segment, as of /).waitFor();
    await page.getByRole("link", { name: "Buyers" }).waitFor();
    await page.getByText("No email address, so no mail.").waitFor();
    await page.getByRole("tab", { name: "Why not a message?" }).click();
    await page.getByRole("combobox", { name: "Campaign" }).fill("aut");
    await page.getByRole("option", { name: "Autumn" }).click();
    await page.getByText(/Ada Lovelace.* \(ada\): does not get it/).waitFor();
    await page.getByText("Status ✕ stops it").waitFor();
    assert.equal(new URL(page.url()).searchParams.get("campaign"), draft.id);
    await page.reload();
    await page.getByText("Status ✕ stops it").waitFor();
    assert.deepEqual(complaints, []);
  });

  it("is erased by an approver who types the id and signs in again; the log of changes keeps no id", async (t) => {
    const page = await newPage(t);
    const [project, person] = await opened(page, "approver");
    await page.goto(addressOf(project, "users/ada"));
    await page.getByRole("button", { name: "Erase" }).click();
    const dialog = page.getByRole("dialog", { name: "Erase this user for good?" });
    const erase = dialog.getByRole("button", { name: "Erase for good" });
    await dialog.getByLabel("Type ada to confirm").fill("ad");
    assert.equal(await erase.isDisabled(), true);
    await dialog.getByLabel("Type ada to confirm").fill("ada");
    await signedInAgo(house, person, 11 * MINUTE_MS);
    house.advance(6_000);
    await erase.click();
    const confirming = page.getByRole("dialog", { name: "Is it you?" });
    await confirming.locator("input[name=password]").fill(PASSWORD);
    await confirming.getByRole("button", { name: "Confirm" }).click();
    await title(page, "Users");
    await page.getByText("The user is erased.").waitFor();
    await page.getByRole("link", { name: "grace" }).waitFor();
    assert.equal(await page.getByRole("link", { name: "ada" }).count(), 0);
    const { status } = await refusal(project.api.getUser({ path: { id: "ada" } }));
    assert.equal(status, 404);
    await page.getByRole("link", { name: "Audit log" }).click();
    const entry = page.getByRole("row", { name: /erased a user/ });
    await entry.waitFor();
    assert.match((await entry.textContent()) ?? "", /erased a usereu_/);
    assert.doesNotMatch((await entry.textContent()) ?? "", /\bada\b/);
  });

  it("is not erased by a viewer", async (t) => {
    const page = await newPage(t);
    const [project] = await opened(page, "viewer");
    await page.goto(addressOf(project, "users/ada"));
    await page.getByRole("button", { name: "Erase" }).press("Enter");
    await page.getByText("Needs the role approver").waitFor();
    assert.equal(await page.getByRole("dialog").count(), 0);
    await page.goto(addressOf(project, "users/none"));
    await page.getByText("Nobody has this id.").waitFor();
  });
});

describe("the pages of users", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const [project] = await opened(page, "approver");
    const long = "x".repeat(256);
    await project.sdk.identify({ body: { userId: long, traits: { [long.slice(0, 60)]: long } } });
    const look = (path: string, ready: string) => assertPageFaultless(page, addressOf(project, path), ready);
    await look("users", "grace");
    await look("users?q=nothing", "No user is like that.");
    await look("users/ada", "Did came");
    await look("users/ada?view=events", "bought");
    await look("users/ada?view=messages", "Summer sale");
    await look("users/ada?view=segments", "In no segment");
    await look("users/ada?view=why", "Choose a campaign");
    await look("users?q=ada", "found by");
    await look(`users/${long}`, "Nothing has happened yet.");
    await page.getByRole("button", { name: "Erase" }).click();
    await page.getByRole("dialog").waitFor();
    await assertFaultlessEverywhere(page, "the question before the erasure");
    assert.deepEqual(complaints, []);
  });
});
