import assert from "node:assert/strict";
import { rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, afterEach, before, describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { decideAs, leasedCampaign, mutate, PAUSE, propose } from "../../../test/agent.ts";
import { startFile, uploadFile } from "../../../test/bringing.ts";
import { launchEmail, people, sendingProject } from "../../../test/email.ts";
import { feedback, launchCampaign, messagesOf, pausedByGuardrail, toast } from "../../../test/factories.ts";
import { launchedFromCode } from "../../../test/from-code.ts";
import type { TestProject } from "../../../test/harness.ts";
import { click, honeypot, open, reportedBy, sentMail, type TestMail } from "../../../test/mail.ts";
import { observerOf } from "../../../test/observing.ts";
import { type SmtpPeer, startSmtp } from "../../../test/peers/smtp.ts";
import { giveRole, makePerson } from "../../../test/people.ts";
import { fakePostmark, type Saying } from "../../../test/provider-mail.ts";
import { launchPush, MESSAGE, pushHouse, reachable } from "../../../test/push.ts";
import { postReport } from "../../../test/reported-mail.ts";
import { syncOwner } from "../../../test/syncs.ts";
import { openBrowser, visitedProject } from "../../../test/visitors.ts";
import { openReceiver, type Received, type Receiver } from "../../../test/webhooks.ts";
import { visitorIdOf } from "../../domain/visitors.pure.ts";
import { DAY_MS, HOUR_MS } from "../../platform/time/clock.ts";
import { liftSuppressions } from "../email/addresses/lift.ts";
import { SUBSCRIBABLE, type WebhookType } from "./types.pure.ts";

const { house, apns, sendingProject: pushProject } = await pushHouse({ webhooksPrivate: true });
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => {
  smtp.behave({});
  assert.deepEqual(await house.differences(), {});
});

/** A project whose webhook subscribes to everything, and what it got. */
type Listened = { project: TestProject; receiver: Receiver };

async function listening(project: TestProject): Promise<Listened> {
  const receiver = await openReceiver();
  await project.api.createWebhook({ body: { url: receiver.url, types: [...SUBSCRIBABLE] } });
  return { project, receiver };
}
const listened = async (): Promise<Listened> => listening(await house.project());
const mailing = async (settings: Readonly<Record<string, string>> = {}): Promise<Listened> =>
  listening(await sendingProject(house, smtp.port, settings));

/** What came until nothing is left to do. */
async function arrived({ receiver }: Listened): Promise<readonly Received[]> {
  await house.drain();
  return receiver.received;
}
const typesOf = (messages: readonly Received[]): string[] => messages.map(({ type }) => type);
const about = (messages: readonly Received[], topic: string): Received[] =>
  messages.filter(({ type }) => type.startsWith(`${topic}.`));

/** A mail that left ten seconds ago. */
async function mailed(settings?: Parameters<typeof sentMail>[2]): Promise<Listened & { mail: TestMail }> {
  const all = await listened();
  const mail = await sentMail(house, all.project, settings);
  house.advance(10_000);
  return { ...all, mail };
}

/** What a provider reports of a mail that left ten seconds ago. */
async function reported(saying: Saying): Promise<readonly Received[]> {
  const all = await mailed();
  const provider = fakePostmark();
  await reportedBy(house, all.project, provider.name, provider.secret);
  const event = provider.event(saying, { deliveryId: all.mail.deliveryId }, house.now() - 5_000);
  const path = `${provider.name}/${all.project.projectId}`;
  const { status } = await postReport(house, path, provider.post([event], house.now()));
  assert.equal(status, 200);
  return arrived(all);
}

const post = (mail: TestMail, part: string) => fetch(mail.link(part), { method: "POST" });

/** A push that is on a device, which reports something of it. */
async function pushed(...kinds: readonly ("receipt" | "tap" | "action")[]): Promise<readonly Received[]> {
  const all = await listening(await pushProject());
  const device = await reachable(all.project, "ada");
  const message = { ...MESSAGE, actions: [{ id: "open", title: "Open" }] };
  await launchPush(all.project, { message });
  await house.drain();
  const push = apns.taken.findLast(({ token }) => token === device.token)?.payload.tidings;
  const observer = observerOf(all.project, device, push);
  house.advance(1_000);
  for (const kind of kinds) await observer.tell(kind === "action" ? { kind, actionId: "open" } : { kind });
  return arrived(all);
}

/** What a user does with a message in a page. */
async function inPage(...did: readonly ("shown" | "clicked" | "dismissed")[]) {
  const all = await listened();
  const { goal } = await all.project.api.createGoal({ body: { name: "Buy", targetEvent: "bought" } });
  const { id } = await launchCampaign(all.project, { goalId: goal.id });
  await all.project.sdk.identify({ body: { userId: "anna" } });
  const [message] = await messagesOf(all.project, "anna");
  const deliveryId = message?.deliveryId ?? "";
  for (const type of did) {
    house.advance(1_000);
    await feedback(all.project, deliveryId, "anna", type);
  }
  return { ...all, id, deliveryId };
}

async function editorOf({ projectId }: TestProject) {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, "editor");
  return createPeopleClient(house.url, person.headers(projectId));
}

const USERS = "id,email,plan\nanna,anna@example.com,pro\nben,ben@example.com,free\n";
const EVENTS = "id,event,timestamp\nanna,bought,2026-01-01T00:00:00Z\n";

/** What has to happen for each type, and what its messages have to say. */
const cases: Readonly<Record<WebhookType, () => Promise<void>>> = {
  async "delivery.sent"() {
    const all = await mailing();
    await people(all.project, ["anna"]);
    const { id } = await launchEmail(all.project);
    const messages = await arrived(all);
    const [sent, ...more] = messages.filter(({ type }) => type === "delivery.sent");
    assert.equal(more.length, 0);
    assert.deepEqual(sent?.data.campaign, { id, name: "Email", channel: "email" });
    assert.equal(sent?.data.userId, "anna");
    assert.deepEqual(typesOf(about(await pushed(), "delivery")), ["delivery.sent"]);
  },
  async "delivery.delivered"() {
    assert.deepEqual(typesOf(about(await reported("delivered"), "delivery")), ["delivery.delivered"]);
    const byPush = typesOf(about(await pushed("receipt", "receipt"), "delivery"));
    assert.deepEqual(byPush, ["delivery.sent", "delivery.delivered"]);
  },
  async "delivery.shown"() {
    const all = await inPage("shown", "shown");
    const shown = about(await arrived(all), "delivery");
    assert.deepEqual(
      shown.map(({ type, data }) => [type, data.deliveryId, data.userId, data.occasion]),
      [["delivery.shown", all.deliveryId, "anna", 0]],
    );
  },
  async "delivery.opened"() {
    const all = await mailed();
    await open(all.mail);
    await open(all.mail);
    const types = typesOf(about(await arrived(all), "delivery")).filter((type) => type === "delivery.opened");
    assert.equal(types.length, 1);
    const byPush = typesOf(about(await pushed("tap"), "delivery"));
    assert.equal(byPush.filter((type) => type === "delivery.opened").length, 1);
  },
  async "delivery.clicked"() {
    const all = await mailed();
    assert.equal((await click(all.mail)).status, 302);
    const types = typesOf(about(await arrived(all), "delivery"));
    assert.equal(types.filter((type) => type === "delivery.clicked").length, 1);
    const page = typesOf(about(await arrived(await inPage("shown", "clicked")), "delivery"));
    assert.deepEqual(page, ["delivery.shown", "delivery.clicked"]);
    assert.ok(typesOf(await pushed("action")).includes("delivery.clicked"));
  },
  async "delivery.dismissed"() {
    const page = typesOf(about(await arrived(await inPage("shown", "dismissed")), "delivery"));
    assert.deepEqual(page, ["delivery.shown", "delivery.dismissed"]);
  },
  async "delivery.bounced"() {
    const types = typesOf(await reported("permanent"));
    assert.deepEqual(types.filter((type) => /delivery|address/.test(type)).sort(), [
      "address.suppressed",
      "delivery.bounced",
    ]);
  },
  async "delivery.complained"() {
    const messages = await reported("complaint");
    assert.ok(typesOf(messages).includes("delivery.complained"));
    assert.deepEqual(
      about(messages, "address").map(({ data }) => data),
      [{ address: "anna@example.com", reason: "complained" }],
    );
  },
  async "delivery.unsubscribed"() {
    const all = await mailed();
    assert.equal((await post(all.mail, "unsubscribe")).status, 200);
    assert.equal((await post(all.mail, "unsubscribe")).status, 200);
    const messages = await arrived(all);
    assert.equal(typesOf(messages).filter((type) => type === "delivery.unsubscribed").length, 1);
    assert.deepEqual(
      about(messages, "address").map(({ type, data }) => [type, data.reason]),
      [["address.suppressed", "unsubscribed"]],
    );
  },
  async "delivery.converted"() {
    const all = await inPage("shown");
    house.advance(1_000);
    for (let n = 0; n < 2; n++) await all.project.sdk.track({ body: { userId: "anna", event: "bought" } });
    const types = typesOf(about(await arrived(all), "delivery"));
    assert.deepEqual(types, ["delivery.shown", "delivery.converted"]);
  },
  async "delivery.failed"() {
    const all = await mailing();
    smtp.behave({ onRecipient: () => ({ code: 550, text: "5.7.1 Not wanted" }) });
    await people(all.project, ["anna"]);
    await launchEmail(all.project);
    assert.deepEqual(typesOf(about(await arrived(all), "delivery")), ["delivery.failed"]);
  },
  async "delivery.capped"() {
    const all = await mailing({ "email.capMax": "1", "email.capHours": "24" });
    await people(all.project, ["anna"]);
    await launchEmail(all.project);
    await house.drain();
    await launchEmail(all.project, { name: "Another" });
    const messages = about(await arrived(all), "delivery");
    const capped = messages.filter(({ type }) => type === "delivery.capped");
    assert.deepEqual(
      capped.map(({ data }) => (data.campaign as { name: string }).name),
      ["Another"],
    );
  },
  async "delivery.withdrawn"() {
    const all = await mailing({ "pressure.max": "1" });
    await people(all.project, ["anna"]);
    await launchEmail(all.project);
    await house.drain();
    await launchEmail(all.project, { name: "Another", patienceHours: 1 });
    await house.drain();
    house.advance(3_600_000);
    const messages = about(await arrived(all), "delivery");
    const withdrawn = messages.filter(({ type }) => type === "delivery.withdrawn");
    assert.deepEqual(
      withdrawn.map(({ data }) => (data.campaign as { name: string }).name),
      ["Another"],
    );
  },
  async "address.suppressed"() {
    const gone = await mailing();
    smtp.behave({ onRecipient: () => ({ code: 550, text: "5.1.1 No such user" }) });
    await people(gone.project, ["anna"]);
    await launchEmail(gone.project);
    const stopped = about(await arrived(gone), "address");
    assert.deepEqual(
      stopped.map(({ type, data }) => [type, data]),
      [["address.suppressed", { address: "anna@example.com", reason: "bounced" }]],
    );
    const byPerson = await mailed();
    const editor = await editorOf(byPerson.project);
    for (const address of [byPerson.mail.address, byPerson.mail.address, "new@example.com"])
      await editor.suppressEmailAddress({ body: { address } });
    assert.deepEqual(
      about(await arrived(byPerson), "address").map(({ data }) => [data.address, data.reason]),
      [
        [byPerson.mail.address, "manual"],
        ["new@example.com", "manual"],
      ],
    );
  },
  async "address.allowed"() {
    const all = await mailed();
    const { projectId } = all.project;
    await post(all.mail, "unsubscribe");
    await post(all.mail, "resubscribe");
    const editor = await editorOf(all.project);
    for (const name of ["suppressEmailAddress", "allowEmailAddress", "suppressEmailAddress"] as const)
      await editor[name]({ body: { address: all.mail.address } });
    const within = { reason: "manual" as const, since: 0, until: house.now() + 1 };
    const by = { by: "test", at: house.now() };
    assert.equal(await liftSuppressions(house.database.kysely, projectId, within, by), 1);
    const messages = about(await arrived(all), "address");
    const happened = messages.map(({ type, data }) => [type, data.reason]);
    assert.deepEqual(happened, [
      ["address.suppressed", "unsubscribed"],
      ["address.allowed", "unsubscribed"],
      ["address.suppressed", "manual"],
      ["address.allowed", "manual"],
      ["address.suppressed", "manual"],
      ["address.allowed", "manual"],
    ]);
  },
  async "user.identified"() {
    const all = await listened();
    const { sdk, api } = all.project;
    const identify = async (traits: Record<string, string>) => {
      await sdk.identify({ body: { userId: "anna", traits } });
      house.advance(1_000);
    };
    await identify({ plan: "pro" });
    await identify({ plan: "pro" });
    await identify({ plan: "team" });
    const users = ["ben", "cleo"].map((userId) => ({ userId, traits: { plan: "pro" } }));
    await api.identifyBatch({ body: { users } });
    await api.identifyBatch({ body: { users } });
    const firstSeenAt = house.now() - 400 * DAY_MS;
    await api.identifyBatch({ body: { users: [{ userId: "old", traits: { plan: "pro" }, firstSeenAt }] } });
    const id = await uploadFile(all.project, "id,plan\ndora,pro\n", { kind: "users" });
    assert.equal((await startFile(house, all.project, id, { whoLeft: "nobody" })).state, "done");
    await sdk.track({ body: { userId: "eve", event: "looked" } });
    const users1 = about(await arrived(all), "user");
    assert.deepEqual(typesOf(users1), Array(4).fill("user.identified"));
    assert.deepEqual(users1.map(({ data }) => data.userId).sort(), ["anna", "anna", "ben", "cleo"]);
  },
  async "user.merged"() {
    const all = await listening(await visitedProject(house));
    const { project } = all;
    const browser = openBrowser(project, "a-browser");
    await browser.track("looked");
    const { user: visitor } = await project.api.getUser({ path: { id: visitorIdOf("a-browser") } });
    const { id } = await launchCampaign(project, { visitors: "also" });
    const [message] = await browser.messages();
    await browser.feedback(message?.deliveryId ?? "", "shown");
    // Of the visitor alone nothing is said, whatever is known of them.
    await project.sdk.identify({ body: { anonymousId: "a-browser", traits: { plan: "free" } } });
    await browser.signIn("anna");
    await browser.signIn("anna");
    const { user } = await project.api.getUser({ path: { id: "anna" } });
    const messages = await arrived(all);
    assert.deepEqual(
      about(messages, "user").map(({ type, data }) => [type, data.userId ?? data]),
      [
        ["user.identified", "anna"],
        ["user.merged", { user: { id: user.id, externalUserId: "anna" }, visitor: { id: visitor.id } }],
      ],
    );
    // A message about what the visitor got names the user, once they are one.
    const [shown] = about(messages, "delivery");
    const campaign = shown?.data.campaign as { id: string } | undefined;
    assert.deepEqual([shown?.data.userId, campaign?.id], ["anna", id]);
    await project.api.eraseUser({ path: { id: "anna" } });
    const { rows } = await house.database.pool.query(
      "select user_key, data from webhook_messages where project_id = $1 and type = 'user.merged'",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ user_key: null, data: null }]);
    await openBrowser(project, "another").track("looked");
    await project.api.eraseUser({ path: { id: visitorIdOf("another") } });
    assert.deepEqual(typesOf(about(await arrived(all), "user")).slice(2), ["user.erased"]);
  },
  async "user.erased"() {
    const all = await listened();
    await all.project.sdk.identify({ body: { userId: "anna", traits: { plan: "pro" } } });
    await all.project.api.eraseUser({ path: { id: "anna" } });
    assert.deepEqual(
      about(await arrived(all), "user").map(({ type, data }) => [type, data.userId]),
      [
        ["user.identified", null],
        ["user.erased", "anna"],
      ],
    );
  },
  async "campaign.launched"() {
    const all = await listened();
    const { api } = all.project;
    const { id } = await launchCampaign(all.project);
    const body = { name: "Draft", message: toast() };
    const { campaign: draft } = await api.createCampaign({ body });
    await api.setCampaignStatus({ path: { id: draft.id }, body: { action: "launch" } });
    await api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    await api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    const launched = (await arrived(all)).filter(({ type }) => type === "campaign.launched");
    const ids = launched.map(({ data }) => (data.campaign as { id: string }).id);
    assert.deepEqual(ids, [id, draft.id, id]);
    assert.deepEqual(
      launched.map(({ data }) => [data.status, data.by]),
      Array(3).fill(["running", "api"]),
    );
    const fromCode = await listened();
    await launchedFromCode(house, fromCode.project);
    const byItself = (await arrived(fromCode)).filter(({ type }) => type === "campaign.launched");
    assert.equal(byItself.length, 1);
  },
  async "campaign.paused"() {
    const all = await listened();
    const leased = await leasedCampaign(house, all.project);
    await mutate(all.project, leased, PAUSE);
    const paused = about(await arrived(all), "campaign").filter(({ type }) => type === "campaign.paused");
    assert.deepEqual(
      paused.map(({ data }) => [(data.campaign as { id: string }).id, data.status, data.by]),
      [[leased.id, "paused", "agent"]],
    );
  },
  async "campaign.ended"() {
    const all = await mailing();
    await people(all.project, ["anna"]);
    const { id } = await launchEmail(all.project, { once: true });
    await house.drain();
    house.advance(DAY_MS);
    const ended = about(await arrived(all), "campaign").filter(({ type }) => type === "campaign.ended");
    assert.deepEqual(
      ended.map(({ data }) => (data.campaign as { id: string }).id),
      [id],
    );
    assert.equal(ended[0]?.data.status, "ended");
  },
  async "campaign.changed"() {
    const all = await listened();
    const { id } = await launchCampaign(all.project);
    await all.project.api.updateCampaign({ path: { id }, body: { name: "Other", pages: ["/a"] } });
    const changed = about(await arrived(all), "campaign").filter(({ type }) => type === "campaign.changed");
    assert.deepEqual(
      changed.map(({ data }) => data),
      [
        {
          campaign: { id, name: "Other", channel: "web_inapp" },
          status: "running",
          by: "api",
          fields: ["name", "pages"],
        },
      ],
    );
  },
  async "guardrail.breached"() {
    const all = await listened();
    const { id } = await pausedByGuardrail(house, all.project);
    const messages = await arrived(all);
    const breached = messages.filter(({ type }) => type === "guardrail.breached");
    assert.deepEqual(
      breached.map(({ data }) => (data.campaign as { id: string }).id),
      [id],
    );
    assert.match(String(breached[0]?.data.runId), /^run_/);
    const order = typesOf(
      messages.filter((each) => (each.data.campaign as { id?: string } | null)?.id === id),
    );
    assert.ok(order.indexOf("campaign.launched") < order.indexOf("campaign.paused"));
    assert.ok(order.indexOf("campaign.paused") < order.indexOf("guardrail.breached"));
  },
  async "proposal.created"() {
    const all = await listened();
    const leased = await leasedCampaign(house, all.project, { goal: { approvalMode: "require_human" } });
    const { proposal } = await propose(all.project, leased, PAUSE);
    const created = about(await arrived(all), "proposal");
    assert.deepEqual(
      created.map(({ type, data }) => [type, data.proposalId, data.status, data.mutation]),
      [["proposal.created", proposal.id, "pending", PAUSE]],
    );
  },
  async "proposal.decided"() {
    const all = await listened();
    const leased = await leasedCampaign(house, all.project, { goal: { approvalMode: "require_human" } });
    const { proposal } = await propose(all.project, leased, PAUSE);
    await decideAs(house, all.project, proposal.id, "rejected", { reason: "Not now." });
    const [created, decided, ...more] = about(await arrived(all), "proposal");
    assert.deepEqual([created?.type, decided?.type, more], ["proposal.created", "proposal.decided", []]);
    assert.deepEqual([decided?.data.status, decided?.data.reason], ["rejected", "Not now."]);
  },
  async "run.created"() {
    const all = await listened();
    const body = { kind: "note", rationale: "Looked at it." };
    const headers = { "idempotency-key": "once" };
    const { run } = await all.project.agent.createAgentRun({ body, headers });
    await all.project.agent.createAgentRun({ body, headers });
    assert.deepEqual(
      about(await arrived(all), "run").map(({ data }) => data),
      [{ campaign: null, runId: run.id, kind: "note", writtenBy: run.writtenBy, rationale: "Looked at it." }],
    );
  },
  async "import.ended"() {
    const all = await listened();
    const id = await uploadFile(all.project, USERS, { kind: "users" });
    await startFile(house, all.project, id, { dryRun: true });
    assert.deepEqual(about(await arrived(all), "import"), []);
    await startFile(house, all.project, id, { whoLeft: "nobody" });
    const old = await uploadFile(all.project, EVENTS, { kind: "events" });
    await startFile(house, all.project, old);
    // One that is never started is given up after some days.
    const left = await uploadFile(all.project, USERS, { kind: "users", name: "left.csv" });
    house.advance(60 * DAY_MS);
    const messages = await arrived(all);
    assert.deepEqual(
      about(messages, "import").map(({ data }) => [data.importId, data.state, data.lines, data.name]),
      [
        [id, "done", 2, "file.csv"],
        [old, "done", 1, "file.csv"],
        [left, "failed", 0, "left.csv"],
      ],
    );
    assert.deepEqual(about(messages, "user"), []);
    assert.deepEqual(about(messages, "address"), []);
  },
  async "sync.failed"() {
    const all = await listened();
    const owner = await syncOwner(house, all.project);
    const { id } = await owner.create({ lists: ["users"], to: { folder: "told-of" } });
    const folder = join(house.tidings.app.config.syncsFolder ?? "", "told-of");
    await rm(folder, { recursive: true });
    await writeFile(folder, "in the way");
    const came: number[] = [];
    for (let failures = 1; failures <= 4; failures++) {
      came.push(about(await arrived(all), "sync").length);
      house.advance(HOUR_MS);
    }
    assert.deepEqual(came, [0, 0, 1, 1], "once, when it has failed three times in a row");
    assert.deepEqual(
      about(all.receiver.received, "sync").map(({ data }) => data),
      [{ syncId: id, fault: "A file lies where a folder should be." }],
    );
    await rm(folder);
    await arrived(all);
    assert.equal((await owner.read(id)).failingSince, null);
  },
};

describe("each type of message arrives by the way in which it happens", () => {
  for (const type of SUBSCRIBABLE) it(type, () => cases[type]());
});

describe("hits that were a bot's", () => {
  it("are announced where they counted at first; that they were reverted is not", async () => {
    const all = await mailed();
    await open(all.mail);
    await click(all.mail);
    await house.drain();
    await honeypot(all.mail);
    const twice = ["delivery.clicked", "delivery.delivered", "delivery.opened"];
    assert.deepEqual(typesOf(about(await arrived(all), "delivery")).sort(), twice);
    // What a person does after it counts again, and is announced again.
    house.advance(DAY_MS);
    await open(all.mail);
    const again = typesOf(about(await arrived(all), "delivery")).slice(twice.length);
    assert.deepEqual(again.sort(), ["delivery.delivered", "delivery.opened"]);
  });
});
