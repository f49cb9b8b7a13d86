import { hash } from "node:crypto";
import { apiId, uuidFor } from "../src/domain/ids.ts";
import { theOrganization } from "../src/features/access/public.ts";
import { MONTH_KEY } from "../src/features/demo/month/month-store.ts";
import { insertCaughtMail } from "../src/features/email/transport/mail-catcher-store.ts";
import { readApprovalRevision, readDetail } from "../src/features/launch/public.ts";
import { makeLink } from "../src/features/people/links/links.ts";
import { firstLink } from "../src/features/people/public.ts";
import { newUuid } from "../src/platform/uuid.ts";
import { leasedCampaign, PAUSE, propose } from "./agent.ts";
import { install } from "./devices.ts";
import { setSettings } from "./email.ts";
import { toast } from "./factories.ts";
import { followRepository, mapTo } from "./from-code.ts";
import type { TestHouse, TestProject } from "./harness.ts";
import { makePerson, PASSWORD, type TestPerson } from "./people.ts";
import type { Sample } from "./samples.ts";
import { keepSecrets } from "./secrets/secrets-of-the-run.ts";
import { partsOf, worldOf } from "./worlds.ts";

/** Things that requests of people can name. */
export type PeopleWorld = {
  /** Another person, and a second session of the one who asks. */
  otherId: string;
  sessionId: string;
  /** An open invitation, and its secret. */
  invitedEmail: string;
  token: string;
  /** A draft of the project that the requests are about, a goal and a segment. */
  campaignId: string;
  /** A message of the project that may have arrived, and one that the mail catcher has. */
  deliveryId: string;
  mailId: string;
  /** A key of that project, and a project to delete. */
  keyId: string;
  doomedId: string;
  /** A repository that is connected, with a mapping; and a device. */
  sourceId: string;
  mappingId: string;
  installationId: string;
  /** What a person sees of that draft before they allow it to launch by itself. */
  revision: string;
  /** A proposal that waits for people, with its hash, and a run. */
  proposalId: string;
  payloadHash: string;
  runId: string;
  goalId: string;
  segmentId: string;
  /** A user of the project, by the customer's own id. */
  userId: string;
};

/** Ids of nothing. */
export const noPeople: PeopleWorld = {
  otherId: "019b0000-0000-7000-8000-000000000000",
  sessionId: "019b0000-0000-7000-8000-000000000000",
  invitedEmail: "none@example.com",
  token: "t".repeat(43),
  campaignId: "cmp_019b0000-0000-7000-8000-000000000000",
  deliveryId: `del_${"A".repeat(43)}`,
  mailId: "019b0000-0000-7000-8000-000000000000",
  keyId: "0".repeat(32),
  doomedId: "019b0000-0000-7000-8000-000000000000",
  sourceId: "nowhere",
  mappingId: "map_019b0000-0000-7000-8000-000000000000",
  installationId: "nowhere",
  revision: "0".repeat(64),
  proposalId: "prop_019b0000-0000-7000-8000-000000000000",
  payloadHash: "0".repeat(64),
  runId: "run_019b0000-0000-7000-8000-000000000000",
  goalId: "goal_019b0000-0000-7000-8000-000000000000",
  segmentId: "seg_019b0000-0000-7000-8000-000000000000",
  userId: "nowhere",
};

/** The secret in a link. */
function tokenIn(link: string): string {
  const token = new URL(link).hash.slice(1);
  keepSecrets(token);
  return token;
}

/** The id by which a list names a key. */
export const idOfKey = (key: string): string => hash("sha256", key).slice(0, 32);

/** What a world is made for. */
type Making = {
  house: TestHouse;
  person: TestPerson;
  project: TestProject;
  /** Whether the request is about all projects. */
  isEverywhere: boolean;
};

const part = partsOf<PeopleWorld, Making>();

const parts = [
  part(["otherId"], async ({ house }) => ({ otherId: (await makePerson(house)).id })),
  part(["invitedEmail", "token"], async ({ house, project, isEverywhere }) => {
    const invitedEmail = `invited-${newUuid(house.now())}@example.com`;
    const projectIds = isEverywhere ? null : [project.projectId];
    const { link } = await house.database.kysely.transaction().execute(async (tx) =>
      makeLink(
        tx,
        { kind: "invitation", email: invitedEmail, role: "viewer", projectIds },
        {
          origin: house.url,
          organizationId: await theOrganization(tx, house.now()),
          madeBy: "A test",
          madeById: null,
          now: house.now(),
        },
      ),
    );
    return { invitedEmail, token: tokenIn(link) };
  }),
  part(["sessionId"], async ({ house, person }) => {
    const { rows } = await house.database.pool.query<{ id: string }>(
      `insert into people."session" ("expiresAt", "token", "updatedAt", "userId") values (now() + interval '1 day', $1, now(), $2) returning "id"`,
      [`second session ${newUuid(house.now())}`, person.id],
    );
    return { sessionId: rows[0]?.id ?? "" };
  }),
  part(["campaignId", "revision"], async ({ house, project: { api, projectId } }) => {
    const { campaign } = await api.createCampaign({ body: { name: "Draft", message: toast("Hello") } });
    const uuid = uuidFor("cmp", campaign.id);
    const detail = await readDetail(house.database.kysely, projectId, uuid, house.now());
    return {
      campaignId: campaign.id,
      revision: await readApprovalRevision(house.database.kysely, projectId, detail),
    };
  }),
  part(["mailId"], async ({ house, project }) => {
    const mailId = newUuid(house.now());
    await insertCaughtMail(house.database.kysely, project.projectId, {
      id: mailId,
      recipient: "ada@example.com",
      at: house.now(),
      raw: Buffer.from("Subject: Hello\r\n\r\nHi"),
      user: null,
    });
    return { mailId };
  }),
  part(["keyId"], async ({ project: { agentKey } }) => ({ keyId: idOfKey(agentKey) })),
  part(["doomedId"], async ({ house, isEverywhere }) => ({
    doomedId: isEverywhere ? (await house.project()).projectId : noPeople.doomedId,
  })),
  part(["sourceId", "mappingId"], async ({ house, project }) => {
    // Nothing is looked at in these tests, so that it may lie where nothing is.
    await followRepository(house, project, "https://git.example.com/acme/web.git");
    return { sourceId: "web", mappingId: apiId("map", await mapTo(house, project)) };
  }),
  part(["installationId"], async ({ project }) => ({
    installationId: (await install(project)).installationId,
  })),
  part(["proposalId", "payloadHash"], async ({ house, project }) => {
    const leased = await leasedCampaign(house, project, { goal: { approvalMode: "require_human" } });
    const { proposal } = await propose(project, leased, PAUSE);
    return { proposalId: proposal.id, payloadHash: proposal.payloadHash };
  }),
  part(["runId"], async ({ project: { agent } }) => {
    const { run } = await agent.createAgentRun({ body: { kind: "observation" } });
    return { runId: run.id };
  }),
  part(["goalId"], async ({ project: { api } }) => {
    const { goal } = await api.createGoal({ body: { name: "Sales", targetEvent: "paid" } });
    return { goalId: goal.id };
  }),
  part(["segmentId"], async ({ project: { api } }) => {
    const expression = { version: 1 as const, root: { kind: "event" as const, event: "paid" } };
    const { segment } = await api.createSegment({ body: { key: "payers", name: "Payers", expression } });
    return { segmentId: segment.id };
  }),
  part(["userId"], async ({ project: { api } }) => {
    await api.identify({ body: { userId: "ada", traits: { email: "ada@example.com" } } });
    return { userId: "ada" };
  }),
];

const withSender = ({ house, project }: Making): Promise<void> =>
  setSettings(house, project, {
    "email.from": "Acme <news@acme.example>",
    "email.postalAddress": "1 Main Street",
  });

/** What operations find in a project that their requests do not name. */
const found: Readonly<Record<string, (making: Making) => Promise<void>>> = {
  renewSenderKey: withSender,
  checkEmailSender: withSender,
  testEmailSender: withSender,
  async fillDemoMonth({ house, project: { projectId, api } }) {
    // The demo has made the project, and filled it already.
    await house.database.pool.query(
      "insert into demo_shop (project_id) values ($1) on conflict (is_only) do update set project_id = excluded.project_id",
      [projectId],
    );
    await api.createAgentRun({ body: { kind: "plan", idempotencyKey: MONTH_KEY } });
  },
};

/** A request of an operation for people alone that succeeds: all that it names is made, and what it finds. */
export async function peopleSampleOf(id: string, making: Making): Promise<Sample> {
  const sample = peopleSamples[id];
  if (sample === undefined) return {};
  await found[id]?.(making);
  return sample(await worldOf(noPeople, parts, making, sample));
}

/** The secret of a link for the first person, in a house without people. */
export async function firstToken(house: TestHouse): Promise<string> {
  const link = await firstLink(house.database.kysely, house.url, house.now());
  if (link === null) throw new Error("There are people in this house.");
  return tokenIn(link);
}

/** A request of each operation for people alone, which succeeds for one who may call it. */
export const peopleSamples: Readonly<Record<string, (world: PeopleWorld) => Sample>> = {
  readLink: ({ token }) => ({ body: { token } }),
  useLink: ({ token }) => ({ body: { token, name: "Ada", password: PASSWORD } }),
  getMe: () => ({}),
  getAtWork: () => ({}),
  listSessions: () => ({}),
  endSession: ({ sessionId }) => ({ path: { sessionId } }),
  listPeople: () => ({}),
  previewMessage: () => ({ body: { channel: "web_inapp", message: toast("Hello") } }),
  reviewCampaign: ({ campaignId }) => ({ path: { id: campaignId }, body: { launch: true } }),
  searchSegments: () => ({ query: { q: "pay" } }),
  listSegmentHistory: ({ segmentId }) => ({ path: { id: segmentId } }),
  listUserSegments: ({ userId }) => ({ path: { id: userId } }),
  listUserWithheld: ({ userId }) => ({ path: { id: userId } }),
  getUserMail: ({ userId }) => ({ path: { id: userId } }),
  countAudienceNodes: ({ segmentId }) => ({ body: { segment: segmentId } }),
  compareSegmentVersions: ({ segmentId }) => ({ path: { id: segmentId } }),
  getGoalLimits: ({ goalId }) => ({ path: { id: goalId } }),
  invitePerson: () => ({ body: { email: "new@example.com", role: "viewer" } }),
  withdrawInvitation: ({ invitedEmail }) => ({ path: { email: invitedEmail } }),
  setPersonRole: ({ otherId }) => ({ path: { personId: otherId }, body: { role: "viewer" } }),
  makePasswordLink: ({ otherId }) => ({ path: { personId: otherId } }),
  removePasskeys: ({ otherId }) => ({ path: { personId: otherId } }),
  removePerson: ({ otherId }) => ({ path: { personId: otherId } }),
  getPushStanding: () => ({}),
  getInstallationStory: ({ installationId }) => ({ path: { id: installationId } }),
  listAnnouncements: () => ({ query: { state: "waiting" } }),
  getSource: ({ sourceId }) => ({ path: { id: sourceId } }),
  connectSource: () => ({
    body: { id: "app", url: "https://[2d00::1]/acme/app.git", branch: "main" },
  }),
  changeSource: ({ sourceId }) => ({ path: { id: sourceId }, body: { paused: true } }),
  removeSource: ({ sourceId }) => ({ path: { id: sourceId } }),
  checkSource: ({ sourceId }) => ({ path: { id: sourceId } }),
  confirmMapping: ({ sourceId }) => ({ path: { id: sourceId }, body: { environment: "staging" } }),
  removeMapping: ({ sourceId, mappingId }) => ({ path: { id: sourceId, mappingId } }),
  listApprovals: () => ({}),
  getApproval: ({ proposalId }) => ({ path: { id: proposalId } }),
  takeProposalCensus: ({ proposalId }) => ({ path: { id: proposalId } }),
  decideProposal: ({ proposalId, payloadHash }) => ({
    path: { id: proposalId },
    body: { decision: "approved", payloadHash, reason: "Looks right" },
  }),
  getActivationApproval: ({ campaignId }) => ({ path: { id: campaignId } }),
  decideActivation: ({ campaignId, revision }) => ({
    path: { id: campaignId },
    body: { decision: "approved", revision, reason: "Looks right" },
  }),
  overrideLaunch: ({ campaignId }) => ({ path: { id: campaignId }, body: { reason: "The flag is on" } }),
  getLaunchRules: () => ({}),
  setLaunchesPaused: () => ({ body: { paused: true } }),
  listBreaches: () => ({}),
  clearGuardrails: ({ campaignId }) => ({ path: { id: campaignId }, body: { reason: "The wrong list" } }),
  getAgentRun: ({ runId }) => ({ path: { id: runId } }),
  verifyAgentRuns: () => ({}),
  replayAgentRun: ({ runId }) => ({ path: { id: runId } }),
  listEvaluations: () => ({}),
  getAgentActivity: () => ({}),
  getWaiting: () => ({}),
  getSetup: () => ({}),
  getSystem: () => ({}),
  getDoctor: () => ({}),
  runDoctor: () => ({}),
  listAuditEntries: () => ({ query: { limit: "10" } }),
  getEmailHealth: () => ({}),
  getEmailSender: () => ({}),
  prepareEmailSender: () => ({ body: { from: "Acme <news@acme.example>" } }),
  renewSenderKey: () => ({}),
  checkEmailSender: () => ({}),
  testEmailSender: () => ({}),
  listUnknownSends: () => ({}),
  decideUnknownSends: ({ deliveryId }) => ({ body: { verdict: "resend", deliveryIds: [deliveryId] } }),
  listSuppressedAddresses: () => ({ query: { q: "example" } }),
  listSuppressionDecisions: () => ({}),
  suppressEmailAddress: () => ({ body: { address: "ada@example.com" } }),
  allowEmailAddress: () => ({ body: { address: "ada@example.com" } }),
  listCaughtMail: () => ({}),
  getCaughtMail: ({ mailId }) => ({ path: { mailId } }),
  listAuditAuthors: () => ({}),
  listAuditKinds: () => ({}),
  exportAuditEntries: () => ({ query: { format: "csv" } }),
  createProject: () => ({ body: { name: "Shop" } }),
  renameProject: () => ({ body: { name: "Shop" } }),
  removeProject: ({ doomedId }) => ({ path: { projectId: doomedId } }),
  listKeys: () => ({}),
  createKey: () => ({ body: { kind: "secret" } }),
  rotateKey: () => ({ path: { kind: "secret" }, body: {} }),
  revokeKey: ({ keyId }) => ({ path: { keyId } }),
  listPeopleSettings: () => ({}),
  changePeopleSettings: () => ({ body: { changes: { "org.spendCapUsd": "" } } }),
  listSettingLog: () => ({ query: { limit: "10" } }),
  showIdentitySecret: () => ({ body: {} }),
  fillDemoMonth: () => ({}),
};
