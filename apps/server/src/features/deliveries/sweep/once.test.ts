import assert from "node:assert/strict";
import { after, before, beforeEach, describe, it } from "node:test";
import { type Answer, createPeopleClient } from "@tidings/client";
import { explain, gateOf } from "../../../../test/eligibility.ts";
import { launchEmail, people, progressOf, sendingProject } from "../../../../test/email.ts";
import { refusal, type TestProject } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { giveRole, makePerson } from "../../../../test/people.ts";
import { BELIEVED_MS, hashOf, secretOf } from "../../../../test/perimeter.ts";
import { launchPush, pushHouse, reachable } from "../../../../test/push.ts";
import { untilWaiting } from "../../../../test/waiting.ts";
import { uuidOf } from "../../../domain/ids.ts";
import { DAY_MS, HOUR_MS, MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";

const { house, apns, sendingProject: pushingProject } = await pushHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
beforeEach(() => smtp.behave({}));

const IDS = Array.from({ length: 8 }, (_, n) => `reader-${n}`);
/** A refusal for now, so that mail waits. */
const LATER = { code: 451, text: "4.7.1 Try again later" };
const ON_PRO = { targeting: { traits: { plan: "pro" } } };

/** A project whose mail goes to the server of these tests, from addresses of its own. */
async function mailing(ids: readonly string[] = IDS): Promise<TestProject & { domain: string }> {
  const project = await sendingProject(house, smtp.port);
  const domain = `${project.projectId.replaceAll("_", "-").toLowerCase()}.example`;
  await people(project, ids, domain);
  return { ...project, domain };
}

const takenOf = ({ domain }: { domain: string }): string[] =>
  smtp.taken.flatMap(({ to }) => (to.endsWith(`@${domain}`) ? [to.slice(0, to.indexOf("@"))] : [])).sort();

const campaignOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign;
const statusOf = async (project: TestProject, id: string) => (await campaignOf(project, id)).status;

/** Lets the next look at campaigns that are sent once find that they may end. */
async function finish(): Promise<void> {
  await house.drain();
  house.advance(5 * SECOND_MS);
  await house.drain();
}

/** Lets all sweeps begin again. */
async function sweepAgain(): Promise<void> {
  house.advance(2 * MINUTE_MS);
  await house.drain();
}

const census = ({ api }: TestProject, id: string): Promise<Answer<"takeCampaignCensus">> =>
  api.takeCampaignCensus({ path: { id } });
const tooLate = ({ unreachable }: Answer<"takeCampaignCensus">): number | undefined =>
  unreachable.find(({ reason }) => reason === "too_late")?.users;

describe("a campaign that is sent once", () => {
  it("reaches the users who match, ends by itself, and leaves out who comes later", async () => {
    const project = await mailing();
    const { id, once } = await launchEmail(project, { once: true });
    assert.equal(once, true);
    const endless = await launchEmail(project);
    await finish();
    assert.deepEqual(takenOf(project), [...IDS, ...IDS].sort());
    const ended = await campaignOf(project, id);
    assert.deepEqual(
      [ended.status, ended.endedBy?.by, ended.endedBy?.at],
      ["ended", "itself", ended.endedAt],
    );
    assert.ok(ended.passEndedAt !== null && ended.passEndedAt <= (ended.endedAt ?? 0));
    await people(project, ["late"], project.domain);
    await sweepAgain();
    assert.deepEqual(
      takenOf(project).filter((to) => to === "late"),
      ["late"],
      "the other campaign goes on",
    );
    assert.equal(await statusOf(project, endless.id), "running");
    assert.equal((await progressOf(project, id)).planned, IDS.length);
    const counts = await census(project, id);
    assert.deepEqual(
      [counts.matched, counts.alreadyDelivered, tooLate(counts), counts.willReceive],
      [9, 8, 1, 0],
    );
    const found = await explain(project, id, "late");
    assert.deepEqual([gateOf(found, "pass").passes, gateOf(found, "pass").reason], [false, "too_late"]);
    assert.equal(gateOf(found, "pass").passEndedAt, ended.passEndedAt);
    const { planning } = await project.api.getCampaignEmail({ path: { id } });
    assert.deepEqual([planning.passes, planning.nextPassAt], [1, null]);
  });

  it("says of a user behind its pass that it comes no more, and of one before it that it comes", async () => {
    const project = await mailing();
    const { id } = await launchEmail(project, { once: true, launch: false });
    assert.equal(tooLate(await census(project, id)), 0);
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    const order = await house.database.pool.query<{ lane: number; user_key: string; external_id: string }>(
      "select lane, user_key, external_id from users where project_id = $1 order by 1, 2",
      [project.projectId],
    );
    const [first, second, ...rest] = order.rows;
    assert.ok(first !== undefined && second !== undefined);
    // As if the sweep had looked at two users, who have left no trace.
    await house.database.pool.query(
      `insert into campaign_sweeps (campaign_id, project_id, next_sweep_at, after_lane, after_user) values ($1, $2, $3, $4, $5)`,
      [uuidOf("cmp", id), project.projectId, house.now(), second.lane, second.user_key],
    );
    const passes = async (userId: string) => gateOf(await explain(project, id, userId), "pass").passes;
    assert.deepEqual([await passes(first.external_id), await passes(second.external_id)], [false, false]);
    for (const { external_id } of rest) assert.equal(await passes(external_id), true);
    const counts = await census(project, id);
    assert.deepEqual([tooLate(counts), counts.willReceive], [2, rest.length]);
    await finish();
    assert.deepEqual(takenOf(project), rest.map(({ external_id }) => external_id).sort());
    assert.equal(await statusOf(project, id), "ended");
  });

  it("waits for messages that wait, and for a person where one is unknown", async () => {
    const project = await mailing(["ada", "ben"]);
    smtp.behave({ onMessage: () => "drop" });
    const { id } = await launchEmail(project, { once: true });
    await finish();
    smtp.behave({});
    assert.equal((await progressOf(project, id)).unknown, 2);
    house.advance(30 * DAY_MS);
    await finish();
    assert.equal(await statusOf(project, id), "running");
    const person = await makePerson(house);
    await giveRole(house, project.projectId, person, "editor");
    const editor = createPeopleClient(house.url, person.headers(project.projectId));
    const { sends } = await editor.listUnknownSends();
    const decide = (verdict: "resend" | "sent", userId: string) =>
      editor.decideUnknownSends({
        body: {
          verdict,
          deliveryIds: sends.filter((send) => send.userId === userId).map((send) => send.deliveryId),
        },
      });
    await decide("sent", "ada");
    await finish();
    assert.equal(await statusOf(project, id), "running");
    await decide("resend", "ben");
    await finish();
    assert.deepEqual([takenOf(project), await statusOf(project, id)], [["ben"], "ended"]);
  });

  it("begins with its window, and goes on where a pause stopped it", async () => {
    const project = await mailing();
    const { id } = await launchEmail(project, { once: true, deliverFrom: house.now() + DAY_MS });
    await finish();
    assert.deepEqual([await statusOf(project, id), takenOf(project)], ["running", []]);
    await people(project, ["before"], project.domain);
    house.advance(DAY_MS);
    const act = (action: "launch" | "pause") =>
      project.api.setCampaignStatus({ path: { id }, body: { action } });
    await act("pause");
    await finish();
    assert.deepEqual([await statusOf(project, id), takenOf(project)], ["paused", []]);
    await act("launch");
    await finish();
    assert.deepEqual(takenOf(project), [...IDS, "before"].sort());
    assert.equal(await statusOf(project, id), "ended");
  });

  it("goes through a page again that a pause interrupted", async () => {
    const project = await mailing();
    const { id } = await launchEmail(project, { once: true });
    const uuid = uuidOf("cmp", id);
    const holder = await house.database.background.pool.connect();
    try {
      await holder.query("begin");
      await holder.query("update campaigns set status = 'paused' where id = $1", [uuid]);
      await holder.query("select from campaigns where id = $1 for update", [uuid]);
      const drained = house.drain();
      // The users of the page were read while the campaign ran; writing their messages waits for it.
      await untilWaiting(house, 1);
      await holder.query("commit");
      await drained;
    } finally {
      holder.release();
    }
    assert.deepEqual(
      [(await progressOf(project, id)).planned, (await campaignOf(project, id)).passEndedAt],
      [0, null],
    );
    await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    await finish();
    assert.deepEqual(takenOf(project), [...IDS].sort());
    assert.equal(await statusOf(project, id), "ended");
  });

  it("goes through its audience once more when that changes, and reaches nobody twice", async () => {
    const project = await mailing();
    for (const userId of IDS.slice(0, 3))
      await project.api.identify({ body: { userId, traits: { plan: "pro" } } });
    smtp.behave({ onRecipient: () => LATER });
    const { id } = await launchEmail(project, { once: true, ...ON_PRO });
    await finish();
    const passed = await campaignOf(project, id);
    assert.deepEqual([passed.status, passed.passEndedAt === null], ["running", false]);
    await project.api.updateCampaign({ path: { id }, body: { audience: { kind: "all" } } });
    assert.equal((await campaignOf(project, id)).passEndedAt, null);
    smtp.behave({});
    house.advance(HOUR_MS);
    await finish();
    assert.deepEqual(takenOf(project), [...IDS].sort());
    assert.equal(await statusOf(project, id), "ended");
  });

  it("may become what a running campaign is, and that may be taken back", async () => {
    const project = await mailing();
    const { id, revision } = await launchEmail(project);
    const change = (once: boolean) =>
      project.api.updateCampaign({ path: { id }, body: { once } }).then(({ campaign }) => campaign);
    await house.drain();
    const changed = await change(true);
    assert.notEqual(changed.revision, revision, "an approval of the campaign is not one of this");
    assert.equal((await change(false)).revision, revision);
    await sweepAgain();
    assert.equal(await statusOf(project, id), "running");
    await people(project, ["later"], project.domain);
    await change(true);
    await finish();
    assert.deepEqual(takenOf(project), [...IDS, "later"].sort(), "its pass finds all who match by now");
    assert.equal(await statusOf(project, id), "ended");
  });

  it("gives up a message that waits for the user's new address for three days", async () => {
    const project = await mailing(["ada", "ben"]);
    const secret = await secretOf(house, project);
    house.advance(BELIEVED_MS);
    smtp.behave({ onRecipient: () => LATER });
    const { id } = await launchEmail(project, { once: true });
    await house.drain();
    const email = `other@${project.domain}`;
    await project.sdk.identify({
      body: { userId: "ada", traits: { email }, userHash: hashOf(secret, "ada") },
    });
    smtp.behave({});
    const after = async (hours: number) => {
      house.advance(hours * HOUR_MS);
      await finish();
      const { failed, accepted, waiting } = await progressOf(project, id);
      return { failed, accepted, waiting, status: await statusOf(project, id) };
    };
    assert.deepEqual(await after(71), { failed: 0, accepted: 1, waiting: 1, status: "running" });
    assert.deepEqual(await after(2), { failed: 1, accepted: 1, waiting: 0, status: "ended" });
  });

  it("ends at once where its audience is empty", async () => {
    const project = await mailing([]);
    const { id } = await launchEmail(project, { once: true });
    await finish();
    const { status, passEndedAt } = await campaignOf(project, id);
    assert.deepEqual([status, passEndedAt === null], ["ended", false]);
  });

  it("counts whom its goal holds out, and ends", async () => {
    const project = await mailing();
    const { goal } = await project.api.createGoal({ body: { name: "Sales", holdoutPercent: 50 } });
    const { id } = await launchEmail(project, { once: true, goalId: goal.id });
    await finish();
    const { heldOut, alreadyDelivered, matched } = await census(project, id);
    assert.deepEqual(
      [heldOut + alreadyDelivered, matched, takenOf(project).length],
      [8, 8, alreadyDelivered],
    );
    assert.equal(await statusOf(project, id), "ended");
  });

  it("is refused on the web, and says who ended it where that was somebody", async () => {
    const project = await mailing(["ada"]);
    const message = { presentation: "toast", title: "Hello", body: "You" } as const;
    const made = await refusal(project.api.createCampaign({ body: { name: "Web", message, once: true } }));
    assert.match(JSON.stringify(made.body), /once is for email and push campaigns only/);
    const { campaign } = await project.api.createCampaign({ body: { name: "Web", message } });
    const { status } = await refusal(
      project.api.updateCampaign({ path: { id: campaign.id }, body: { once: true } }),
    );
    assert.deepEqual([made.status, status, campaign.once], [400, 400, false]);
    assert.equal(
      (await refusal(project.api.createCampaign({ body: { name: "Web", message, once: "yes" as never } })))
        .status,
      400,
    );
    const { id } = await launchEmail(project, { once: true, launch: false });
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    assert.equal((await campaignOf(project, id)).endedBy?.by, "api");
  });

  it("does not come back, by push, to users who had no device", async () => {
    const project = await pushingProject();
    await reachable(project, "ada", { token: "aa01" });
    await project.sdk.identify({ body: { userId: "ben" } });
    const { id } = await launchPush(project, { once: true });
    await finish();
    assert.equal(apns.taken.filter(({ token }) => token === "aa01").length, 1);
    assert.equal(await statusOf(project, id), "ended");
    await reachable(project, "ben", { token: "be01" });
    await reachable(project, "cleo", { token: "cc01" });
    await sweepAgain();
    assert.deepEqual(
      apns.taken.filter(({ token }) => token === "be01" || token === "cc01"),
      [],
    );
    const counts = await census(project, id);
    assert.deepEqual([counts.matched, counts.alreadyDelivered, tooLate(counts)], [3, 1, 2]);
    assert.equal(gateOf(await explain(project, id, "cleo"), "pass").reason, "too_late");
  });

  it("leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
