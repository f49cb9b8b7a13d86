import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Answer } from "@tidings/client";
import { type TestProject, testHouse } from "../../../../test/harness.ts";
import {
  BOUGHT,
  BUY,
  becameOf,
  NOTHING,
  observerOf,
  observingStage,
  RECEIPT,
  type Scene,
  TAP,
} from "../../../../test/observing.ts";
import { giveRole, makePerson } from "../../../../test/people.ts";
import { exportText, importText } from "../../../../test/portable.ts";
import { APP, inspect, launchPush, PUSH, putCredential, reachable } from "../../../../test/push.ts";
import { deliveryId, FIRST_OCCASION, userRef, uuidOf } from "../../../domain/ids.ts";
import { inTransaction } from "../../../platform/db/db.ts";
import { DAY_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { drawVariant } from "../../deliveries/public.ts";
import { clockNamed } from "../../timing/reader-clock.pure.ts";
import { readCampaignCredentials } from "./credentials.ts";
import { ensureContentRevision } from "./definitions.ts";
import { plannedFor } from "./plan/plan.ts";
import { type Admission, admit, readDevices } from "./plan/plan-store.ts";
import { recipientId, sendIdOf } from "./record-ids.ts";

const stage = await observingStage();
const { house, pushTo, scene } = stage;
const there = testHouse({ apnsUrl: stage.apns.url });

type Place = Pick<Scene, "project" | "campaignId">;

const AGAIN = 1;
/** Ids of deliveries have 43 characters behind their prefix on the first occasion, and 48 on others. */
const LENGTHS = [43, 48].map((length) => "del_".length + length);

/** The delivery of a campaign to Ada on an occasion. */
function deliveryTo({ project: { projectId }, campaignId }: Place, occasion: number): string {
  const { userKey } = userRef(projectId, "ada");
  return deliveryId({ userKey, campaignId: uuidOf("cmp", campaignId) ?? "", occasion });
}

/** What planning decides about a push of a campaign to Ada on each of the occasions. */
async function decide({ project, campaignId }: Place, ...occasions: number[]): Promise<Admission[]> {
  const { projectId } = project;
  const { app } = house.tidings;
  const { kysely } = house.database;
  const contentRevision = await ensureContentRevision(
    app,
    kysely,
    projectId,
    uuidOf("cmp", campaignId) ?? "",
  );
  assert.ok(contentRevision);
  const credentials = await readCampaignCredentials(app, kysely, projectId, APP);
  const user = userRef(projectId, "ada");
  const devices = await readDevices(kysely, projectId, user, APP);
  const variant = drawVariant(contentRevision.variants, contentRevision.campaignId, user.userKey);
  const person = {
    ...user,
    drawKey: user.userKey,
    externalId: "ada",
    traits: {},
    serverTraits: null,
    choice: null,
    devices,
  };
  return occasions.map((occasion) => {
    const planning = {
      contentRevision,
      credentials,
      occasion,
      testId: null,
      zone: clockNamed("UTC"),
      now: house.now(),
    };
    const planned = plannedFor(person, variant?.id ?? "", planning);
    assert.ok(planned);
    return planned;
  });
}

/** Writes decisions in one transaction. Answers how many devices get a push. */
const write = async (admissions: readonly Admission[]): Promise<number> =>
  (await inTransaction(house.database.hotPool, (client) => admit(client, admissions))).slots;

const plan = async (place: Place, ...occasions: number[]): Promise<number> =>
  write(await decide(place, ...occasions));

/** A campaign whose push Ada has got twice, with the second push on her device. */
async function twice(body: Parameters<typeof scene>[0] = {}) {
  const first = await scene(body);
  assert.equal(await plan(first, AGAIN), 1);
  await house.drain();
  const again = pushTo(first.device.token);
  assert.notEqual(again.attemptId, first.push.attemptId);
  return { ...first, again };
}

/** The states of a campaign's deliveries, by their ids. */
async function statesOf({ project, campaignId }: Place): Promise<Record<string, string>> {
  const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: campaignId } });
  return Object.fromEntries(deliveries.map(({ id, state }) => [id, state]));
}

/** What a person who may look at the project reads of it. */
async function readAsPerson<T>({ projectId }: TestProject, path: string): Promise<T> {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, "viewer");
  const response = await fetch(`${house.url}/api/people${path}`, { headers: person.headers(projectId) });
  return (await response.json()) as T;
}

const idsOf = (records: readonly { deliveryId: string | null }[]): Set<string | null> =>
  new Set(records.map((record) => record.deliveryId));

describe("a push on a second occasion", () => {
  it("leaves beside the first one, and is a delivery of its own", async () => {
    const at = await twice();
    const [first, second] = [deliveryTo(at, FIRST_OCCASION), deliveryTo(at, AGAIN)];
    assert.deepEqual([first.length, second.length], LENGTHS);
    assert.deepEqual(await statesOf(at), { [first]: "sent", [second]: "sent" });
    assert.deepEqual(await becameOf(at), { ...NOTHING, sent: 2 });
    const { deliveries } = await at.project.api.listUserDeliveries({ path: { id: "ada" } });
    assert.deepEqual(new Set(deliveries.map(({ id }) => id)), new Set([first, second]));
    const { recipients, slots, targets, users, devices, planning, records } = await inspect(
      at.project,
      at.campaignId,
    );
    assert.deepEqual(idsOf(recipients), new Set([first, second]));
    assert.deepEqual(idsOf(targets), new Set([first, second]));
    assert.deepEqual(
      new Set(slots.map(({ recipientId: id }) => id)),
      new Set(recipients.map(({ id }) => id)),
    );
    assert.deepEqual([users.targeted, users.accepted, devices.accepted], [1, 1, 2]);
    assert.deepEqual([planning.closed, records.recipients, records.slots], [2, 2, 2]);
    // A repeat, of either occasion, adds nothing.
    assert.equal(await plan(at, FIRST_OCCASION, AGAIN), 0);
    assert.deepEqual(await house.differences(), {});
  });

  it("is tapped and converts by itself", async () => {
    const at = await twice();
    const [first, second] = [deliveryTo(at, FIRST_OCCASION), deliveryTo(at, AGAIN)];
    const device = observerOf(at.project, at.device, at.again);
    await device.tell(RECEIPT, TAP, TAP);
    assert.deepEqual(await statesOf(at), { [first]: "sent", [second]: "clicked" });
    await device.tell(BUY);
    assert.deepEqual(await statesOf(at), { [first]: "sent", [second]: "converted" });
    assert.deepEqual(await becameOf(at), { sent: 2, delivered: 1, opened: 1, clicked: 1, converted: 1 });
    const { conversions, users, records } = await inspect(at.project, at.campaignId);
    assert.deepEqual(idsOf(conversions), new Set([second]));
    assert.deepEqual([users.engaged, users.converted, records.observations], [1, 1, 3]);
    assert.deepEqual(await house.differences(), {});
  });

  it("is tapped after the first one, and an event converts both", async () => {
    const at = await twice();
    await at.observer.tell(TAP);
    // One request about both: the first one again, and the second one.
    const device = observerOf(at.project, at.device, at.again, { after: 2 });
    await device.send([at.observer.next(TAP), device.next(TAP), device.next(BUY)]);
    const [first, second] = [deliveryTo(at, FIRST_OCCASION), deliveryTo(at, AGAIN)];
    assert.deepEqual(await statesOf(at), { [first]: "converted", [second]: "converted" });
    const { conversions, users } = await inspect(at.project, at.campaignId);
    assert.deepEqual(idsOf(conversions), new Set([first, second]));
    assert.equal(new Set(conversions.map(({ engagementId }) => engagementId)).size, 2);
    assert.deepEqual([users.targeted, users.engaged, users.converted], [1, 1, 1]);
    assert.deepEqual(await house.differences(), {});
  });

  it("fails alone where it expires", async () => {
    const at = await scene({ push: { ...PUSH, ttlSeconds: 60 } });
    assert.equal(await plan(at, AGAIN), 1);
    house.advance(61 * SECOND_MS);
    await house.drain();
    const [first, second] = [deliveryTo(at, FIRST_OCCASION), deliveryTo(at, AGAIN)];
    assert.deepEqual(await statesOf(at), { [first]: "sent", [second]: "failed" });
    assert.deepEqual(await house.differences(), {});
  });

  it("is replaced by a later occasion of its campaign that has the same replacement key", async () => {
    const at = await scene({ push: { ...PUSH, replacementKey: "score" } });
    assert.equal(await plan(at, 1), 1);
    house.advance(1);
    assert.equal(await plan(at, 2), 1);
    await house.drain();
    const [first, second, third] = [0, 1, 2].map((occasion) => deliveryTo(at, occasion));
    assert.deepEqual(await statesOf(at), {
      [first ?? ""]: "sent",
      [second ?? ""]: "failed",
      [third ?? ""]: "sent",
    });
    const { slots } = await inspect(at.project, at.campaignId);
    const closed = slots.filter(({ state }) => state.kind === "closed");
    assert.deepEqual(
      closed.map(({ state }) => "reason" in state && state.reason),
      ["replaced"],
    );
  });

  it("waits as its user does, who is counted and named once", async () => {
    const project = await house.project();
    await putCredential(project, stage.apns.credential);
    const device = await reachable(project, "ada", { token: null });
    const { id: campaignId } = await launchPush(project);
    await house.drain();
    const place = { project, campaignId };
    assert.equal(await plan(place, 1, 2), 0);
    assert.equal((await inspect(project, campaignId)).planning.waiting, 3);
    const { campaigns } = await readAsPerson<{ campaigns: { users: object[] }[] }>(project, "/push");
    assert.deepEqual(
      campaigns.map(({ users }) => users),
      [[{ reason: "no_token", count: 1 }]],
    );
    const path = `/installations/${device.installationId}`;
    const { waiting } = await readAsPerson<{ waiting: { reason: string }[] }>(project, path);
    assert.deepEqual(
      waiting.map(({ reason }) => reason),
      ["no_token"],
    );
    await device.put("feed02");
    await project.api.dispatchCampaignPush({ path: { id: campaignId } });
    await house.drain();
    // The sweep, which looks at who waits, plans the first occasion alone.
    assert.deepEqual(await statesOf(place), { [deliveryTo(place, FIRST_OCCASION)]: "sent" });
    assert.equal((await inspect(project, campaignId)).planning.waiting, 2);
    assert.deepEqual(await house.differences(), {});
  });

  it("is closed with its campaign while it waits for a device", async () => {
    const at = await scene();
    await at.device.bind("ben");
    assert.equal(await plan(at, AGAIN), 0);
    const waiting = await inspect(at.project, at.campaignId);
    assert.equal(waiting.planning.waiting, 1);
    // The sweep, which looks at who waits, plans the first occasion alone.
    await at.project.api.dispatchCampaignPush({ path: { id: at.campaignId } });
    await at.project.api.setCampaignStatus({ path: { id: at.campaignId }, body: { action: "end" } });
    await house.drain();
    const { recipients, planning } = await inspect(at.project, at.campaignId);
    const later = recipients.find(({ deliveryId: id }) => id === null);
    assert.deepEqual([later?.state.kind, planning.waiting], ["closed", 0]);
    assert.deepEqual(await house.differences(), {});
  });

  it("is never planned for a user from whom the campaign was withheld, and waits no more", async () => {
    const project = await house.project();
    await putCredential(project, stage.apns.credential);
    const { goal } = await project.api.createGoal({
      body: { name: "Sales", targetEvent: BOUGHT, holdoutPercent: 50 },
    });
    await project.sdk.identify({ body: { userId: "ada" } });
    // The sweep stays away.
    const { id: campaignId } = await launchPush(project, {
      goalId: goal.id,
      deliverFrom: house.now() + DAY_MS,
    });
    const place = { project, campaignId };
    assert.equal(await plan(place, AGAIN), 0);
    assert.equal((await inspect(project, campaignId)).planning.waiting, 1);
    await reachable(project, "ada");
    const decided = await decide(place, FIRST_OCCASION);
    assert.equal(await write(decided.map((each) => ({ ...each, withholds: true }))), 0);
    assert.deepEqual((await inspect(project, campaignId)).recipients, []);
    const again = await decide(place, AGAIN);
    assert.equal(await write(again.map((each) => ({ ...each, withholds: false }))), 0);
    assert.deepEqual((await inspect(project, campaignId)).recipients, []);
    assert.deepEqual(await house.differences(), {});
  });

  it("is not in the way of a test, which belongs to no delivery", async () => {
    const at = await twice();
    const path = { id: at.campaignId };
    const { installationId } = at.device;
    await at.project.api.sendPushTest({ path, body: { installationId, requestId: "look" } });
    await house.drain();
    const { records, testTargets, users } = await inspect(at.project, at.campaignId);
    assert.deepEqual([records.slots, records.recipients, testTargets, users.targeted], [2, 2, 1, 1]);
    assert.deepEqual(await becameOf(at), { ...NOTHING, sent: 2 });
    const test = await at.project.api.getPushTest({ path: { ...path, requestId: "look" } });
    assert.deepEqual([test.targetIds.length, test.outcomes.length], [1, 1]);
    await at.project.api.eraseUser({ path: { id: "ada" } });
    assert.deepEqual(await house.differences(), {});
  });

  /** A campaign whose second push was tapped, and converted. */
  async function converted() {
    const at = await twice();
    await observerOf(at.project, at.device, at.again).tell(RECEIPT, TAP, BUY);
    return at;
  }

  const tallyOf = ({ campaign: { stats } }: Answer<"getCampaign">) => stats;

  it("comes along with its project", async () => {
    const at = await converted();
    there.at(house.now());
    const text = await exportText(house, at.project.projectId, true);
    const { project }: { project: TestProject } = await importText(there, text);
    assert.deepEqual(await there.differences(), {});
    const [campaign] = (await project.api.listCampaigns()).campaigns;
    const place = { project, campaignId: campaign?.id ?? "" };
    assert.deepEqual(await statesOf(place), {
      [deliveryTo(place, FIRST_OCCASION)]: "sent",
      [deliveryTo(place, AGAIN)]: "converted",
    });
    const { recipients, conversions } = await inspect(project, place.campaignId);
    assert.deepEqual(idsOf(conversions), new Set([deliveryTo(place, AGAIN)]));
    // The recipient is found again when the same occasion is planned there.
    const { userKey } = userRef(project.projectId, "ada");
    assert.deepEqual(
      new Set(recipients.map(({ id }) => id)),
      new Set(
        [FIRST_OCCASION, AGAIN].map((occasion) =>
          recipientId(userKey, sendIdOf(uuidOf("cmp", place.campaignId) ?? "", occasion)),
        ),
      ),
    );
  });

  it("stays counted when its user is erased", async () => {
    const at = await converted();
    const path = { id: at.campaignId };
    const before = tallyOf(await at.project.api.getCampaign({ path }));
    await at.project.api.eraseUser({ path: { id: "ada" } });
    assert.deepEqual(tallyOf(await at.project.api.getCampaign({ path })), before);
    const { deliveries } = await at.project.api.listCampaignDeliveries({ path });
    assert.deepEqual(new Set(deliveries.map(({ id }) => id.length)), new Set(LENGTHS));
    const { recipients, conversions, users } = await inspect(at.project, at.campaignId);
    assert.deepEqual(idsOf(recipients), new Set(deliveries.map(({ id }) => id)));
    assert.deepEqual([conversions.length, users.targeted, users.converted], [1, 1, 1]);
    assert.deepEqual(await house.differences(), {});
  });
});
