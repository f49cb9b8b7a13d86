import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject } from "../../../../test/email.ts";
import { refusal, type TestProject } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { inspect, launchPush, pushHouse, reachable } from "../../../../test/push.ts";
import { uuidOf } from "../../../domain/ids.ts";
import { MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";

const { house, sendingProject: pushingProject } = await pushHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const IDS = ["ada", "ben"];
const UNREADABLE = /^The audience of this campaign cannot be read/;

/** Both channels that plan: how a campaign is launched there, and how many users were written to. */
const CHANNELS = {
  email: {
    async project() {
      const project = await sendingProject(house, smtp.port);
      await people(project, IDS);
      return project;
    },
    launch: launchEmail,
    written: async (project: TestProject, id: string) => (await progressOf(project, id)).accepted,
  },
  push: {
    async project() {
      const project = await pushingProject();
      for (const id of IDS) await reachable(project, id);
      return project;
    },
    launch: launchPush,
    written: async (project: TestProject, id: string) => (await inspect(project, id)).devices.accepted,
  },
};

const change = (sql: string, id: string, ...values: unknown[]) =>
  house.database.pool.query(sql, [uuidOf("cmp", id), ...values]);
const setAudience = (id: string, audience: unknown) =>
  change("update campaigns set audience = $2 where id = $1", id, JSON.stringify(audience));

const campaignOf = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign;

/** Half a minute of work. What cannot be planned is in the log of errors, and must not stop the loops. */
async function work(): Promise<void> {
  for (let round = 0; round < 10; round++) {
    await house.drain().catch(() => undefined);
    house.advance(3 * SECOND_MS);
  }
}

/** The fault that is kept with a campaign, and the reasons of the runs that were written. */
async function reportsOf({ api }: TestProject, id: string) {
  const { rows } = await change("select fault from campaign_sweeps where campaign_id = $1", id);
  const { runs } = await api.listAgentRuns({ query: { kind: "warning", campaignId: id } });
  return { fault: String(rows[0]?.fault), warnings: runs.map(({ rationale }) => rationale) };
}

describe("a campaign of which nothing can be decided", () => {
  for (const [channel, { project: make, launch, written }] of Object.entries(CHANNELS))
    for (const once of [true, false])
      it(`waits with the reason, and goes on once its audience can be read: ${channel}, ${once ? "once" : "endless"}`, async () => {
        const project = await make();
        const { id } = await launch(project, { once });
        await setAudience(id, { kind: "expression", legacy: false, expression: { version: 9 } });
        await work();
        await work();
        const { status, passEndedAt, audience } = await campaignOf(project, id);
        assert.deepEqual([status, passEndedAt, audience.kind], ["running", null, "invalid"]);
        assert.equal(await written(project, id), 0);
        const { fault, warnings } = await reportsOf(project, id);
        assert.match(fault, UNREADABLE);
        assert.deepEqual(warnings, [fault], "one run, however often it is tried");
        const counts = await project.api.takeCampaignCensus({ path: { id } });
        assert.deepEqual([counts.matched, counts.warnings[0]?.code], [0, "unreadable_audience"]);
        await setAudience(id, { kind: "all" });
        await work();
        assert.equal(await written(project, id), IDS.length);
        assert.equal((await reportsOf(project, id)).fault, "null");
        assert.equal((await campaignOf(project, id)).status, once ? "ended" : "running");
      });

  it("goes on by another audience that people choose, for its users alone", async () => {
    const project = await CHANNELS.email.project();
    const { id } = await launchEmail(project, { once: true });
    await setAudience(id, null);
    await work();
    const targeting = { traits: { name: "ada" } };
    await project.api.updateCampaign({ path: { id }, body: { targeting } });
    await work();
    assert.equal((await progressOf(project, id)).accepted, 1);
    assert.equal((await campaignOf(project, id)).status, "ended");
  });

  it("does not end where its variants lost their weights", async () => {
    const project = await CHANNELS.email.project();
    const { id } = await launchEmail(project, { once: true });
    await change("update variants set weight = 0 where campaign_id = $1", id);
    await work();
    assert.equal((await campaignOf(project, id)).status, "running");
    assert.match((await reportsOf(project, id)).fault, /No variant of this campaign has a weight/);
    await change("update variants set weight = 1 where campaign_id = $1", id);
    await work();
    assert.equal((await progressOf(project, id)).accepted, IDS.length);
  });

  it("keeps its fault while what was planned before is sent", async () => {
    const project = await CHANNELS.email.project();
    smtp.behave({ onRecipient: () => ({ code: 451, text: "4.7.1 Try again later" }) });
    const { id } = await launchEmail(project);
    await work();
    await setAudience(id, {});
    house.advance(10 * MINUTE_MS);
    smtp.behave({});
    await work();
    house.advance(60 * MINUTE_MS);
    await work();
    assert.equal((await progressOf(project, id)).accepted, IDS.length);
    assert.match((await reportsOf(project, id)).fault, UNREADABLE);
  });

  it("is neither launched nor dispatched", async () => {
    const project = await CHANNELS.push.project();
    const draft = await launchPush(project, { launch: false });
    await setAudience(draft.id, []);
    const launched = await refusal(
      project.api.setCampaignStatus({ path: { id: draft.id }, body: { action: "launch" } }),
    );
    assert.deepEqual(
      [launched.status, (launched.body as { reason: string }).reason],
      [409, "audience_unreadable"],
    );
    const running = await launchPush(project);
    await setAudience(running.id, []);
    const dispatched = await refusal(project.api.dispatchCampaignPush({ path: { id: running.id } }));
    assert.equal(dispatched.status, 409);
    assert.match(dispatched.error, UNREADABLE);
  });
});
