import assert from "node:assert/strict";
import { after, before, it } from "node:test";
import { explain, gateOf } from "../../../../test/eligibility.ts";
import type { TestProject } from "../../../../test/harness.ts";
import { apnsRefuses } from "../../../../test/peers/apns.ts";
import { clientOf } from "../../../../test/people.ts";
import { launchPush, MESSAGE, PUSH, pushHouse, putCredential, reachable } from "../../../../test/push.ts";
import { examine } from "../../system/public.ts";

const { house, apns, sendingProject } = await pushHouse();
before(() => apns.behave(() => apnsRefuses(403, "InvalidProviderToken")));
after(() => apns.behave(() => null));

/** Two people with an iPhone, and one with both kinds of devices. */
async function refusedProject() {
  const project = await sendingProject();
  for (const userId of ["ada", "ben", "cleo"]) await reachable(project, userId, { platform: "ios" });
  await reachable(project, "cleo", { platform: "android" });
  const first = await launchPush(project);
  const before = await censusOf(project, first.id);
  await house.drain();
  return { project, before };
}

const censusOf = ({ api }: TestProject, id: string) => api.takeCampaignCensus({ path: { id } });
const EVERY_DEVICE = { appId: PUSH.appId, selection: { kind: "all" as const } };

/** The warnings of the credential: the texts of these messages have some of their own. */
const warningsOf = ({ warnings }: Awaited<ReturnType<typeof censusOf>>) =>
  warnings.filter(({ path }) => path === "/push/appId");
const waiting = ({ unreachable }: Awaited<ReturnType<typeof censusOf>>) =>
  unreachable.find(({ reason }) => reason === "credential")?.users;

/** How many credentials the doctor finds refused, of the project and of all. */
async function refusedAtDoctor({ projectId }: TestProject): Promise<number[]> {
  const found: number[] = [];
  for (const which of [projectId, null])
    for await (const { name, differences } of examine(house.tidings.app, house.database.kysely, which))
      if (name === "push: no provider refuses a credential") found.push(differences);
  return found;
}

it("is in census, review, set-up, standing, Why (not)? and at the doctor while a provider refuses a credential", async () => {
  const { project, before: wasFine } = await refusedProject();
  assert.deepEqual([wasFine.willReceive, waiting(wasFine), warningsOf(wasFine)], [3, 0, []]);
  const { campaign } = await project.api.createCampaign({
    body: { name: "Draft", channel: "push", push: EVERY_DEVICE, message: MESSAGE },
  });
  const { client } = await clientOf(house, project.projectId, "editor");

  for (const message of [MESSAGE, { ...MESSAGE, title: "The same for all" }]) {
    await project.api.updateCampaign({ path: { id: campaign.id }, body: { message } });
    const found = await censusOf(project, campaign.id);
    assert.deepEqual([waiting(found), found.willReceive], [2, 1], "cleo has another device");
    assert.deepEqual(
      warningsOf(found).map(({ code }) => code),
      ["credential_refused"],
    );
    assert.match(
      warningsOf(found)[0]?.message ?? "",
      /refuses the credential of com\.example\.app for ios, production since \d{4}-.* UTC: InvalidProviderToken\. 3 devices cannot be reached/,
    );
  }
  const review = await client.reviewCampaign({ path: { id: campaign.id }, body: { launch: true } });
  assert.ok(review.reach.includes("credential_refused"));
  assert.ok((await client.getSetup()).reach.push.includes("credential_refused"));
  const { ways } = await client.getPushStanding({});
  assert.deepEqual(
    ways.map(({ platform, credential, refused }) => [platform, credential, refused?.code]),
    [
      ["ios", "refused", "InvalidProviderToken"],
      ["android", "usable", undefined],
    ],
  );
  for (const [userId, passes] of [
    ["ada", false],
    ["cleo", true],
  ] as const) {
    const gate = gateOf(await explain(project, campaign.id, userId), "device");
    assert.deepEqual([gate.passes, gate.reason], [passes, passes ? null : "credential"]);
    if (!passes) assert.match(gate.note, /provider refuses the credential/);
  }
  const [ofProject, ofAll = 0] = await refusedAtDoctor(project);
  assert.equal(ofProject, 1);
  assert.ok(ofAll >= 1);

  await putCredential(project, apns.credential, {}, 1);
  const mended = await censusOf(project, campaign.id);
  assert.deepEqual([mended.willReceive, waiting(mended), warningsOf(mended)], [3, 0, []]);
  assert.equal((await client.getSetup()).reach.push.includes("credential_refused"), false);
  assert.equal((await refusedAtDoctor(project))[0], 0);
});

it("is asked of the campaign's app, and of no other", async () => {
  const { project } = await refusedProject();
  const { client } = await clientOf(house, project.projectId, "editor");
  const { campaign } = await project.api.createCampaign({
    body: {
      name: "Of another app",
      channel: "push",
      message: MESSAGE,
      push: { ...PUSH, appId: "com.example.other" },
    },
  });
  const { reach } = await client.reviewCampaign({ path: { id: campaign.id }, body: {} });
  assert.deepEqual(reach, ["no_credential", "no_device"]);
  assert.deepEqual(warningsOf(await censusOf(project, campaign.id)), []);
});
