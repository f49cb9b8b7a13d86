/** The things of a project that requests with keys can name: what each is, and how it is made. */
import assert from "node:assert/strict";
import { generateKeyPairSync } from "node:crypto";
import { apiId } from "../src/domain/ids.ts";
import { insertSource } from "../src/features/sources/registry/store.ts";
import { canonicalHash } from "../src/platform/text/canonical.ts";
import { dueCampaign, END, leasedCampaign, propose } from "./agent.ts";
import { uploadFile } from "./bringing.ts";
import { type MadeIds, type Names, NOTHING_MADE } from "./derived-samples.ts";
import { launchEmail, setSettings } from "./email.ts";
import { launchCampaign, messagesOf } from "./factories.ts";
import type { TestHouse, TestProject } from "./harness.ts";
import { makeRepository, WITHOUT_GIT } from "./peers/repository.ts";
import { launchPush, putCredential, reachable } from "./push.ts";
import { leaseWork, refOf } from "./source-work.ts";
import { partsOf, worldOf } from "./worlds.ts";

/** Things of one project that requests can name. */
export type World = {
  userId: string;
  endUserId: string;
  goalId: string;
  campaignId: string;
  runId: string;
  /** A run that has a transcript. */
  transcribedRunId: string;
  deliveryId: string;
  segmentKey: string;
  /** A journey that runs, with a user inside. */
  journeyId: string;
  installationId: string;
  /** An app that has a key for browsers. */
  siteId: string;
  emailCampaignId: string;
  /** A template of transactional mail that is live, and a mail of it. */
  templateKey: string;
  sendId: string;
  /** Key of a topic. */
  topic: string;
  /** A push campaign that runs, a device that it can be sent to, and a test that was. */
  pushCampaignId: string;
  reachableId: string;
  pushTestId: string;
  /** Campaigns that an agent looks after: one is due, the others are leased, and one has a proposal that waits. */
  dueCampaignId: string;
  evaluationAt: number;
  toMutate: Leased;
  toComplete: Leased;
  toPropose: Leased;
  proposalId: string;
  /** A repository from which changes are deployed. */
  sourceId: string;
  /** A branch that has brought a commit, and the lease on what another one has brought. */
  dueRefId: string;
  toReconcile: Reconcilable;
  /** Files that are uploaded: one waits, the other one is being read. */
  uploadedImportId: string;
  runningImportId: string;
  /** A webhook, and a message that it is to get. */
  triedWebhook: { id: string; messageId: string };
  made: MadeIds;
};

/** Source work that an agent has a lease on. */
type Reconcilable = { refId: string; leaseToken: string; fromSha: string; toSha: string };

/** A campaign that an agent has a lease on. */
type Leased = { campaignId: string; leaseToken: string };

/** Ids of nothing, in the form that the API gives them. */
export const nowhere: World = {
  userId: "nobody",
  endUserId: "eu_019b0000-0000-7000-8000-000000000000",
  goalId: "goal_019b0000-0000-7000-8000-000000000000",
  campaignId: "cmp_019b0000-0000-7000-8000-000000000000",
  runId: "run_019b0000-0000-7000-8000-000000000000",
  transcribedRunId: "run_019b0000-0000-7000-8000-000000000000",
  deliveryId: `del_${"A".repeat(43)}`,
  segmentKey: "nowhere",
  journeyId: "jrn_019b0000-0000-7000-8000-000000000000",
  installationId: "nowhere",
  siteId: "nowhere",
  emailCampaignId: "cmp_019b0000-0000-7000-8000-000000000000",
  templateKey: "nowhere",
  topic: "nowhere",
  sendId: "del_AZsAAAAAcACAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA",
  pushCampaignId: "cmp_019b0000-0000-7000-8000-000000000000",
  reachableId: "nowhere",
  pushTestId: "nowhere",
  dueCampaignId: "cmp_019b0000-0000-7000-8000-000000000000",
  evaluationAt: 1_790_000_000_000,
  toMutate: { campaignId: "cmp_019b0000-0000-7000-8000-000000000000", leaseToken: "lease_nowhere" },
  toComplete: { campaignId: "cmp_019b0000-0000-7000-8000-000000000000", leaseToken: "lease_nowhere" },
  toPropose: { campaignId: "cmp_019b0000-0000-7000-8000-000000000000", leaseToken: "lease_nowhere" },
  proposalId: "prop_019b0000-0000-7000-8000-000000000000",
  sourceId: "nowhere",
  dueRefId: "ref_019b0000-0000-7000-8000-000000000000",
  toReconcile: {
    refId: "ref_019b0000-0000-7000-8000-000000000000",
    leaseToken: "lease_nowhere",
    fromSha: "a".repeat(40),
    toSha: "b".repeat(40),
  },
  uploadedImportId: "imp_019b0000-0000-7000-8000-000000000000",
  runningImportId: "imp_019b0000-0000-7000-8000-000000000000",
  triedWebhook: {
    id: "wh_019b0000-0000-7000-8000-000000000000",
    messageId: "msg_00000000-0000-0001-8000-000000000000",
  },
  made: NOTHING_MADE,
};

/** What an app makes up for itself: 32 random bytes in base64url. */
export const capability = "c".repeat(43);
export const asDevice = { "X-Service-Installation-Capability": capability };

export const device = {
  appId: "com.example.app",
  platform: "ios" as const,
  environment: "production" as const,
  capability,
};

export const onPro = {
  version: 1 as const,
  root: {
    kind: "field" as const,
    field: { kind: "trait" as const, key: "plan" },
    op: "eq" as const,
    value: "pro",
  },
};

/** The names that requests with keys have for these things. A test of a push is at the request that sent it. */
export const names: Names<World> = {
  things: {
    "agent-runs": ({ runId }) => runId,
    campaigns: ({ campaignId }) => campaignId,
    deliveries: ({ deliveryId }) => deliveryId,
    evaluations: ({ dueCampaignId }) => dueCampaignId,
    goals: ({ goalId }) => goalId,
    installations: ({ installationId }) => installationId,
    journeys: ({ journeyId }) => journeyId,
    proposals: ({ proposalId }) => proposalId,
    refs: ({ dueRefId }) => dueRefId,
    segments: ({ segmentKey }) => segmentKey,
    tests: ({ pushTestId }) => pushTestId,
    topics: ({ topic }) => topic,
    users: ({ endUserId }) => endUserId,
  },
  fields: {
    campaignId: ({ campaignId }) => campaignId,
    evaluationAt: ({ evaluationAt }) => evaluationAt,
    goalId: ({ goalId }) => goalId,
    installationId: ({ reachableId }) => reachableId,
    // The contract leaves the key of its credential out.
    privateKey: () => privateKey,
    segment: ({ segmentKey }) => segmentKey,
    sourceId: ({ sourceId }) => sourceId,
    userId: ({ userId }) => userId,
  },
};

/** A transcript of one exchange with a model. */
export function transcriptOf(content: string) {
  const exchange = { request: { content }, response: { content: "Yes" } };
  return { entries: [{ ...exchange, hash: canonicalHash(exchange) }] };
}

export const { privateKey } = generateKeyPairSync("ec", {
  namedCurve: "P-256",
  publicKeyEncoding: { type: "spki", format: "pem" },
  privateKeyEncoding: { type: "pkcs8", format: "pem" },
});
export const apnsCredential = {
  provider: "apns" as const,
  teamId: "TEAM123456",
  keyId: "KEY1234567",
  topic: "com.example.app",
  privateKey,
};

/** Lets more campaigns run at once than an agent may start in a project by itself. */
const withAgents = (house: TestHouse, project: TestProject): Promise<void> =>
  setSettings(house, project, { "safety.maxConcurrentCampaigns": "10" });

let repository: { url: string; from: string; to: string } | undefined;

/** One repository for all projects, with a commit behind its first one; nowhere on a machine without git. */
function sharedRepository() {
  if (repository !== undefined) return repository;
  if (WITHOUT_GIT !== false)
    return { url: "https://git.example/app.git", from: "a".repeat(40), to: "b".repeat(40) };
  const made = makeRepository();
  process.on("exit", () => made.remove());
  const from = made.tip();
  repository = { url: made.url, from, to: made.commit({ "dark.css": "black" }, "Add dark mode") };
  return repository;
}

const USER_ID = "ada";

/** What a world is made for. */
type Making = { house: TestHouse; project: TestProject };

const part = partsOf<World, Making>();

const leased = async ({ house, project }: Making): Promise<Leased> => {
  await withAgents(house, project);
  const { id: campaignId, leaseToken } = await leasedCampaign(house, project);
  return { campaignId, leaseToken };
};

const parts = [
  part(["userId"], async ({ project }) => {
    await project.sdk.identify({ body: { userId: USER_ID } });
    return { userId: USER_ID };
  }),
  part(["endUserId", "goalId", "campaignId", "deliveryId"], async ({ project }) => {
    const { goal } = await project.api.createGoal({ body: { name: "Upgrades" } });
    const campaign = await launchCampaign(project, { goalId: goal.id });
    const [message] = await messagesOf(project, USER_ID);
    assert.ok(message);
    const { user } = await project.api.getUser({ path: { id: USER_ID } });
    return {
      endUserId: user.id,
      goalId: goal.id,
      campaignId: campaign.id,
      deliveryId: message.deliveryId,
    };
  }),
  part(["runId"], async ({ project: { api } }) => ({
    runId: (await api.createAgentRun({ body: { kind: "note" } })).run.id,
  })),
  part(["transcribedRunId"], async ({ project: { api } }) => {
    const { run } = await api.createAgentRun({ body: { kind: "note" } });
    await api.putAgentRunTranscript({ path: { id: run.id }, body: transcriptOf("Hi") });
    return { transcribedRunId: run.id };
  }),
  part(["segmentKey"], async ({ project: { api } }) => {
    const segmentKey = "on-pro";
    await api.createSegment({ body: { key: segmentKey, name: "On pro", expression: onPro } });
    return { segmentKey };
  }),
  part(["journeyId"], async ({ project: { api, sdk } }) => {
    await sdk.identify({ body: { userId: USER_ID } });
    const { journey } = await api.createJourney({
      body: {
        name: "Trial",
        entry: { on: "request" },
        steps: [{ id: "pause", kind: "wait", for: { amount: 3, unit: "days" } }],
      },
    });
    const path = { id: journey.id };
    await api.setJourneyStatus({ path, body: { action: "launch" } });
    await api.addJourneyEntries({ path, body: { userIds: [USER_ID] } });
    return { journeyId: journey.id };
  }),
  part(["emailCampaignId"], async ({ house, project }) => {
    await setSettings(house, project, {
      "email.from": "news@acme.example",
      "email.postalAddress": "1 Main Street",
    });
    return { emailCampaignId: (await launchEmail(project, { launch: false })).id };
  }),
  part(["topic"], async ({ project }) => {
    // The user who joins it has an address, and has joined: no mail is needed that asks them to confirm.
    await project.sdk.identify({ body: { userId: USER_ID, traits: { email: "ada@example.com" } } });
    const { topic } = await project.api.createTopic({
      body: { key: "newsletter", name: "Newsletter", isDefault: "in" },
    });
    await project.api.putUserSubscriptions({
      path: { id: USER_ID },
      body: { choices: [{ topic: topic.key, wants: "in" }] },
    });
    return { topic: topic.key };
  }),
  part(["templateKey", "sendId"], async ({ house, project }) => {
    await setSettings(house, project, { "email.from": "news@acme.example" });
    const templateKey = "receipt";
    await project.api.createCampaign({
      body: {
        name: "Receipt",
        channel: "email",
        purpose: "transactional",
        key: templateKey,
        message: { subject: "Receipt {{ data.order.number }}", body: "{{ data.order.total }}" },
        launch: true,
      },
    });
    const data = { order: { number: "A-1000", total: "€ 12.00" } };
    const { send } = await project.api.sendMail({
      body: { template: templateKey, to: { email: "ada@example.com" }, data },
    });
    return { templateKey, sendId: send.id };
  }),
  part(["sourceId"], async ({ house, project }) => {
    const sourceId = "web";
    await insertSource(
      house.database.kysely,
      project.projectId,
      {
        id: sourceId,
        url: "https://git.example/web.git",
        branch: "main",
        byOperator: false,
        credential: null,
        instructions: "",
      },
      house.now(),
    );
    return { sourceId };
  }),
  part(["installationId"], async ({ project }) => {
    const installationId = "phone";
    await project.sdk.bootstrapInstallation({ body: { ...device, installationId } });
    return { installationId };
  }),
  part(["pushCampaignId", "reachableId", "pushTestId"], async ({ project }) => {
    await putCredential(project, apnsCredential);
    const { installationId: reachableId } = await reachable(project, USER_ID, {
      installationId: "tablet",
      capability,
    });
    const { id: pushCampaignId } = await launchPush(project);
    const pushTestId = "first-look";
    const body = { installationId: reachableId, requestId: pushTestId };
    await project.api.sendPushTest({ path: { id: pushCampaignId }, body });
    return { pushCampaignId, reachableId, pushTestId };
  }),
  part(["siteId"], async ({ project }) => {
    const credential = { provider: "webpush" as const, subject: "mailto:push@tidings.dev" };
    const siteId = "shop.example";
    await project.api.putPushCredential({
      body: { appId: siteId, platform: "web", environment: "production", expectedRevision: 0, credential },
    });
    return { siteId };
  }),
  part(["evaluationAt"], async ({ house }) => ({ evaluationAt: house.now() })),
  part(["dueCampaignId"], async ({ house, project }) => {
    await withAgents(house, project);
    return { dueCampaignId: (await dueCampaign(house, project)).id };
  }),
  part(["toMutate"], async (making) => ({ toMutate: await leased(making) })),
  part(["toComplete"], async (making) => ({ toComplete: await leased(making) })),
  part(["toPropose"], async (making) => ({ toPropose: await leased(making) })),
  part(["proposalId"], async ({ house, project }) => {
    await withAgents(house, project);
    const { proposal } = await propose(project, await leasedCampaign(house, project), END);
    return { proposalId: proposal.id };
  }),
  part(["dueRefId"], async ({ house, project }) => ({
    dueRefId: apiId("ref", await refOf(house, project, { id: "due", ...sharedRepository() })),
  })),
  part(["toReconcile"], async ({ house, project }) => {
    const { url, from, to } = sharedRepository();
    const refId = await refOf(house, project, { id: "leased", url, from, to });
    const work = { fromSha: from, toSha: to, shas: [to], withdrawals: [] };
    const leaseToken = await leaseWork(house, project, refId, work);
    return { toReconcile: { refId: apiId("ref", refId), leaseToken, fromSha: from, toSha: to } };
  }),
  part(["uploadedImportId"], async ({ project }) => ({
    uploadedImportId: await uploadFile(project, "id\nwaits\n", { kind: "users" }),
  })),
  part(["runningImportId"], async ({ project }) => {
    const runningImportId = await uploadFile(project, "id\nread\n", { kind: "users" });
    await project.api.startImport({ path: { id: runningImportId }, body: {} });
    return { runningImportId };
  }),
  part(["triedWebhook"], async ({ project }) => {
    const { webhook } = await project.api.createWebhook({
      body: { url: "https://example.com/world", types: ["*"] },
    });
    const { messageId } = await project.api.testWebhook({ path: { id: webhook.id } });
    return { triedWebhook: { id: webhook.id, messageId } };
  }),
];

/**
 * Makes the things of a project that requests name.
 * @param reads makes these requests; without it, everything is made
 */
export const makeWorld = (
  house: TestHouse,
  project: TestProject,
  reads: (world: World) => unknown = (world) => ({ ...world }),
): Promise<World> => worldOf(nowhere, parts, { house, project }, reads);
