import assert from "node:assert/strict";
import { z } from "zod";
import type { Endpoint } from "../src/platform/http/contract/endpoint.ts";
import type { SharedHouse, TestHouse, TestProject } from "./harness.ts";
import {
  apnsCredential,
  asDevice,
  device,
  makeWorld,
  onPro,
  privateKey,
  transcriptOf,
  type World,
} from "./project-world.ts";

/** What a request may carry, as `fetch` takes it. */
export type Payload = NonNullable<RequestInit["body"]>;

export type Spec = Endpoint["spec"];

export type Sample = {
  path?: Readonly<Record<string, string>>;
  query?: Readonly<Record<string, string>>;
  body?: Readonly<Record<string, unknown>>;
  /** Another one that may come instead; without it, the body with another `name`. */
  otherBody?: Readonly<Record<string, unknown>>;
  file?: Blob;
  headers?: Readonly<Record<string, string>>;
};

const PNG = Buffer.from(
  "iVBORw0KGgoAAAANSUhEUgAAAAEAAAABCAYAAAAfFcSJAAAADUlEQVR42mNk+M9QDwADhgGAWjR9awAAAABJRU5ErkJggg==",
  "base64",
);
export const png = new Blob([PNG], { type: "image/png" });

let segments = 0;
let deployments = 0;
let executions = 0;

const credentialFor = (appId: string) => ({
  appId,
  platform: "ios",
  environment: "production",
  expectedRevision: 0,
  credential: apnsCredential,
});
let apps = 0;

/** A change of an installation that has not changed before. */
const change = (
  { installationId }: World,
  requestId: string,
  body: Readonly<Record<string, unknown>> = {},
): Sample => ({
  path: { installationId },
  headers: asDevice,
  body: { requestId, bindingGeneration: 0, revision: 0, ...body },
});

/** The lease that an operation takes. */
const LEASES: Readonly<Record<string, "toMutate" | "toComplete" | "toPropose">> = {
  mutateCampaign: "toMutate",
  completeEvaluation: "toComplete",
  createProposal: "toPropose",
};

/**
 * The example that the document gives of an operation's body, about things that are there. Ids in it are made up, and the key of
 * its credential is left out.
 */
export function exampleFor(
  { id, example }: Spec,
  world: World,
): Readonly<Record<string, unknown>> | undefined {
  if (typeof example !== "object" || example === null) return undefined;
  return JSON.parse(JSON.stringify(example), (key, value: unknown) => {
    if (id === "reconcileRef" && key === "leaseToken") return world.toReconcile.leaseToken;
    if (id === "reconcileRef" && key === "fromSha") return world.toReconcile.fromSha;
    if (id === "reconcileRef" && key === "toSha") return world.toReconcile.toSha;
    if (id === "reconcileRef" && key === "shas") return [world.toReconcile.toSha];
    const lease = LEASES[id];
    if (key === "campaignId") return lease === undefined ? world.campaignId : world[lease].campaignId;
    if (key === "leaseToken" && lease !== undefined) return world[lease].leaseToken;
    if (key === "evaluationAt") return world.evaluationAt;
    if (key === "goalId") return world.goalId;
    if (key === "userId") return world.userId;
    if (key === "segment") return world.segmentKey;
    if (key === "installationId" && !("capability" in example)) return world.reachableId;
    return key === "privateKey" ? privateKey : value;
  });
}

/** A request of each operation that succeeds. An operation without one fails the first test of `every-endpoint`. */
export const samples: Readonly<Record<string, (world: World) => Sample>> = {
  identify: ({ userId }) => ({ body: { userId, traits: { plan: "pro" } } }),
  identifyBatch: ({ userId }) => ({ body: { users: [{ userId, traits: { plan: "pro" } }] } }),
  track: ({ userId }) => ({ body: { userId, event: "signed_up", props: { from: "test" } } }),
  trackBatch: ({ userId }) => ({ body: { events: [{ userId, event: "signed_up" }] } }),
  getMessages: ({ userId }) => ({ query: { userId, entryId: "e", requestId: "r", path: "/" } }),
  sendDeliveryFeedback: ({ userId, deliveryId }) => ({
    path: { id: deliveryId },
    body: { userId, type: "shown", feedbackId: "first" },
  }),
  listUsers: ({ userId }) => ({
    query: { q: userId, traitKey: "plan", traitValue: "pro", activeSince: "0" },
  }),
  findUsers: ({ userId }) => ({ body: { q: userId } }),
  listUserNames: ({ userId }) => ({ body: { userIds: [userId] } }),
  getUserSummary: () => ({ query: { window: "7d" } }),
  getUser: ({ endUserId }) => ({ path: { id: endUserId } }),
  eraseUser: ({ endUserId }) => ({ path: { id: endUserId } }),
  listUserEvents: ({ endUserId }) => ({ path: { id: endUserId }, query: { page: "1" } }),
  listEvents: ({ userId }) => ({
    query: { name: "signed_up", externalUserId: userId, since: "2026-01-01" },
  }),
  listUserDeliveries: ({ endUserId }) => ({ path: { id: endUserId }, query: { page: "1" } }),
  createGoal: () => ({ body: { name: "More upgrades", guardrails: { max: 1 } } }),
  listGoals: () => ({ query: { status: "active" } }),
  getGoal: ({ goalId }) => ({ path: { id: goalId } }),
  updateGoal: ({ goalId }) => ({ path: { id: goalId }, body: { name: "Renamed" } }),
  createAgentRun: ({ goalId, campaignId }) => ({
    body: { kind: "evaluate", goalId, campaignId, input: { seen: 1 }, output: ["kept"], rationale: "steady" },
    otherBody: { kind: "observation" },
  }),
  getAgentSettings: () => ({}),
  recordAgentUsage: () => ({
    body: { executionId: `execution-${executions++}`, calls: [{ inputTokens: 100, outputTokens: 10 }] },
    otherBody: { executionId: `execution-${executions++}`, calls: [{ inputTokens: 200 }] },
  }),
  listAgentRuns: ({ goalId }) => ({ query: { goalId, include: "names" } }),
  listDueEvaluations: () => ({}),
  scheduleEvaluation: ({ dueCampaignId }) => ({
    path: { id: dueCampaignId },
    body: { nextEvaluationAt: 1_790_000_000_000 },
    otherBody: { nextEvaluationAt: 1_790_000_000_001 },
  }),
  claimEvaluation: ({ dueCampaignId }) => ({
    path: { id: dueCampaignId },
    body: { leaseSeconds: 60 },
    otherBody: { leaseSeconds: 61 },
  }),
  mutateCampaign: ({ toMutate: { campaignId, leaseToken }, evaluationAt }) => {
    const body = { leaseToken, evaluationAt, mutation: { type: "update", name: "By an agent" } };
    const otherBody = { ...body, mutation: { type: "status", action: "end" } };
    return { path: { id: campaignId }, body, otherBody };
  },
  completeEvaluation: ({ toComplete: { campaignId, leaseToken } }) => {
    const body = { leaseToken, nextEvaluationAt: 4_000_000_000_000 };
    return { path: { id: campaignId }, body, otherBody: { ...body, nextEvaluationAt: 4_000_000_000_001 } };
  },
  createProposal: ({ toPropose, evaluationAt }) => {
    const body = { ...toPropose, evaluationAt, mutation: { type: "status", action: "pause" } };
    return { body, otherBody: { ...body, mutation: { type: "status", action: "end" } } };
  },
  listProposals: () => ({ query: { status: "pending", page: "1" } }),
  getProposal: ({ proposalId }) => ({ path: { id: proposalId } }),
  putAgentRunTranscript: ({ runId }) => ({
    path: { id: runId },
    body: transcriptOf("Hi"),
    otherBody: transcriptOf("Ho"),
  }),
  getAgentRunTranscript: ({ transcribedRunId }) => ({ path: { id: transcribedRunId } }),
  createCampaign: () => ({ body: { name: "New", message: { presentation: "toast", title: "Hi" } } }),
  listCampaigns: () => ({ query: { q: "c", page: "1", perPage: "10" } }),
  getCampaign: ({ campaignId }) => ({ path: { id: campaignId } }),
  updateCampaign: ({ campaignId }) => ({ path: { id: campaignId }, body: { name: "Renamed" } }),
  setCampaignStatus: ({ campaignId }) => ({
    path: { id: campaignId },
    body: { action: "pause" },
    otherBody: { action: "end" },
  }),
  listSources: () => ({}),
  recordDeployment: ({ sourceId }) => {
    const body = { sourceId, environment: "production", sha: "a".repeat(40), status: "success" };
    return {
      body: { ...body, deploymentId: `ci-${deployments++}` },
      otherBody: { ...body, deploymentId: `ci-${deployments++}` },
    };
  },
  listDueRefs: () => ({}),
  claimRef: ({ dueRefId }) => ({
    path: { refId: dueRefId },
    body: { leaseSeconds: 60 },
    otherBody: { leaseSeconds: 61 },
  }),
  reconcileRef: ({ toReconcile: { refId, ...lease } }) => {
    const ops = [{ op: "skip", shas: [lease.toSha], reason: "Nobody sees it." }];
    const body = { ...lease, sourceGeneration: 1, rationale: "It is for developers.", ops };
    return { path: { refId }, body, otherBody: { ...body, rationale: "Nobody sees it." } };
  },
  listDeployments: ({ sourceId }) => ({ query: { sourceId, page: "1" } }),
  getLaunchPolicy: () => ({}),
  updateLaunchPolicy: () => ({
    body: { defaultMode: "manual", expectedRevision: "0" },
    otherBody: { defaultMode: "automatic", expectedRevision: "0" },
  }),
  getCampaignActivation: ({ campaignId }) => ({ path: { id: campaignId } }),
  updateCampaignActivation: ({ campaignId }) => ({
    path: { id: campaignId },
    body: { mode: "manual", expectedRevision: "0" },
    otherBody: { mode: "automatic", expectedRevision: "0" },
  }),
  listCampaignDeliveries: ({ campaignId }) => ({ path: { id: campaignId }, query: { page: "1" } }),
  listCampaignResults: ({ campaignId }) => ({ query: { campaignIds: campaignId } }),
  getCampaignConversions: ({ campaignId }) => ({ path: { id: campaignId }, query: { event: "signed_up" } }),
  getCampaignPlan: ({ campaignId }) => ({
    path: { id: campaignId },
    query: { controlRate: "0.04", exposedPerDay: "300" },
  }),
  getGoalConversions: ({ goalId }) => ({ path: { id: goalId }, query: { event: "signed_up" } }),
  getCampaignEmail: ({ emailCampaignId }) => ({ path: { id: emailCampaignId } }),
  sendTestEmail: ({ emailCampaignId, userId }) => ({
    path: { id: emailCampaignId },
    body: { address: "me@acme.example", userId },
    otherBody: { address: "you@acme.example" },
  }),
  explainCampaign: ({ campaignId, userId }) => ({ path: { id: campaignId }, body: { userId, path: "/" } }),
  takeCampaignCensus: ({ campaignId }) => ({ path: { id: campaignId } }),
  getOverview: () => ({}),
  listActivity: () => ({ query: { limit: "5" } }),
  getUsage: () => ({}),
  getMetrics: () => ({ query: { range: "7d" } }),
  getResultDays: () => ({ query: { range: "7d" } }),
  getAudienceCapabilities: () => ({}),
  checkAudience: ({ segmentKey }) => ({ body: { segment: segmentKey } }),
  explainAudience: ({ userId }) => ({ body: { userId, expression: onPro } }),
  createSegment: () => ({ body: { key: `new-${segments++}`, name: "New", expression: onPro } }),
  listSegments: () => ({ query: { status: "active" } }),
  getSegment: ({ segmentKey }) => ({ path: { id: segmentKey } }),
  updateSegment: ({ segmentKey }) => ({ path: { id: segmentKey }, body: { name: "Renamed" } }),
  archiveSegment: ({ segmentKey }) => ({ path: { id: segmentKey } }),
  listSegmentUsers: ({ segmentKey }) => ({ path: { id: segmentKey } }),
  listSegmentVersions: ({ segmentKey }) => ({ path: { id: segmentKey } }),
  getSegmentVersion: ({ segmentKey }) => ({ path: { id: segmentKey, version: "1" } }),
  uploadCampaignMedia: () => ({ file: png }),
  bootstrapInstallation: ({ installationId }) => ({
    body: { ...device, installationId: `new-${installationId}` },
  }),
  getInstallation: ({ installationId }) => ({ path: { installationId }, headers: asDevice }),
  setInstallationBinding: (world) => change(world, "bind", { userId: world.userId }),
  setInstallationFacts: (world) =>
    change(world, "facts", {
      permission: "granted",
      consent: true,
      capabilities: { actions: ["reply"], channels: [], richImages: true },
    }),
  setInstallationToken: (world) => change(world, "token", { tokenRevision: 0, token: "abc" }),
  recordInstallationActivity: (world) => change(world, "activity"),
  putPushCredential: () => ({
    body: credentialFor(`com.example.app${apps++}`),
    otherBody: credentialFor("com.example.other"),
  }),
  listPushCredentials: () => ({}),
  validatePushCredential: () => ({ body: { credential: apnsCredential } }),
  dispatchCampaignPush: ({ pushCampaignId }) => ({ path: { id: pushCampaignId } }),
  getCampaignPush: ({ pushCampaignId }) => ({
    path: { id: pushCampaignId },
    query: { page: "1", perPage: "10" },
  }),
  sendPushTest: ({ pushCampaignId, reachableId, pushTestId }) => ({
    path: { id: pushCampaignId },
    body: { installationId: reachableId, requestId: `${pushTestId}-again` },
    otherBody: { installationId: reachableId, requestId: `${pushTestId}-other` },
  }),
  getPushTest: ({ pushCampaignId, pushTestId }) => ({ path: { id: pushCampaignId, requestId: pushTestId } }),
  recordObservations: ({ reachableId }) => ({
    path: { installationId: reachableId },
    headers: asDevice,
    body: {
      bindingGeneration: 1,
      commands: [{ id: "opened", sequence: 1, kind: "event", event: "app_opened", eventId: "opened-1" }],
    },
  }),
  extractUsers: ({ segmentKey }) => ({ path: { format: "csv" }, query: { segment: segmentKey } }),
  extractEvents: () => ({ path: { format: "ndjson" }, query: { name: "signed_up" } }),
  extractDeliveries: ({ campaignId }) => ({ path: { format: "csv" }, query: { campaignId, state: "shown" } }),
  extractSends: () => ({ path: { format: "csv" } }),
  extractSuppressions: () => ({ path: { format: "ndjson" }, query: { reason: "bounced" } }),
  extractRuns: () => ({ path: { format: "csv" } }),
  listInstallations: ({ userId }) => ({ query: { userId, page: "1", perPage: "10" } }),
};

export const sampleOf = (spec: Spec, world: World): Sample => samples[spec.id]?.(world) ?? {};

/** A world of a project with what the sample of an operation names, and the example of its body. */
export const worldFor = (house: TestHouse, project: TestProject, spec: Spec): Promise<World> =>
  makeWorld(house, project, (world) => [sampleOf(spec, world), exampleFor(spec, world)]);

const ErrorBody = z.object({ error: z.string().min(1) });

export type Answered = { status: number; headers: Headers; text: string };

type Sent = Sample & {
  key?: string | undefined;
  method?: string;
  /** Sent as it is, instead of a JSON body. */
  raw?: Payload;
};

export function addressOf(spec: Spec, { path = {}, query = {} }: Sample): string {
  const filled = spec.path.replace(/\{(\w+)\}/g, (_, name: string) => encodeURIComponent(path[name] ?? ""));
  const search = new URLSearchParams(query).toString();
  return search === "" ? filled : `${filled}?${search}`;
}

function payloadOf({ raw, file, body }: Sent): { body: Payload | null; type: Record<string, string> } {
  const json = { "content-type": "application/json" };
  if (raw !== undefined) return { body: raw, type: raw instanceof FormData ? {} : json };
  if (file !== undefined) {
    const form = new FormData();
    form.set("file", file);
    return { body: form, type: {} };
  }
  return body === undefined ? { body: null, type: {} } : { body: JSON.stringify(body), type: json };
}

const seenRequestIds = new Set<string>();

/** Checks what is true of every answer, whatever it says. */
async function checked(response: Response): Promise<Answered> {
  const { status, headers } = response;
  const text = await response.text();
  assert.ok(status < 500 || status === 501, `${status}: ${text}`);
  assert.equal(headers.get("x-api-version"), "2026-08-22");
  assert.equal(headers.get("x-content-type-options"), "nosniff");
  assert.equal(headers.get("cache-control"), "no-store");
  assert.equal(headers.get("referrer-policy"), "no-referrer");
  for (const name of ["server", "x-powered-by"]) assert.equal(headers.get(name), null);
  const id = headers.get("x-request-id");
  assert.ok(id && !seenRequestIds.has(id), `X-Request-Id is ${id}`);
  seenRequestIds.add(id);
  const isFile = headers.has("content-disposition");
  if (text !== "" && !isFile) assert.match(headers.get("content-type") ?? "", /^application\/json/);
  if (status >= 400 && text !== "") {
    ErrorBody.parse(JSON.parse(text));
    assert.doesNotMatch(text, /\bat .+:\d+:\d+|node_modules|\bselect\b.+\bfrom\b|SQLSTATE/i);
  }
  return { status, headers, text };
}

/** One request, as it is; checks what is true of every answer. */
export async function request(url: string, init: RequestInit & { duplex?: "half" } = {}): Promise<Answered> {
  return checked(await fetch(url, init));
}

/** Sends a request of an operation. */
export function send(house: SharedHouse, spec: Spec, sent: Sent): Promise<Answered> {
  const { body, type } = payloadOf(sent);
  return request(house.url + addressOf(spec, sent), {
    method: sent.method ?? spec.method,
    body,
    headers: {
      ...(sent.key === undefined ? {} : { authorization: `Bearer ${sent.key}` }),
      ...type,
      ...sent.headers,
    },
  });
}

/** A key with which an operation can be called. */
export function keyOf(project: TestProject, { id, keys: [kind] }: Spec): string {
  if (kind === undefined) throw new Error(`${id} is called by people alone.`);
  return project[`${kind}Key`];
}

/** The body of a refusal of source work. */
const SourceRefusal = z.strictObject({
  ok: z.literal(false),
  status: z.int(),
  error: z.string(),
  retryAfterMs: z.int().min(0).optional(),
});

/** Fails unless the answer is this refusal with the standard body, or with that of source work. */
export function assertRefused(answer: Answered, status: number, error?: string | RegExp): void {
  assert.equal(answer.status, status, answer.text);
  const body = z.union([z.strictObject({ error: z.string() }), SourceRefusal]).parse(JSON.parse(answer.text));
  if ("status" in body) assert.equal(body.status, status);
  if (typeof error === "string") assert.equal(body.error, error);
  else if (error !== undefined) assert.match(body.error, error);
}

/** Names of the fields of a schema that is an object. */
export function fieldsOf(schema: z.ZodType | undefined): string[] {
  if (schema === undefined) return [];
  const { properties } = z.toJSONSchema(schema, { io: "input", unrepresentable: "any" });
  return Object.keys(properties ?? {});
}
