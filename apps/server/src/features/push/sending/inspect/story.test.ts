import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { install } from "../../../../../test/devices.ts";
import type { TestProject } from "../../../../../test/harness.ts";
import { apnsRefuses } from "../../../../../test/peers/apns.ts";
import { giveRole, makePerson } from "../../../../../test/people.ts";
import {
  APP,
  inspect,
  launchPush,
  PUSH,
  pushHouse,
  putCredential,
  reachable,
} from "../../../../../test/push.ts";
import { MINUTE_MS } from "../../../../platform/time/clock.ts";

const { house, apns, sendingProject } = await pushHouse();

type Step = {
  kind: string;
  outcome: string | null;
  report: string | null;
  campaignName: string | null;
  at: number;
};
type Story = {
  fault: string | null;
  slots: {
    state: string;
    reason: string | null;
    submissionsUsed: number;
    userId: string | null;
    isTest: boolean;
  }[];
  waiting: { campaignId: string; campaignName: string; reason: string }[];
  steps: Step[];
  total: number;
};
type Standing = {
  pausedBecause: string | null;
  ways: Record<string, string | number>[];
  campaigns: { id: string; users: object[]; devices: object[] }[];
};

async function viewerOf(project: TestProject) {
  const person = await makePerson(house);
  await giveRole(house, project.projectId, person, "viewer");
  const get = async <T>(path: string): Promise<T> => {
    const response = await fetch(`${house.url}/api/people${path}`, {
      headers: person.headers(project.projectId),
    });
    return { status: response.status, ...((await response.json()) as object) } as T;
  };
  return {
    story: (id: string, query = "") =>
      get<Story & { status: number }>(`/installations/${encodeURIComponent(id)}${query}`),
    standing: (query = "") => get<Standing & { status: number }>(`/push${query}`),
  };
}

const kindsOf = ({ steps }: Story) => steps.map(({ kind, outcome, report }) => outcome ?? report ?? kind);

describe("the story of a device", () => {
  it("has every step in its order, of the users before as well, and nothing of other devices", async () => {
    const project = await sendingProject();
    const { story } = await viewerOf(project);
    const phone = await reachable(project, "ada", { installationId: "phone_of-Ada" });
    await reachable(project, "grace");
    let refusals = 0;
    apns.behave(() => (refusals++ === 0 ? apnsRefuses(503, "ServiceUnavailable") : null));
    const only = { ...PUSH, selection: { kind: "specific" as const, installationId: phone.installationId } };
    const { id } = await launchPush(project, { name: "News", push: only });
    await house.drain();
    house.advance(MINUTE_MS);
    await house.drain();
    apns.behave(() => null);
    const [attempt] = (await inspect(project, id)).attempts.slice(-1);
    const named = { targetId: attempt?.targetId ?? "", attemptId: attempt?.id ?? "" };
    house.advance(1_000);
    await project.sdk.recordObservations({
      path: { installationId: phone.installationId },
      headers: phone.headers,
      body: {
        bindingGeneration: 1,
        commands: [
          { id: "1", sequence: 1, kind: "receipt", ...named },
          { id: "2", sequence: 2, kind: "event", event: "opened", eventId: "e-1" },
        ],
      },
    });
    const first = await story(phone.installationId);
    const ofAda = ["event", "receipt", "accepted", "attempt", "rejected", "attempt", "written", "chosen"];
    assert.deepEqual(kindsOf(first), ofAda);
    assert.deepEqual(
      first.steps.map(({ at }) => at),
      first.steps.map(({ at }) => at).toSorted((a, b) => b - a),
    );
    assert.deepEqual([first.steps[0]?.campaignName, first.steps[1]?.campaignName], [null, "News"]);
    const [slot] = first.slots;
    assert.deepEqual(
      [first.fault, slot?.state, slot?.submissionsUsed, slot?.userId],
      [null, "accepted", 2, "ada"],
    );
    const paged = await story(phone.installationId, "?perPage=3&page=2");
    assert.deepEqual([kindsOf(paged), paged.total], [ofAda.slice(3, 6), 8]);
    // Another user takes the phone, who has not agreed.
    await phone.bind("eve");
    const { id: later } = await launchPush(project, { name: "Later" });
    await project.sdk.identify({ body: { userId: "eve" } });
    await house.drain();
    const second = await story(phone.installationId);
    assert.deepEqual([second.fault, kindsOf(second)], ["no_consent", ofAda]);
    assert.deepEqual(second.waiting, [{ campaignId: later, campaignName: "Later", reason: "no_consent" }]);
    await phone.bind(null);
    assert.equal((await story(phone.installationId)).fault, "no_installation");
  });

  it("shows a push that is ready as waiting while its campaign is paused, and tests as tests", async () => {
    const project = await sendingProject();
    const { story } = await viewerOf(project);
    const phone = await reachable(project, "ada");
    apns.behave(() => apnsRefuses(503, "ServiceUnavailable"));
    const { id } = await launchPush(project);
    await house.drain();
    assert.deepEqual(
      (await story(phone.installationId)).slots.map(({ state, reason }) => [state, reason]),
      [["waiting", "retry_backoff"]],
    );
    await project.api.setCampaignStatus({ path: { id }, body: { action: "pause" } });
    await house.database.pool.query(
      "update push_slots set state = 'ready', reason = null where project_id = $1",
      [project.projectId],
    );
    assert.deepEqual(
      (await story(phone.installationId)).slots.map(({ state, reason }) => [state, reason]),
      [["waiting", "campaign_paused"]],
    );
    apns.behave(() => null);
    const test = { installationId: phone.installationId, requestId: "look" };
    await project.api.sendPushTest({ path: { id }, body: test });
    await house.drain();
    const { slots } = await story(phone.installationId);
    assert.deepEqual(slots.map(({ isTest, state }) => [isTest, state]).toSorted(), [
      [false, "waiting"],
      [true, "accepted"],
    ]);
  });

  it("is not kindsOf of devices of other projects, or of none", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const { installationId } = await install(other);
    const { story } = await viewerOf(project);
    assert.equal((await story(installationId)).status, 404);
    assert.equal((await story("none")).status, 404);
  });
});

describe("how push stands", () => {
  it("counts each device once, with its credential, and what campaigns wait for", async () => {
    const [project, other] = [await house.project(), await house.project()];
    await putCredential(project, apns.credential);
    await reachable(other, "stranger");
    const { standing } = await viewerOf(project);
    assert.deepEqual((await standing()).ways, [
      {
        appId: APP,
        platform: "ios",
        environment: "production",
        credential: "usable",
        refused: null,
        devices: 0,
        unbound: 0,
        noToken: 0,
        noConsent: 0,
        notPermitted: 0,
        ready: 0,
      },
    ]);
    await install(project, { appId: APP });
    await reachable(project, "ada");
    await reachable(project, "bob", { token: null });
    await (await reachable(project, "cleo")).say({ consent: false });
    await (await reachable(project, "dan")).say({ permission: "denied" });
    await reachable(project, "eve", { platform: "android" });
    const { id } = await launchPush(project, { name: "News" });
    await house.drain();
    const { pausedBecause, ways, campaigns } = await standing();
    assert.equal(pausedBecause, null);
    assert.deepEqual(ways, [
      {
        appId: APP,
        platform: "ios",
        environment: "production",
        credential: "usable",
        refused: null,
        devices: 5,
        unbound: 1,
        noToken: 1,
        noConsent: 1,
        notPermitted: 1,
        ready: 1,
      },
      {
        appId: APP,
        platform: "android",
        environment: "production",
        credential: "none",
        refused: null,
        devices: 1,
        unbound: 0,
        noToken: 0,
        noConsent: 0,
        notPermitted: 0,
        ready: 1,
      },
    ]);
    const waits = ["credential", "no_consent", "no_token", "permission"];
    assert.deepEqual(
      campaigns.map((each) => [each.id, each.users, each.devices]),
      [[id, waits.map((reason) => ({ reason, count: 1 })), []]],
    );
    await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
    assert.deepEqual((await standing()).campaigns, []);
    assert.deepEqual(
      (await standing(`?campaignId=${id}`)).campaigns.map((each) => each.id),
      [id],
    );
    const { standing: elsewhere } = await viewerOf(other);
    assert.deepEqual((await elsewhere(`?campaignId=${id}`)).campaigns, []);
    assert.equal((await elsewhere("?campaignId=")).status, 400);
  });
});
