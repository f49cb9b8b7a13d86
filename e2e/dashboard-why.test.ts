import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { sql } from "kysely";
import type { Page } from "playwright-core";
import { expression, trait } from "../apps/server/test/audience/trees.ts";
import { launchEmail } from "../apps/server/test/email.ts";
import { launchCampaign, messagesOf, toast } from "../apps/server/test/factories.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import {
  assertFaultlessEverywhere,
  assertPageFaultless,
  complaintsOf,
  HANDS,
  hasFocus,
  openedBy,
  pageOf,
  title,
} from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();

const RED = "rgb(201, 42, 42)";

/** A project with people whom support asks about, and one who looks at it. */
async function opened(page: Page, role: "viewer" | "editor" = "viewer"): Promise<TestProject> {
  const [project] = await openedBy(house, page, role);
  for (const [userId, traits] of Object.entries({
    "cust-10330-0p": {
      first_name: "Claire",
      last_name: "Moreau",
      email: "claire.moreau@example.com",
      plan: "single bags",
      city: "Hamburg",
    },
    "cust-10331-0p": { name: "Émile Moreau", email: "emile@example.com", plan: "monthly" },
    "50%_/?#é 🎉": { name: "Odd One", plan: "single bags" },
  })) {
    house.advance(1);
    await project.api.identify({ body: { userId, traits } });
  }
  return project;
}

const addressOf = (project: TestProject, path: string) => pageOf(house, project, path);

/** A running campaign for users who meet three conditions, of which Claire does not meet one. */
async function nudge(project: TestProject): Promise<string> {
  await project.sdk.track({ body: { userId: "cust-10330-0p", event: "order_placed" } });
  const children = [
    trait("plan", "eq", "single bags"),
    { kind: "event" as const, event: "order_placed" },
    trait("city", "eq", "Berlin"),
  ];
  const { id } = await launchCampaign(project, {
    name: "Second order",
    pages: ["/shop", "/cart*"],
    audience: { kind: "expression", expression: expression({ kind: "all", children }) },
    variants: [{ name: "Promise", message: toast("Again?") }],
  });
  return id;
}

const answer = (page: Page) => page.getByRole("status").filter({ hasText: "get" });
const field = (page: Page) => page.getByRole("textbox", { name: "User", exact: true });
const unknownUser = (page: Page) => page.getByRole("alert").filter({ hasText: "Nobody has this id." });
const suggested = (page: Page) => page.getByRole("alert").getByRole("listitem").getByRole("button");

describe("Why (not)?", () => {
  for (const { on, use, press } of HANDS)
    it(`shows the condition that a user does not meet, in red, with the others folded, ${on}`, async (t) => {
      const page = await newPage(t, use);
      const complaints = complaintsOf(page);
      const project = await opened(page);
      const id = await nudge(project);
      await page.goto(addressOf(project, `campaigns/${id}`));
      await press(page.getByRole("tab", { name: "Why (not)?" }));
      await field(page).fill(" cust-10330-0p ");
      await press(page.getByRole("button", { name: "Find out" }));
      await page
        .getByText(/cust-10330-0p\)?: does not get it/)
        .first()
        .waitFor();
      const why = answer(page);
      await why.getByText("Audience ✕ stops it").waitFor();
      await why
        .getByText('Not met: trait city is "Berlin" (the user has "Hamburg").', { exact: false })
        .waitFor();
      const conditions = why.getByRole("listitem");
      assert.deepEqual(
        await conditions.evaluateAll((items) => items.map(({ children }) => children[0]?.textContent)),
        [
          "✗ All of thesenot met",
          "✓ plan is “single bags”met",
          "✓ order_placed at least once at any timemet",
          "✗ city is “Berlin”not met",
        ],
      );
      const colours = await conditions.evaluateAll((items) =>
        items.map(({ children: [first] }) => first && getComputedStyle(first).color),
      );
      assert.equal(colours[3], RED);
      assert.equal(colours.filter((colour) => colour === RED).length, 1, "only the one that fails");
      const pages = page.getByRole("row", { name: /^Page/ });
      assert.equal(await pages.isVisible(), false);
      await page.getByText("11 other conditions").click();
      await pages.getByText("The campaign is for /shop, /cart*. No page was named to compare.").waitFor();
      await page
        .getByRole("row", { name: /^Variant/ })
        .getByText("The user would get the variant “Promise”.")
        .waitFor();
      assert.doesNotMatch((await page.locator("main").textContent()) ?? "", /sweep|draw/);
      assert.deepEqual(complaints, []);
    });

  it("says who gets it and when, and of pages which one is meant", async (t) => {
    const page = await newPage(t);
    const project = await opened(page);
    const id = await nudge(project);
    await project.api.identify({ body: { userId: "cust-10330-0p", traits: { city: "Berlin" } } });
    await page.goto(addressOf(project, `campaigns/${id}?view=why&user=cust-10330-0p`));
    await page
      .getByText(/^\u2068Claire Moreau\u2069 \(cust-10330-0p\): gets it, on the next page view$/)
      .waitFor();
    await answer(page).getByText("The user would get the variant “Promise”.").waitFor();
    await answer(page).getByText("The campaign is for /shop, /cart*.", { exact: false }).waitFor();
    await page.getByText("All 12 conditions").waitFor();
    const path = page.getByLabel("Path of the page");
    await path.fill("home");
    await path.press("Enter");
    await page.getByText("This is no path. It begins with /, as in /reports.").waitFor();
    await path.fill("/home");
    await path.press("Enter");
    await answer(page).getByText("and /home is none of them", { exact: false }).waitFor();
    await path.fill("/cart/2");
    await path.press("Enter");
    await page
      .getByText(/^\u2068Claire Moreau\u2069 \(cust-10330-0p\): gets it, on the next page view$/)
      .waitFor();
    await messagesOf(project, "cust-10330-0p", "/shop");
    await page.reload();
    await page
      .getByText("with the variant “Promise”, and has not reached them yet", { exact: false })
      .first()
      .waitFor();
    await page
      .getByText(/^\u2068Claire Moreau\u2069 \(cust-10330-0p\): gets it, on the next page view$/)
      .waitFor();
    const { id: mail } = await launchEmail(project, { launch: false });
    await page.goto(addressOf(project, `campaigns/${mail}?view=why&user=cust-10330-0p`));
    await answer(page).getByText("The campaign is a draft: launch it.").waitFor();
    await page.getByText("16 other conditions, of which 1 stops it as well").click();
    await page.getByText("Mail to the user goes to claire.moreau@example.com.").waitFor();
  });

  it("shows the conditions of a segment, and says where an audience cannot be read", async (t) => {
    const page = await newPage(t);
    const project = await opened(page);
    await project.api.createSegment({
      body: { key: "berlin", name: "In Berlin", expression: expression(trait("city", "eq", "Berlin")) },
    });
    const { id } = await launchCampaign(project, { audience: { kind: "segment", segment: "berlin" } });
    const segment = await project.api.getSegment({ path: { id: "berlin" } });
    await project.api.updateSegment({
      path: { id: segment.segment.id },
      body: { expression: expression(trait("city", "eq", "Paris")), expectedVersion: 1 },
    });
    await page.goto(addressOf(project, `campaigns/${id}?view=why&user=cust-10330-0p`));
    await answer(page).getByText("not in the segment “In Berlin” (version 1)", { exact: false }).waitFor();
    await answer(page).getByText("city is “Berlin”", { exact: false }).waitFor();
    await answer(page).getByText("has Hamburg", { exact: true }).waitFor();
    await sql`update campaigns set audience = '{"kind": "from the future"}' where id = ${id.slice(4)}`.execute(
      house.database.kysely,
    );
    await page.reload();
    await answer(page)
      .getByText("The audience cannot be read, so it is for no user", { exact: false })
      .waitFor();
    assert.equal(await answer(page).getByRole("listitem").count(), 0);
  });

  it("stops at an email address, and asks the one who is meant", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    const id = await nudge(project);
    await page.goto(addressOf(project, `campaigns/${id}?view=why`));
    await field(page).fill("Claire.Moreau@example.com");
    await field(page).press("Enter");
    await unknownUser(page).getByText("Did you mean this user?").waitFor();
    await unknownUser(page)
      .getByText("Claire Moreau, claire.moreau@example.com, found by the email address")
      .waitFor();
    assert.equal(await page.getByText("does not get it", { exact: false }).count(), 0);
    assert.equal(await page.getByText("other conditions", { exact: false }).count(), 0);
    await suggested(page).press("Enter");
    await page
      .getByText(/cust-10330-0p\)?: does not get it/)
      .first()
      .waitFor();
    assert.equal(await field(page).inputValue(), "cust-10330-0p");
    await page.goBack();
    await unknownUser(page).waitFor();
    assert.deepEqual(complaints, []);
  });

  it("asks whom a name of several means, and finds nobody for a typo", async (t) => {
    const page = await newPage(t);
    const [project, other] = [await opened(page), await house.project()];
    await other.api.identify({ body: { userId: "elsewhere", traits: { name: "Else Where" } } });
    const { user } = await other.api.getUser({ path: { id: "elsewhere" } });
    const id = await nudge(project);
    const ask = (typed: string) =>
      page.goto(addressOf(project, `campaigns/${id}?view=why&user=${encodeURIComponent(typed)}`));
    await ask("moreau");
    await unknownUser(page).getByText("Several users are like that. Whom do you mean?").waitFor();
    assert.deepEqual(await suggested(page).allTextContents(), ["cust-10331-0p", "cust-10330-0p"]);
    for (const typed of [
      "cust-10330-Op",
      "elsewhere",
      user.id,
      "名前 🎉",
      "a\0b",
      "x".repeat(300),
      "%_",
      "<b>",
    ]) {
      await ask(typed);
      if (typed === "%_") await unknownUser(page).getByText("Did you mean this user?").waitFor();
      else await unknownUser(page).getByText("No id, email address or name is like that either.").waitFor();
      assert.equal(await page.getByText("get it", { exact: false }).count(), 0, typed);
    }
    await ask("odd one");
    await suggested(page).click();
    // In parentheses once the name of the user is there.
    await page.getByText(/50%_\/\?#é 🎉\)?: does not get it/).waitFor();
    const many = Array.from({ length: 6 }, (_, n) => ({ userId: `many-${n}`, traits: {} }));
    await project.api.identifyBatch({ body: { users: many } });
    await ask("many");
    await unknownUser(page).getByText("More than five users are like that", { exact: false }).waitFor();
    assert.equal(await suggested(page).count(), 5);
  });
});

describe("an id that nobody has", () => {
  it("is said to be one in a segment, on a user's page, among events and in a preview", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page, "editor");
    const { segment } = await project.api.createSegment({
      body: { key: "berlin", name: "In Berlin", expression: expression(trait("city", "eq", "Berlin")) },
    });
    await page.goto(addressOf(project, `segments/${segment.id}?view=user`));
    await field(page).fill("claire moreau");
    await field(page).press("Enter");
    await unknownUser(page).getByText("Did you mean this user?").waitFor();
    assert.equal(await page.getByText("is not in this segment", { exact: false }).count(), 0);
    await suggested(page).click();
    await page.getByText(/cust-10330-0p\)? is not in this segment/).waitFor();

    await page.goto(addressOf(project, "users/emile@example.com"));
    await unknownUser(page).waitFor();
    await suggested(page).click();
    await title(page, "Émile Moreau");

    await project.sdk.track({ body: { userId: "cust-10331-0p", event: "came" } });
    await page.goto(addressOf(project, "events?user=emile@example.com"));
    await page.getByText("Nobody has this as your own id.").waitFor();
    assert.equal(await page.getByText("No event is like that.").count(), 0);
    await suggested(page).click();
    await page.getByRole("button", { name: "Open came" }).waitFor();
    await page.goto(addressOf(project, "events?user=cust-10330-0p"));
    await page.getByText("No event is like that.").waitFor();

    await page.goto(addressOf(project, "campaigns/new"));
    await page.getByLabel("Title", { exact: true }).fill("Hello");
    const as = page.getByRole("combobox", { name: "As this user" });
    await as.fill("claire");
    await page.getByText("Nobody has this id, so the message below is of before.").waitFor();
    await page
      .getByRole("option", { name: "cust-10330-0p" })
      .getByText("Claire Moreau", { exact: false })
      .click();
    assert.equal(await as.inputValue(), "cust-10330-0p");
    await page.getByText("Nobody has this id", { exact: false }).waitFor({ state: "detached" });
    assert.deepEqual(complaints, []);
  });

  it("is no riddle for the search of everything, which finds people by their names", async (t) => {
    const page = await newPage(t);
    const project = await opened(page);
    await page.goto(addressOf(project, "overview"));
    await page.getByRole("button", { name: "Search", exact: true }).click();
    const search = page.getByRole("combobox", { name: /^Search for a page/ });
    await hasFocus(search);
    await search.fill("claire mor");
    await page.getByRole("option", { name: /^Claire Moreau, \S+@\S+ ?cust-10330-0p$/ }).click();
    await title(page, "Claire Moreau");
  });
});

describe("the pages that say why", () => {
  it("are free of faults in every width and colour", async (t) => {
    const page = await newPage(t);
    const complaints = complaintsOf(page);
    const project = await opened(page);
    const id = await nudge(project);
    const look = (path: string, ready: string) => assertPageFaultless(page, addressOf(project, path), ready);
    await look(`campaigns/${id}?view=why&user=cust-10330-0p`, "11 other conditions");
    await page.getByText("11 other conditions").click();
    await assertFaultlessEverywhere(page, "all conditions");
    await look(`campaigns/${id}?view=why&user=moreau`, "Several users are like that.");
    await look(`campaigns/${id}?view=why&user=${"x".repeat(250)}`, "No id, email address or name");
    await look("users/claire.moreau@example.com", "Did you mean this user?");
    await project.api.identify({ body: { userId: "cust-10330-0p", traits: { city: "Berlin" } } });
    await look(`campaigns/${id}?view=why&user=cust-10330-0p`, "gets it, on the next page view");
    assert.deepEqual(complaints, []);
  });
});
