import assert from "node:assert/strict";
import { after, afterEach, before, describe, it, type TestContext } from "node:test";
import type { BrowserContextOptions, Page } from "playwright-core";
import { launchEmail, people, sendingProject } from "../apps/server/test/email.ts";
import type { TestProject } from "../apps/server/test/harness.ts";
import { type SmtpPeer, startSmtp } from "../apps/server/test/peers/smtp.ts";
import { lastTo, linkIn, makeTopic } from "../apps/server/test/topics.ts";
import { assertFaultless, assertReflows, hasFocus } from "./dashboard.ts";
import { testStage } from "./stage.ts";

const { house, page: newPage } = testStage();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => {
  await house.drain();
  assert.deepEqual(await house.differences(), {});
});

const READER = "ada@example.com";
/** What readers have is a page, whose scripts may be off. */
const PLAIN: BrowserContextOptions = { javaScriptEnabled: false };
/** What looks at a page for faults is a script of its own. */
const LOOKED_AT: BrowserContextOptions = { bypassCSP: true };
const LONG = "Donaudampfschifffahrtselektrizitätenhauptbetriebswerkbauunterbeamtengesellschaft & Söhne";

const heading = (page: Page, name: string): Promise<void> =>
  page.getByRole("heading", { level: 1, name, exact: true }).waitFor();
const box = (page: Page, name: string) => page.getByRole("checkbox", { name, exact: true });
const button = (page: Page, name: string) => page.getByRole("button", { name, exact: true });

/** Opens a page of a reader, which is there. */
async function open(t: TestContext, link: string, options: BrowserContextOptions): Promise<Page> {
  const page = await newPage(t, options);
  const answer = await page.goto(link);
  assert.equal(answer?.status(), 200);
  return page;
}

/** A mail about News that Ada got, in a project that has Tips as well. */
async function reached() {
  const project = await sendingProject(house, smtp.port);
  await people(project, ["ada"]);
  const { id: topicId } = await makeTopic(project);
  await makeTopic(project, { key: "tips", name: "Tips & <tricks>", description: "", isDefault: "out" });
  await launchEmail(project, { topicId });
  await house.drain();
  const mail = lastTo(smtp, READER);
  return { project, topicId, link: (part: string) => linkIn(mail, part) };
}

/** A mail that asks a reader whether they want News. */
async function toConfirm(name = "News") {
  const project = await sendingProject(house, smtp.port);
  const { id: topicId } = await makeTopic(project, { name, isDefault: "out", doubleOptIn: true });
  await project.sdk.subscribe({ body: { email: READER, topics: ["news"] } });
  await house.drain();
  return { project, topicId, link: linkIn(lastTo(smtp, READER), "confirm") };
}

const logOf = async ({ api }: TestProject) =>
  (await api.listConsents({ query: { email: READER } })).consents.map(
    ({ topic, action, via }) => `${topic} ${action} ${via}`,
  );

/** How many mails a campaign brings to Ada. */
async function brought(project: TestProject, topicId: string): Promise<number> {
  smtp.taken.length = 0;
  await launchEmail(project, { topicId });
  await house.drain();
  return smtp.taken.filter(({ to }) => to === READER).length;
}

/** A page without faults in both colours and on a phone, at 320 px too. SHOTS names a folder for pictures. */
async function looksRight(page: Page, what: string): Promise<void> {
  const shots = process.env.SHOTS;
  for (const colorScheme of ["dark", "light"] as const) {
    await page.emulateMedia({ colorScheme, reducedMotion: "reduce" });
    for (const width of [390, 1_280]) {
      await page.setViewportSize({ width, height: 844 });
      if (shots !== undefined)
        await page.screenshot({
          path: `${shots}/${`reader ${what} ${colorScheme} ${width}`.replaceAll(/\W+/g, "-")}.png`,
          fullPage: true,
        });
      await assertFaultless(page, `${what}, ${colorScheme}, ${width} px`);
    }
  }
  await assertReflows(page, what);
}

describe("the page of a reader's choices", () => {
  it("changes what they get, and says so, without scripts", async (t) => {
    const { project, topicId, link } = await reached();
    const page = await open(t, link("unsubscribe"), PLAIN);
    await heading(page, "Stop News from Acme News?");
    await page.getByRole("link", { name: "Choose what you get", exact: true }).click();
    await heading(page, "What you get by email");
    assert.equal(page.url(), link("preferences"));
    assert.equal(await box(page, "News").isChecked(), true);
    assert.equal(await box(page, "Tips & <tricks>").isChecked(), false);
    await page.getByText("What is new.", { exact: true }).waitFor();
    assert.deepEqual(await logOf(project), [], "to open a page changes nothing");
    await box(page, "News").uncheck();
    await page.getByText("Tips & <tricks>", { exact: true }).click();
    await button(page, "Save").click();
    await heading(page, "Saved");
    await page.getByText("From now on Acme News sends you what is ticked.", { exact: true }).waitFor();
    assert.equal(await box(page, "News").isChecked(), false);
    assert.equal(await box(page, "Tips & <tricks>").isChecked(), true);
    assert.deepEqual((await logOf(project)).toSorted(), ["news left preferences", "tips joined preferences"]);
    assert.equal(await brought(project, topicId), 0);
    // What was saved is there whenever they come again, and saved again it adds nothing.
    await page.goto(link("preferences"));
    await heading(page, "What you get by email");
    assert.equal(await box(page, "News").isChecked(), false);
    await button(page, "Save").click();
    await heading(page, "Saved");
    assert.equal((await logOf(project)).length, 2);
  });

  it("stops everything, and a tick brings it back", async (t) => {
    const { project, topicId, link } = await reached();
    const page = await open(t, link("preferences"), PLAIN);
    await button(page, "Stop all email from Acme News").click();
    await heading(page, "You are unsubscribed");
    assert.equal(await brought(project, topicId), 0);
    await page.goto(link("preferences"));
    await page.getByText("You have unsubscribed from all email from Acme News.", { exact: false }).waitFor();
    assert.equal(await page.getByRole("checkbox", { checked: true }).count(), 0);
    assert.equal(await button(page, "Stop all email from Acme News").count(), 0);
    await box(page, "News").check();
    await button(page, "Save").click();
    await heading(page, "Saved");
    assert.equal(await box(page, "News").isChecked(), true);
    assert.equal(await box(page, "Tips & <tricks>").isChecked(), false);
    assert.equal(await brought(project, topicId), 1);
  });

  it("is worked by keys alone", async (t) => {
    const { project, link } = await reached();
    const page = await open(t, link("preferences"), PLAIN);
    await page.keyboard.press("Tab");
    await hasFocus(box(page, "News"));
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await hasFocus(box(page, "Tips & <tricks>"));
    await page.keyboard.press("Space");
    await page.keyboard.press("Tab");
    await hasFocus(button(page, "Save"));
    await page.keyboard.press("Enter");
    await heading(page, "Saved");
    assert.equal(await box(page, "News").isChecked(), false);
    assert.equal(await box(page, "Tips & <tricks>").isChecked(), true);
    for (let pressed = 0; pressed < 4; pressed++) await page.keyboard.press("Tab");
    await hasFocus(button(page, "Stop all email from Acme News"));
    await page.keyboard.press("Enter");
    await heading(page, "You are unsubscribed");
    const { subscriptions } = await project.api.getUserSubscriptions({ path: { id: "ada" } });
    assert.equal(subscriptions.stopped, true);
  });

  it("has nothing that axe-core finds and fits every width and colour, whatever it says", async (t) => {
    const { project, link } = await reached();
    await makeTopic(project, { key: "long", name: LONG.slice(0, 80), description: LONG.repeat(4) });
    const page = await open(t, link("unsubscribe"), LOOKED_AT);
    await looksRight(page, "leaving a topic");
    await page.goto(link("preferences"));
    await looksRight(page, "choices");
    await button(page, "Save").click();
    await heading(page, "Saved");
    await looksRight(page, "choices, saved");
    await button(page, "Stop all email from Acme News").click();
    await heading(page, "You are unsubscribed");
    await page.goto(link("preferences"));
    await page.getByText("You have unsubscribed from all email", { exact: false }).waitFor();
    await looksRight(page, "choices of one who gets nothing");
  });
});

describe("the page that confirms", () => {
  it("joins by its button alone, without scripts and by keys", async (t) => {
    const { project, topicId, link } = await toConfirm();
    const page = await open(t, link, PLAIN);
    await heading(page, "Get News?");
    assert.deepEqual(await logOf(project), ["news requested form"], "to open a page changes nothing");
    assert.equal(await brought(project, topicId), 0);
    await page.keyboard.press("Tab");
    await hasFocus(button(page, "Yes, I want it"));
    await page.keyboard.press("Enter");
    await heading(page, "You are subscribed");
    await page.getByText(`Acme News sends email about News to ${READER}.`, { exact: true }).waitFor();
    assert.deepEqual(await logOf(project), ["news confirmed confirmation", "news requested form"]);
    await page.goto(link);
    await heading(page, "You are subscribed");
    assert.equal(await page.getByRole("button").count(), 0);
    assert.equal((await logOf(project)).length, 2);
    assert.equal(await brought(project, topicId), 1);
  });

  it("has nothing that axe-core finds and fits every width and colour", async (t) => {
    const { link } = await toConfirm(LONG.slice(0, 80));
    const page = await open(t, link, LOOKED_AT);
    await looksRight(page, "confirming");
    await button(page, "Yes, I want it").click();
    await heading(page, "You are subscribed");
    await looksRight(page, "confirmed");
  });
});
