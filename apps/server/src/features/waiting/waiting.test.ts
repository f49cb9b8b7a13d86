import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { decideAs } from "../../../test/agent.ts";
import { setSettings } from "../../../test/email.ts";
import { launchCampaign, pausedByGuardrail } from "../../../test/factories.ts";
import { announce, commitChange, decideLaunch } from "../../../test/from-code.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { mailCampaign } from "../../../test/mail.ts";
import { clientOf, giveRole, makePerson } from "../../../test/people.ts";
import { BELIEVED_MS } from "../../../test/usage.ts";
import { brokenSplit, everythingWaits, takenBack } from "../../../test/waiting-things.ts";
import { uuidFor } from "../../domain/ids.ts";
import { setSendingFault } from "../deliveries/public.ts";

const house = testHouse();

async function viewerOf({ projectId }: TestProject) {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, "viewer");
  return createPeopleClient(house.url, person.headers(projectId));
}

const NOTHING = { count: 0, items: [] };
const CALM = {
  serving: "ok",
  emailServing: "ok",
  unknownMails: 0,
  faults: NOTHING,
  breaches: NOTHING,
  takenBack: NOTHING,
  splits: NOTHING,
  sources: NOTHING,
  webhooks: NOTHING,
  syncs: NOTHING,
  proposals: NOTHING,
  approvals: NOTHING,
  drafts: NOTHING,
  unattended: null,
};

const waitingIn = async (project: TestProject) => {
  const { evaluatedAt, ...waiting } = await (await viewerOf(project)).getWaiting();
  assert.equal(evaluatedAt, house.now());
  return waiting;
};

describe("what waits for people", () => {
  it("is nothing where everything goes by itself", async () => {
    const project = await house.project();
    await launchCampaign(project);
    await launchCampaign(project, { launch: false });
    assert.deepEqual(await waitingIn(project), CALM);
  });

  it("names one of everything, and nothing of another project", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const ids = await everythingWaits(house, project);
    const { proposals, ...waiting } = await waitingIn(project);
    const one = <Item>(item: Item) => ({ count: 1, items: [item] });
    const campaign = (campaignId: string, campaignName: string) => ({ campaignId, campaignName });
    assert.deepEqual(waiting, {
      serving: "ok",
      emailServing: "ok",
      unknownMails: 1,
      faults: one({
        ...campaign(ids.fault, "News"),
        fault: "The mail server refused the password.",
        since: house.now(),
      }),
      breaches: one({
        ...campaign(ids.breach, "Risky"),
        guardrail: "forbiddenPhrases",
        limit: 0,
        observed: 1,
        breachedAt: house.now(),
      }),
      takenBack: one({
        ...campaign(ids.takenBack, "Faster checkout"),
        reason: "rollback",
        mappingLabel: "acme/shop production",
        since: house.now(),
      }),
      splits: one(campaign(ids.split, "Two texts")),
      sources: one({ id: "web", reason: "The host answered 403." }),
      webhooks: NOTHING,
      syncs: NOTHING,
      approvals: one(campaign(ids.approval, "Dark mode")),
      drafts: one(campaign(ids.draft, "Ready to go")),
      unattended: null,
    });
    const [proposal] = proposals.items;
    assert.deepEqual([proposals.count, proposal?.campaignName], [1, "Looked after"]);
    assert.ok((proposal?.expiresAt ?? 0) > house.now());
    assert.deepEqual(await waitingIn(other), CALM);

    await decideAs(house, project, proposal?.id ?? "", "rejected");
    await decideLaunch(house, project, ids.approval);
    for (const [id, action] of [
      [ids.draft, "launch"],
      [ids.breach, "end"],
      [ids.takenBack, "pause"],
      [ids.split, "pause"],
      [ids.fault, "pause"],
    ] as const)
      await project.api.setCampaignStatus({ path: { id }, body: { action } });
    await house.database.pool.query("update sources set paused = true where project_id = $1 and id = 'web'", [
      project.projectId,
    ]);
    assert.deepEqual(await waitingIn(project), { ...CALM, unknownMails: 1 }, "what is settled waits no more");
  });

  it("are webhooks that a fault has switched off, for those who may see them", async () => {
    const project = await house.project();
    const made = async (description: string): Promise<string> => {
      const body = { url: "https://example.com/hook", description, types: ["*" as const] };
      return (await project.api.createWebhook({ body })).webhook.id;
    };
    const [gone, byPerson] = [await made("CRM"), await made("Data")];
    await project.api.changeWebhook({ path: { id: byPerson }, body: { state: "off" } });
    await house.database.pool.query(
      "update webhooks set state = 'off', off_because = 'gone', off_at = $2 where id = $1",
      [uuidFor("wh", gone), house.now()],
    );
    const { client: approver } = await clientOf(house, project.projectId, "approver");
    assert.deepEqual((await approver.getWaiting()).webhooks, {
      count: 1,
      items: [{ id: gone, name: "CRM", offBecause: "gone", since: house.now() }],
    });
    assert.deepEqual(await waitingIn(project), CALM);
    await project.api.changeWebhook({ path: { id: gone }, body: { state: "on" } });
    assert.deepEqual((await approver.getWaiting()).webhooks, NOTHING);
  });

  it("are syncs that have failed three times, for those who may see them", async () => {
    const project = await house.project();
    const owner = await makePerson(house);
    await giveRole(house, project.projectId, owner, "owner");
    const owners = createPeopleClient(house.url, owner.headers(project.projectId));
    const { sync } = await owners.createSync({
      body: { lists: ["users"], format: "csv", every: "day", to: { folder: "waits" } },
    });
    const fail = (failures: number) =>
      house.database.pool.query(
        "update syncs set failures = $2, failing_since = $3, fault = 'The disk is full.' where id = $1",
        [uuidFor("sync", sync.id), failures, house.now()],
      );
    const { client: approver } = await clientOf(house, project.projectId, "approver");
    await fail(2);
    assert.deepEqual((await approver.getWaiting()).syncs, NOTHING, "it may pass");
    await fail(3);
    assert.deepEqual((await approver.getWaiting()).syncs, {
      count: 1,
      items: [{ id: sync.id, name: "folder waits", fault: "The disk is full.", since: house.now() }],
    });
    assert.deepEqual(await waitingIn(project), CALM);
  });

  it("counts more than it names", async () => {
    const project = await house.project();
    const campaigns: string[] = [];
    for (let n = 0; n < 7; n++) campaigns.push(await mailCampaign(house, project));
    const { kysely } = house.database;
    for (const [n, id] of campaigns.entries())
      await setSendingFault(kysely, project.projectId, [id], `Fault ${n}`, house.now() + n);
    const { faults } = await waitingIn(project);
    assert.deepEqual(
      [faults.count, faults.items.map(({ fault }) => fault)],
      [7, ["Fault 6", "Fault 5", "Fault 4", "Fault 3", "Fault 2"]],
    );
  });

  it("says once that serving is closed, and not of each campaign that it stops", async () => {
    const project = await house.project();
    const capAt = async (usd: string) => {
      await setSettings(house, project, { "org.spendCapUsd": usd });
      house.advance(BELIEVED_MS);
    };
    await capAt("0");
    const { kysely } = house.database;
    const stopped = await mailCampaign(house, project);
    const closed =
      "The spend cap is reached: email leaves once org.spendCapUsd is raised, or in the next period.";
    await setSendingFault(kysely, project.projectId, [stopped], closed, house.now());
    assert.deepEqual(await waitingIn(project), { ...CALM, serving: "cap_reached", emailServing: "paused" });
    await capAt("");
    assert.equal((await waitingIn(project)).serving, "ok");
  });

  it("asks for no approval of what was taken back, or is over", async () => {
    const project = await house.project();
    const { id } = await announce(project, [commitChange("e".repeat(40))]);
    assert.equal((await waitingIn(project)).approvals.count, 1);
    await project.api.updateCampaign({
      path: { id },
      body: { deliverUntil: house.now() + 1 },
    });
    assert.equal((await waitingIn(project)).approvals.count, 1);
    house.advance(2);
    assert.deepEqual(await waitingIn(project), CALM);
  });

  it("says that a change was taken back until it is live again, or nobody looks or reads any more", async () => {
    const project = await house.project();
    const { id, goLive } = await takenBack(house, project);
    const { pool } = house.database;
    const count = async () => (await waitingIn(project)).takenBack.count;
    assert.equal(await count(), 1);
    await pool.query("update sources set enabled = false where project_id = $1", [project.projectId]);
    assert.equal(await count(), 0);
    await pool.query("update sources set enabled = true where project_id = $1", [project.projectId]);
    await project.api.updateCampaign({ path: { id }, body: { deliverUntil: house.now() + 1 } });
    assert.equal(await count(), 1);
    house.advance(2);
    assert.equal(await count(), 0, "its time is over");
    await project.api.updateCampaign({ path: { id }, body: { deliverUntil: null } });
    assert.equal(await count(), 1);
    await goLive();
    assert.deepEqual(await waitingIn(project), CALM);
  });

  it("says of a campaign that was paused for a limit nothing once a person has cleared it", async () => {
    const project = await house.project();
    const { id } = await pausedByGuardrail(house, project);
    const { client } = await clientOf(house, project.projectId, "approver");
    assert.equal((await waitingIn(project)).breaches.count, 1);
    await client.clearGuardrails({ path: { id }, body: { reason: "The wrong list" } });
    assert.deepEqual(await waitingIn(project), CALM);
  });

  it("counts the users of a split once a minute, however often it is asked", async () => {
    const project = await house.project();
    const id = await brokenSplit(project);
    const { pool } = house.database;
    const splits = async () => (await waitingIn(project)).splits.count;
    assert.equal(await splits(), 1);
    await pool.query("update deliveries set exposed_at = null where campaign_id = $1", [uuidFor("cmp", id)]);
    assert.equal(await splits(), 1);
    house.advance(60_000);
    assert.equal(await splits(), 0);
  });

  it("says of a split what the results of the campaign say", async () => {
    const project = await house.project();
    const id = await brokenSplit(project);
    const { statistics } = await project.api.getCampaignConversions({
      path: { id },
      query: { event: "paid" },
    });
    assert.equal(statistics.sampleRatio.mismatch, true);
    assert.deepEqual((await waitingIn(project)).splits.items, [
      { campaignId: id, campaignName: "Two texts" },
    ]);
  });
});
