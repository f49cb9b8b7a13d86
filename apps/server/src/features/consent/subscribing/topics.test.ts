import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject } from "../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { lastTo, linkIn, makeTopic, textOf } from "../../../../test/topics.ts";
import { DAY_MS, MINUTE_MS } from "../../../platform/time/clock.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => {
  await house.drain();
  smtp.taken.length = 0;
  assert.deepEqual(await house.differences(), {});
});

const press = async (link: string, body = ""): Promise<string> => {
  const response = await fetch(link, {
    method: "POST",
    body,
    headers: { "content-type": "application/x-www-form-urlencoded" },
  });
  assert.equal(response.status, 200);
  return response.text();
};
const page = async (link: string): Promise<string> => (await fetch(link)).text();

const recipients = (): string[] => smtp.taken.map(({ to }) => to).sort();

/** What became of a user of a campaign, as explain says it. */
const reasonOf = async ({ api }: TestProject, id: string, userId: string) => {
  const { gates } = await api.explainCampaign({ path: { id }, body: { userId } });
  const stopped = gates.find(({ passes }) => passes === false);
  return stopped === undefined ? null : [stopped.gate, "reason" in stopped ? stopped.reason : null];
};

describe("a campaign about a topic", () => {
  it("goes to who has not left one that all get, and to who joined one that they have to join", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada", "ben", "cleo"]);
    const news = await makeTopic(project);
    const tips = await makeTopic(project, { key: "tips", name: "Tips", isDefault: "out" });
    await project.api.putUserSubscriptions({
      path: { id: "ada" },
      body: { choices: [{ topic: "news", wants: "out" }] },
    });
    await project.api.putUserSubscriptions({
      path: { id: "ben" },
      body: { choices: [{ topic: "tips", wants: "in" }] },
    });
    const first = await launchEmail(project, { topicId: news.id });
    await house.drain();
    assert.deepEqual(recipients(), ["ben@example.com", "cleo@example.com"]);
    smtp.taken.length = 0;
    const second = await launchEmail(project, { topicId: tips.id });
    await house.drain();
    assert.deepEqual(recipients(), ["ben@example.com"]);
    assert.deepEqual(await reasonOf(project, first.id, "ada"), ["topic", "not_subscribed"]);
    assert.deepEqual(await reasonOf(project, second.id, "cleo"), ["topic", "not_subscribed"]);
    assert.equal((await progressOf(project, second.id)).planned, 1);
  });

  it("is left by one click, and everything else is not", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada"]);
    const news = await makeTopic(project);
    await launchEmail(project, { topicId: news.id });
    await house.drain();
    const mail = lastTo(smtp, "ada@example.com");
    const link = linkIn(mail, "unsubscribe");
    assert.match(await page(link), /Stop News from Acme News\?/);
    assert.match(await press(link, "List-Unsubscribe=One-Click"), /no more email about News/);
    smtp.taken.length = 0;
    await launchEmail(project, { topicId: news.id });
    await house.drain();
    assert.deepEqual(recipients(), []);
    await launchEmail(project);
    await house.drain();
    assert.deepEqual(recipients(), ["ada@example.com"]);
    const { consents } = await project.api.listConsents({ query: { userId: "ada" } });
    assert.deepEqual(
      consents.map(({ topic, action, via, address }) => [topic, action, via, address]),
      [["news", "left", "one_click", "ada@example.com"]],
    );
    // Pressed again, nothing is added; taken back, it is.
    await press(link);
    assert.match(await press(link.replace(/unsubscribe$/, "resubscribe")), /may send email about News/);
    assert.deepEqual(
      (await project.api.listConsents({ query: { email: "ADA@example.com" } })).consents.map(
        ({ action }) => action,
      ),
      ["joined", "left"],
    );
    assert.match(await press(`${link}?from=everything`), /no more of these emails/);
    smtp.taken.length = 0;
    await launchEmail(project);
    await house.drain();
    assert.deepEqual(recipients(), []);
  });

  it("leads to a page of choices, which shows before it changes, and keeps what it did not show", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada"]);
    const news = await makeTopic(project);
    await makeTopic(project, { key: "tips", name: "Tips & <tricks>", isDefault: "out" });
    await launchEmail(project, { topicId: news.id });
    await house.drain();
    const link = linkIn(lastTo(smtp, "ada@example.com"), "preferences");
    const shown = await page(link);
    assert.match(shown, /value="news" aria-describedby="topic-news-about" checked/);
    assert.match(shown, /Tips &amp; &lt;tricks&gt;/);
    assert.deepEqual((await project.api.listConsents()).consents, []);
    const later = await makeTopic(project, { key: "later", name: "Later" });
    assert.match(await press(link, "shown=news&shown=tips&topic=tips"), /Saved/);
    const { subscriptions } = await project.api.getUserSubscriptions({ path: { id: "ada" } });
    assert.deepEqual(
      subscriptions.topics.map(({ topic, email }) => [topic, email?.wants, email?.chosenAt !== null]),
      [
        ["later", "in", false],
        ["news", "out", true],
        ["tips", "in", true],
      ],
    );
    assert.equal(later.key, "later");
    await press(link.replace("preferences", "unsubscribe?from=everything"));
    assert.match(await page(link), /You have unsubscribed from all email/);
    await press(link, "shown=news&shown=tips");
    assert.equal(
      (await project.api.getUserSubscriptions({ path: { id: "ada" } })).subscriptions.stopped,
      true,
    );
    await press(link, "shown=news&shown=tips&topic=news");
    assert.equal(
      (await project.api.getUserSubscriptions({ path: { id: "ada" } })).subscriptions.stopped,
      false,
    );
    const { consents } = await project.api.listConsents({ query: { limit: 3 } });
    assert.deepEqual(
      consents.map(({ topic, action, via }) => [topic, action, via]),
      [
        [null, "joined", "preferences"],
        ["tips", "left", "preferences"],
        ["news", "joined", "preferences"],
      ],
    );
  });
});

describe("joining by email", () => {
  it("asks the owner of the address, and joins with the button alone, once", async () => {
    const project = await sendingProject(house, smtp.port);
    const news = await makeTopic(project, { isDefault: "out", doubleOptIn: true });
    const body = {
      email: "Reader@example.com",
      topics: ["news"],
      source: "footer",
      form: "Yes, send me news.",
    };
    assert.deepEqual(await project.sdk.subscribe({ body }), { confirmationSent: true, joined: [] });
    await house.drain();
    const mail = lastTo(smtp, "Reader@example.com");
    assert.match(textOf(mail), /Subject: Please confirm: News/);
    const link = linkIn(mail, "confirm");
    assert.match(await page(link), /Get News\?/);
    await launchEmail(project, { topicId: news.id, name: "before" });
    await house.drain();
    assert.equal(smtp.taken.length, 1);
    assert.match(await press(link), /You are subscribed/);
    await launchEmail(project, { topicId: news.id, name: "after" });
    await launchEmail(project, { name: "about everything" });
    house.advance(MINUTE_MS);
    await house.drain();
    smtp.taken.shift();
    // The first campaign goes on to readers who come later.
    assert.deepEqual(recipients(), ["Reader@example.com", "Reader@example.com"]);
    const left = linkIn(lastTo(smtp, "Reader@example.com"), "unsubscribe");
    await press(left);
    assert.match(await press(link), /You are subscribed/);
    const { consents } = await project.api.listConsents({ query: { email: "reader@example.com" } });
    assert.deepEqual(
      consents.map(({ action, via, source, form }) => [action, via, source, form?.length ?? null]),
      [
        ["left", "one_click", null, null],
        ["confirmed", "confirmation", "footer", 64],
        ["requested", "form", "footer", 64],
      ],
    );
  });

  it("asks an address three times a day, and its button works for seven days", async () => {
    const project = await sendingProject(house, smtp.port);
    await makeTopic(project, { isDefault: "out", doubleOptIn: true });
    const ask = () => project.api.subscribe({ body: { email: "a@example.com", topics: ["news"] } });
    for (let round = 0; round < 3; round++) await ask();
    assert.equal((await refusal(ask())).status, 429);
    await house.drain();
    house.advance(DAY_MS);
    await ask();
    await house.drain();
    assert.equal(smtp.taken.filter(({ to }) => to === "a@example.com").length, 4);
    const link = linkIn(lastTo(smtp, "a@example.com"), "confirm");
    house.advance(7 * DAY_MS + 1);
    assert.equal((await fetch(link)).status, 404);
    assert.equal((await fetch(link, { method: "POST" })).status, 404);
    assert.equal((await fetch(link.replace(/.{5}(?=\/confirm)/, "AAAAA"))).status, 404);
  });

  it("reaches a reader once who is also a user", async () => {
    const project = await sendingProject(house, smtp.port);
    const news = await makeTopic(project, { isDefault: "out" });
    await project.api.subscribe({ body: { email: "ada@example.com", topics: ["news"] } });
    await people(project, ["ada", "ben"]);
    await project.api.subscribe({ body: { userId: "ben", topics: ["news"] } });
    const { id } = await launchEmail(project, { topicId: news.id });
    await house.drain();
    assert.deepEqual(recipients(), ["ada@example.com", "ben@example.com"]);
    assert.deepEqual(await reasonOf(project, id, "mailto:ada@example.com"), ["guest", "known_twice"]);
  });

  it("reaches a reader once whose user has the address with space and capitals", async () => {
    const project = await sendingProject(house, smtp.port);
    const news = await makeTopic(project);
    await project.api.subscribe({ body: { email: "ada@example.com", topics: ["news"] } });
    await project.sdk.identify({ body: { userId: "ada", traits: { email: "  Ada@Example.com " } } });
    const { id } = await launchEmail(project, { topicId: news.id });
    await house.drain();
    assert.deepEqual(
      recipients().map((to) => to.toLowerCase()),
      ["ada@example.com"],
    );
    assert.deepEqual(await reasonOf(project, id, "mailto:ada@example.com"), ["guest", "known_twice"]);
  });

  it("reaches a reader with what they joined, and with nothing that others get by default", async () => {
    const project = await sendingProject(house, smtp.port);
    const { id: everybody } = await makeTopic(project);
    const { id: topicId } = await makeTopic(project, { key: "tips", name: "Tips", isDefault: "out" });
    await project.api.subscribe({ body: { email: "ada@example.com", topics: ["tips"] } });
    const { id } = await launchEmail(project, { topicId: everybody, launch: false });
    const { unreachable, willReceive } = await project.api.takeCampaignCensus({ path: { id } });
    assert.equal(unreachable.find(({ reason }) => reason === "not_joined")?.users, 1);
    assert.equal(willReceive, 0);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    await house.drain();
    assert.deepEqual(recipients(), []);
    assert.deepEqual(await reasonOf(project, id, "mailto:ada@example.com"), ["guest", "not_joined"]);
    await launchEmail(project, { topicId });
    await house.drain();
    assert.deepEqual(recipients(), ["ada@example.com"]);
  });

  it("is refused in words", async () => {
    const project = await sendingProject(house, smtp.port);
    await makeTopic(project);
    const ask = async (body: object) => (await refusal(project.api.subscribe({ body: body as never }))).error;
    assert.match(await ask({ topics: ["news"] }), /exactly one of userId and email/);
    assert.match(await ask({ email: "a@example.com", userId: "a", topics: ["news"] }), /exactly one/);
    assert.match(await ask({ email: "no address", topics: ["news"] }), /^email must be an email address/);
    assert.match(await ask({ email: "a@example.com", topics: ["nothing"] }), /^topics\[0\]/);
    assert.match(await ask({ email: "a@example.com", topics: [] }), /^topics/);
    assert.match(await ask({ userId: "nobody-here", topics: ["news"] }), /not found/i);
  });
});
