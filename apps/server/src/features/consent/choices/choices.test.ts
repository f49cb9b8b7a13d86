import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject } from "../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { lastTo, linkIn, makeTopic } from "../../../../test/topics.ts";
import { MINUTE_MS } from "../../../platform/time/clock.ts";

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

type Wanted = "in" | "out";

const choose = ({ api }: TestProject, id: string, topic: string, wants: Wanted, channel?: "email" | "push") =>
  api.putUserSubscriptions({
    path: { id },
    body: { choices: [{ topic, wants, ...(channel !== undefined && { channel }) }] },
  });

const emailOf = async ({ api }: TestProject, id: string) => {
  const { subscriptions } = await api.getUserSubscriptions({ path: { id } });
  return subscriptions.topics.map(({ topic, email }) => [topic, email?.wants ?? null]);
};

const recipients = (): string[] => smtp.taken.map(({ to }) => to).sort();

describe("choices that a server writes", () => {
  it("are those of the address: of each user who has it, whatever its case, and of none who had it before", async () => {
    const project = await sendingProject(house, smtp.port);
    await makeTopic(project);
    const { api } = project;
    await api.identify({ body: { userId: "ada", traits: { email: "Ada@Example.com" } } });
    await api.identify({ body: { userId: "twin", traits: { email: "ada@example.com" } } });
    await choose(project, "ada", "news", "out");
    assert.deepEqual(await emailOf(project, "twin"), [["news", "out"]]);
    await api.identify({ body: { userId: "ada", traits: { email: "new@example.com" } } });
    assert.deepEqual(await emailOf(project, "ada"), [["news", "in"]]);
    const { subscriptions } = await api.getUserSubscriptions({ path: { id: "ada" } });
    assert.equal(subscriptions.address, "new@example.com");
  });

  it("log what changed and nothing else, by whom it was, also where two are written at once", async () => {
    const project = await sendingProject(house, smtp.port);
    await makeTopic(project);
    await people(project, ["ada"]);
    await Promise.all(Array.from({ length: 8 }, () => choose(project, "ada", "news", "out")));
    await choose(project, "ada", "news", "out", "push");
    await choose(project, "ada", "news", "in");
    const { consents } = await project.api.listConsents({ query: { userId: "ada" } });
    assert.deepEqual(
      consents.map(({ channel, action, via, by }) => [channel, action, via, by]),
      [
        ["email", "joined", "api", null],
        ["push", "left", "api", null],
        ["email", "left", "api", null],
      ],
    );
  });

  it("are refused in words, and then nothing of them is written", async () => {
    const project = await sendingProject(house, smtp.port);
    await makeTopic(project);
    await makeTopic(project, { key: "tips", name: "Tips" });
    await people(project, ["ada"]);
    await project.api.identify({ body: { userId: "paperless", traits: {} } });
    const put = async (id: string, choices: unknown) =>
      refusal(project.api.putUserSubscriptions({ path: { id }, body: { choices } as never }));
    const news = { topic: "news", wants: "out" };
    assert.match(
      (await put("ada", [news, { topic: "nothing", wants: "out" }])).error,
      /^choices\[1\]\.topic/,
    );
    assert.match((await put("ada", [news, news])).error, /^choices\[1\]\.topic is given twice/);
    assert.match((await put("ada", [{ ...news, wants: "maybe" }])).error, /^choices\[0\]\.wants/);
    assert.match((await put("ada", [{ ...news, channel: "fax" }])).error, /^choices\[0\]\.channel/);
    assert.match((await put("ada", [{ topic: "n\u0000", wants: "in" }])).error, /^choices\[0\]\.topic/);
    assert.match((await put("ada", [])).error, /^choices/);
    assert.match((await put("ada", [{ ...news, extra: 1 }])).error, /extra/);
    const paperless = await put("paperless", [{ ...news, channel: "push" }, news]);
    assert.deepEqual(paperless.body, { error: paperless.error, reason: "no_address" });
    assert.equal((await put("stranger", [news])).status, 404);
    await project.api.updateTopic({ path: { id: "tips" }, body: { status: "archived" } });
    assert.match((await put("ada", [{ topic: "tips", wants: "out" }])).error, /not archived/);
    assert.deepEqual((await project.api.listConsents()).consents, []);
    const other = await house.project();
    await other.api.identify({ body: { userId: "ada", traits: { email: "ada@example.com" } } });
    const body = { choices: [{ topic: "news", wants: "in" as const }] };
    const theirs = await refusal(other.api.putUserSubscriptions({ path: { id: "ada" }, body }));
    assert.match(theirs.error, /^choices\[0\]\.topic/);
  });

  it("keep no address in that unsubscribed from everything", async () => {
    const project = await sendingProject(house, smtp.port);
    const { id: topicId } = await makeTopic(project);
    await people(project, ["ada"]);
    await launchEmail(project);
    await house.drain();
    await fetch(linkIn(lastTo(smtp, "ada@example.com"), "unsubscribe"), { method: "POST" });
    smtp.taken.length = 0;
    await choose(project, "ada", "news", "in");
    await launchEmail(project, { topicId });
    await house.drain();
    assert.deepEqual(recipients(), []);
    const { subscriptions } = await project.api.getUserSubscriptions({ path: { id: "ada" } });
    assert.equal(subscriptions.stopped, true);
    const { consents } = await project.api.listConsents();
    assert.deepEqual(
      consents.map(({ topic, action, via }) => [topic, action, via]),
      [
        ["news", "joined", "api"],
        [null, "left", "one_click"],
      ],
    );
  });
});

describe("the log", () => {
  it("is read in pages, newest first, of all readers or of one", async () => {
    const project = await sendingProject(house, smtp.port);
    await makeTopic(project);
    await people(project, ["ada", "ben", "cleo"]);
    for (const id of ["ada", "ben", "cleo"]) await choose(project, id, "news", "out");
    const { api } = project;
    const first = await api.listConsents({ query: { limit: 2 } });
    assert.deepEqual(
      first.consents.map(({ address }) => address),
      ["cleo@example.com", "ben@example.com"],
    );
    assert.ok(first.next);
    const rest = await api.listConsents({ query: { limit: 2, before: first.next } });
    assert.deepEqual([rest.consents.map(({ address }) => address), rest.next], [["ada@example.com"], null]);
    const { consents } = await api.listConsents({ query: { email: "BEN@example.com" } });
    assert.deepEqual(consents.length, 1);
    assert.match((await refusal(api.listConsents({ query: { before: "x" } }))).error, /^before/);
    assert.match((await refusal(api.listConsents({ query: { email: "x" } }))).error, /^email/);
    assert.equal((await refusal(api.listConsents({ query: { userId: "stranger" } }))).status, 404);
    const other = await house.project();
    assert.deepEqual((await other.api.listConsents()).consents, []);
  });

  it("forgets who an erased user was; that their address left stays, and an old mail still leaves a topic", async () => {
    const project = await sendingProject(house, smtp.port);
    const { id: topicId } = await makeTopic(project);
    await makeTopic(project, { key: "tips", name: "Tips", isDefault: "out" });
    await people(project, ["ada", "ben"]);
    await choose(project, "ada", "news", "out");
    await choose(project, "ada", "tips", "in");
    await choose(project, "ada", "tips", "out", "push");
    await launchEmail(project, { topicId });
    await house.drain();
    const link = linkIn(lastTo(smtp, "ben@example.com"), "unsubscribe");
    await project.api.eraseUser({ path: { id: "ada" } });
    await project.api.eraseUser({ path: { id: "ben" } });
    const { consents } = await project.api.listConsents();
    assert.equal(consents.length, 3);
    assert.doesNotMatch(JSON.stringify(consents), /ada|example\.com/);
    assert.match(await (await fetch(link, { method: "POST" })).text(), /no more email about News/);
    await people(project, ["ada", "ben"]);
    assert.deepEqual(await emailOf(project, "ada"), [
      ["news", "out"],
      ["tips", "out"],
    ]);
    assert.deepEqual(await emailOf(project, "ben"), [
      ["news", "out"],
      ["tips", "out"],
    ]);
    const { subscriptions } = await project.api.getUserSubscriptions({ path: { id: "ada" } });
    assert.equal(subscriptions.topics[1]?.push.chosenAt, null);
  });
});

describe("a campaign about a topic", () => {
  it("counts readers who do not want it as explain says it of each, and sends to those who want it then", async () => {
    const project = await sendingProject(house, smtp.port);
    const ids = Array.from({ length: 6 }, (_, n) => `user-${n}`);
    await people(project, ids);
    const { id: topicId } = await makeTopic(project, { isDefault: "out" });
    for (const id of ids.slice(0, 2)) await choose(project, id, "news", "in");
    await choose(project, "user-5", "news", "out");
    const { id } = await launchEmail(project, { topicId, launch: false });
    const { unreachable, willReceive } = await project.api.takeCampaignCensus({ path: { id } });
    const unwanted = unreachable.find(({ reason }) => reason === "not_subscribed");
    assert.deepEqual([unwanted?.users, willReceive], [4, 2]);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    await house.drain();
    assert.deepEqual(recipients(), ["user-0@example.com", "user-1@example.com"]);
    await choose(project, "user-4", "news", "in");
    house.advance(MINUTE_MS);
    await house.drain();
    assert.deepEqual(recipients(), ["user-0@example.com", "user-1@example.com", "user-4@example.com"]);
    assert.equal((await progressOf(project, id)).planned, 3);
  });

  it("takes another topic while it runs: what waits is judged by the new one", async () => {
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada", "ben"]);
    const news = await makeTopic(project);
    const tips = await makeTopic(project, { key: "tips", name: "Tips", isDefault: "out" });
    await choose(project, "ben", "tips", "in");
    const { id } = await launchEmail(project, { deliverFrom: house.now() + MINUTE_MS, topicId: news.id });
    await house.drain();
    const { campaign } = await project.api.updateCampaign({ path: { id }, body: { topicId: tips.id } });
    assert.equal(campaign.topicId, tips.id);
    house.advance(MINUTE_MS);
    await house.drain();
    assert.deepEqual(recipients(), ["ben@example.com"]);
    await project.api.updateCampaign({ path: { id }, body: { topicId: null } });
    house.advance(MINUTE_MS);
    await house.drain();
    assert.deepEqual(recipients(), ["ada@example.com", "ben@example.com"]);
  });

  it("does not launch without one where the project wants one, nor about an archived one", async () => {
    const project = await sendingProject(house, smtp.port, { "topics.required": "true" });
    const { api } = project;
    const refused = await refusal(launchEmail(project));
    assert.deepEqual([refused.status, (refused.body as { reason?: string }).reason], [409, "topic_missing"]);
    const topic = await makeTopic(project);
    const { id } = await launchEmail(project, { topicId: topic.id });
    const inUse = await refusal(api.updateTopic({ path: { id: "news" }, body: { status: "archived" } }));
    assert.deepEqual([inUse.status, (inUse.body as { reason?: string }).reason], [409, "in_use"]);
    await api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    await api.updateTopic({ path: { id: topic.id }, body: { status: "archived" } });
    const archived = await refusal(launchEmail(project, { topicId: topic.id }));
    assert.match(archived.error, /archived/);
  });

  it("is refused where the topic is none, or the campaign can have none", async () => {
    const project = await sendingProject(house, smtp.port);
    const { id } = await makeTopic(project);
    const make = (body: object) => refusal(launchEmail(project, { launch: false, ...body }));
    assert.match((await make({ topicId: "nothing" })).error, /topicId/);
    assert.match((await make({ topicId: "top_00000000-0000-7000-8000-000000000000" })).error, /topicId/);
    const other = await house.project();
    const { id: theirs } = await makeTopic(other, { key: "theirs" });
    assert.match((await make({ topicId: theirs })).error, /topicId/);
    const web = { channel: "web_inapp", message: { presentation: "toast", title: "Hello" } } as const;
    assert.match((await make({ ...web, topicId: id })).error, /topicId/);
  });
});

describe("topics", () => {
  it("are at most fifty that are not archived, of which each has a key of its own", async () => {
    const project = await house.project();
    const keys = Array.from({ length: 52 }, (_, n) => `topic-${n}`);
    const made = await Promise.allSettled(keys.map((key) => makeTopic(project, { key })));
    assert.equal(made.filter(({ status }) => status === "fulfilled").length, 50);
    const { topics } = await project.api.listTopics({ query: { status: "active" } });
    assert.equal(topics.length, 50);
    const [first] = topics;
    assert.ok(first);
    await project.api.updateTopic({ path: { id: first.key }, body: { status: "archived" } });
    const taken = await refusal(makeTopic(project, { key: first.key }));
    assert.deepEqual([taken.status, (taken.body as { reason?: string }).reason], [409, "key_taken"]);
    await makeTopic(project, { key: "the-last-one" });
    const back = await refusal(
      project.api.updateTopic({ path: { id: first.key }, body: { status: "active" } }),
    );
    assert.deepEqual([back.status, (back.body as { reason?: string }).reason], [409, "too_many"]);
    for (const key of ["News", "a b", "", "ü", "x".repeat(65)])
      assert.match((await refusal(makeTopic(project, { key }))).error, /^key/);
    assert.match(
      (
        await refusal(
          project.api.updateTopic({ path: { id: first.key }, body: { isDefault: "in" } as never }),
        )
      ).error,
      /isDefault/,
    );
  });
});
