import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { uuidFor } from "../../src/domain/ids.ts";
import { readSenderSettings } from "../../src/features/email/sending/open-sender.ts";
import { planLoop } from "../../src/features/email/sending/plan/plan.ts";
import { emailChannel } from "../../src/features/email/sending/send/channel.ts";
import { leaseSends } from "../../src/features/email/sending/send/lease.ts";
import { clearBreaches } from "../../src/features/guardrails/clear.ts";
import { lastCleared } from "../../src/features/guardrails/store.ts";
import type { Tx } from "../../src/platform/db/db.ts";
import { drainLoops } from "../../src/platform/loops/loops.ts";
import { processes } from "../../src/platform/loops/processes.ts";
import { DAY_MS, HOUR_MS, SECOND_MS } from "../../src/platform/time/clock.ts";
import { claim, dueCampaign, makeGoal } from "../agent.ts";
import { launchEmail, sendingProject as mailingProject, people, progressOf, setSettings } from "../email.ts";
import { launchCampaign, pausedByGuardrail } from "../factories.ts";
import { apnsRefuses } from "../peers/apns.ts";
import { type SmtpPeer, startSmtp } from "../peers/smtp.ts";
import { launchPush, pushHouse, reachable, stateOf } from "../push.ts";

const { house, apns, sendingProject } = await pushHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(() => {
  smtp.behave({});
  apns.behave(() => null);
});

/** Does something while the clock is ahead; half a minute later it is right. */
type WhileAhead = (act: () => Promise<unknown>) => Promise<void>;

/** Makes something wait for an instant, or last until one, while the clock is ahead, and sees it go on afterwards. */
type Case = (whileAhead: WhileAhead) => Promise<void>;

const mailing = (settings: Readonly<Record<string, string>> = {}) =>
  mailingProject(house, smtp.port, { "email.capMax": "0", ...settings });
const drain = (): Promise<void> => house.drain();
const acceptedOf = async (...args: Parameters<typeof progressOf>) => (await progressOf(...args)).accepted;

const cases: Readonly<Record<string, Case>> = {
  async "mail of a project with a pace"(whileAhead) {
    const project = await mailing({ "email.perMinute": "6000" });
    await people(project, ["ada", "bob"]);
    await launchEmail(project);
    await whileAhead(drain);
    const { id } = await launchEmail(project);
    await drain();
    house.advance(SECOND_MS);
    await drain();
    assert.equal(await acceptedOf(project, id), 2);
  },
  async "mail to a domain with a pace"(whileAhead) {
    const project = await mailing({ "email.domainPerMinute": "1" });
    await people(project, ["ada", "bob"]);
    const { id } = await launchEmail(project);
    await whileAhead(drain);
    assert.equal(await acceptedOf(project, id), 1);
    await drain();
    assert.equal(await acceptedOf(project, id), 2);
  },
  async "the cap of an address"(whileAhead) {
    const project = await mailing({ "email.capMax": "1", "email.capHours": "24" });
    await people(project, ["ada"]);
    await launchEmail(project);
    await whileAhead(drain);
    const { id } = await launchEmail(project);
    await drain();
    assert.equal((await progressOf(project, id)).frequencyCapped, 1);
    house.advance(25 * HOUR_MS);
    const { id: next } = await launchEmail(project);
    await drain();
    assert.equal(await acceptedOf(project, next), 1);
  },
  async "mail that was postponed for the cap"(whileAhead) {
    const cap = { "email.capMax": "1", "email.capHours": "24", "email.overCap": "postpone" };
    const project = await mailing(cap);
    await people(project, ["ada"]);
    await launchEmail(project);
    let id = "";
    await whileAhead(async () => {
      await drain();
      ({ id } = await launchEmail(project));
      await drain();
    });
    await drain();
    assert.equal(await acceptedOf(project, id), 0);
    house.advance(24 * HOUR_MS);
    await drain();
    assert.equal(await acceptedOf(project, id), 1);
  },
  async "the sweep of a running campaign"(whileAhead) {
    const project = await mailing();
    await people(project, ["ada"]);
    const { id } = await launchEmail(project);
    await whileAhead(drain);
    await people(project, ["ada", "bob"]);
    await drain();
    assert.equal(await acceptedOf(project, id), 2);
  },
  async "mail that was queued"(whileAhead) {
    const project = await mailing();
    await people(project, ["ada"]);
    const { id } = await launchEmail(project);
    await whileAhead(() => drainLoops(house.tidings.app, [planLoop]));
    assert.equal((await progressOf(project, id)).waiting, 1);
    await drain();
    assert.equal(await acceptedOf(project, id), 1);
  },
  async "mail that was deferred"(whileAhead) {
    const project = await mailing();
    await people(project, ["ada"]);
    smtp.behave({ onRecipient: () => ({ code: 451, text: "4.7.1 Greylisted, try again later" }) });
    const { id } = await launchEmail(project);
    await whileAhead(drain);
    assert.equal((await progressOf(project, id)).waiting, 1);
    smtp.behave({});
    await drain();
    assert.equal(await acceptedOf(project, id), 1);
  },
  async "mail whose lease was never learned of"(whileAhead) {
    const { app } = house.tidings;
    const project = await mailing();
    await people(project, ["ada", "bob"]);
    const { id } = await launchEmail(project);
    const settings = await readSenderSettings(
      { app, db: house.database.kysely, projectId: project.projectId },
      "marketing",
    );
    await whileAhead(async () => {
      await drainLoops(app, [planLoop]);
      const terms = {
        purpose: "marketing" as const,
        projectId: project.projectId,
        leaseOwner: app.get(processes).leaseOwner(),
        settings,
      };
      const { leased } = await leaseSends(app, terms, id.slice("cmp_".length));
      assert.equal(leased.length, 2);
      // What is in flight is not lost, however long its lease.
      for (const each of leased) app.get(emailChannel.inFlight).add(each);
    });
    await drain();
    assert.equal((await progressOf(project, id)).sending, 2);
    app.get(emailChannel.inFlight).clear();
    await drain();
    assert.equal(await acceptedOf(project, id), 2);
  },
  async "test mails"(whileAhead) {
    const project = await mailing();
    const { id } = await launchEmail(project, { launch: false });
    const send = () => project.api.sendTestEmail({ path: { id }, body: { address: "me@example.com" } });
    const { testMailsPerHour: most } = house.tidings.app.config.limits;
    await whileAhead(async () => {
      for (let sent = 0; sent < most; sent++) await send();
    });
    await send();
  },
  async "a push that was refused for now"(whileAhead) {
    const project = await sendingProject();
    await reachable(project, "ada");
    apns.behave(() => apnsRefuses(503, "ServiceUnavailable"));
    const { id } = await launchPush(project);
    await whileAhead(drain);
    assert.deepEqual(await stateOf(project, id, "slots"), ["waiting", "retry_backoff"]);
    apns.behave(() => null);
    await drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["accepted", null]);
  },
  async "a push that fails again after that"(whileAhead) {
    const project = await sendingProject();
    await reachable(project, "ada");
    apns.behave(() => apnsRefuses(503, "ServiceUnavailable"));
    const { id } = await launchPush(project);
    await whileAhead(drain);
    await drain();
    house.advance(6 * 60 * SECOND_MS);
    apns.behave(() => null);
    await drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["accepted", null]);
  },
  async "a user of push without a device"(whileAhead) {
    const project = await sendingProject();
    await project.sdk.identify({ body: { userId: "ada" } });
    const { id } = await launchPush(project);
    await whileAhead(drain);
    await reachable(project, "ada");
    await drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["accepted", null]);
  },
  async "a credential that was refused"(whileAhead) {
    const project = await sendingProject();
    await reachable(project, "ada");
    apns.behave(() => apnsRefuses(403, "InvalidProviderToken"));
    const { id } = await launchPush(project);
    await whileAhead(drain);
    assert.deepEqual(await stateOf(project, id, "slots"), ["waiting", "credential"]);
    apns.behave(() => null);
    await drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["accepted", null]);
  },
  async "the lease of an evaluation"(whileAhead) {
    const project = await house.project();
    const { id } = await dueCampaign(house, project);
    await setSettings(house, project, { "safety.maxConcurrentCampaigns": "1" });
    await whileAhead(() => claim(project, id));
    assert.ok((await claim(project, id)).leaseToken);
  },
  async "the first evaluation of a campaign"(whileAhead) {
    const project = await house.project();
    await setSettings(house, project, { "agent.policy": "statistical@1" });
    const { id: goalId } = await makeGoal(project);
    const { id } = await launchCampaign(project, { goalId });
    await whileAhead(drain);
    await drain();
    const { campaigns } = await project.agent.listDueEvaluations();
    assert.deepEqual(
      campaigns.map(({ campaignId }) => campaignId),
      [id],
    );
  },
  async "the watch over a campaign whose breach was cleared"(whileAhead) {
    const project = await house.project();
    const campaignId = uuidFor("cmp", (await pausedByGuardrail(house, project)).id);
    const clear = (tx: Tx) =>
      clearBreaches(tx, project.projectId, campaignId, { by: "Ada", reason: "A word", at: house.now() });
    await whileAhead(() => house.database.kysely.transaction().execute(clear));
    await drain();
    const cleared = await lastCleared(house.database.kysely, project.projectId, campaignId);
    assert.equal(cleared?.at, house.now());
  },
  async "when a user was seen"(whileAhead) {
    const project = await house.project();
    const { sdk, api } = project;
    const lastSeenAt = async (id: string) => (await api.getUser({ path: { id } })).user.lastSeenAt;
    const track = (userId: string, more: { ts?: number } = {}) =>
      api.trackBatch({ body: { events: [{ userId, event: "came", ...more }] } });
    await whileAhead(async () => {
      await sdk.identify({ body: { userId: "ada" } });
      await track("bob");
    });
    // No user was seen in the future, and a user seen just now is among those of the last day.
    assert.equal(await lastSeenAt("ada"), house.now());
    const field = { kind: "user", field: "lastSeenAt" } as const;
    const root = { kind: "field", field, op: "within_last", value: { amount: 1, unit: "days" } } as const;
    const expression = { version: 1, root } as const;
    assert.ok((await api.explainAudience({ body: { expression, userId: "ada" } })).matched);
    await sdk.identify({ body: { userId: "ada" } });
    await track("bob");
    assert.deepEqual([await lastSeenAt("ada"), await lastSeenAt("bob")], [house.now(), house.now()]);
    // An event of long ago takes back nothing of when a user was seen last.
    await track("bob", { ts: house.now() - 3 * DAY_MS });
    assert.equal(await lastSeenAt("bob"), house.now());
  },
  async "when a device was active"(whileAhead) {
    const project = await sendingProject();
    const [former, present] = [await reachable(project, "ada"), await reachable(project, "ada")];
    await whileAhead(() => former.use());
    house.advance(SECOND_MS);
    await former.use();
    house.advance(SECOND_MS);
    await present.use();
    const { id } = await launchPush(project);
    await drain();
    assert.deepEqual(await stateOf(project, id, "slots"), ["accepted", null]);
    assert.equal(apns.taken.at(-1)?.token, present.token);
  },
  async "a key that was unknown"(whileAhead) {
    const project = await house.project();
    const end = (at: number | null) =>
      house.database.pool.query("update api_keys set expires_at = $2 where project_id = $1", [
        project.projectId,
        at,
      ]);
    const status = async () =>
      (
        await fetch(`${project.url}/api/v1/goals`, {
          headers: { authorization: `Bearer ${project.secretKey}` },
        })
      ).status;
    await end(1);
    await whileAhead(async () => assert.equal(await status(), 401));
    await end(null);
    assert.equal(await status(), 200);
  },
};

describe("after a clock was ahead for half a minute, what it left behind goes on at once:", () => {
  for (const [ahead, name] of [
    [2 * HOUR_MS, "two hours"],
    [366 * DAY_MS, "a year"],
  ] as const)
    for (const [what, run] of Object.entries(cases))
      it(`${what}, ${name}`, () =>
        run(async (act) => {
          const right = house.now();
          house.at(right + ahead);
          await act();
          house.at(right + 30 * SECOND_MS);
        }));

  it("and leaves no differences behind", async () => assert.deepEqual(await house.differences(), {}));
});
