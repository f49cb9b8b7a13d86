import { hash } from "node:crypto";
import { apiId, uuidFor } from "../src/domain/ids.ts";
import { theOrganization } from "../src/features/access/public.ts";
import { insertCaughtMail } from "../src/features/email/transport/mail-catcher-store.ts";
import { readApprovalRevision, readDetail } from "../src/features/launch/public.ts";
import { makeLink } from "../src/features/people/links/links.ts";
import { firstLink } from "../src/features/people/public.ts";
import { newUuid } from "../src/platform/uuid.ts";
import { leasedCampaign, PAUSE, propose } from "./agent.ts";
import { type MadeIds, type Names, NOTHING_MADE } from "./derived-samples.ts";
import { install } from "./devices.ts";
import { toast } from "./factories.ts";
import { followRepository, mapTo } from "./from-code.ts";
import type { TestHouse, TestProject } from "./harness.ts";
import { makePerson, type TestPerson } from "./people.ts";
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
  made: MadeIds;
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
  made: NOTHING_MADE,
};

/** The names that requests of people have for these things. */
export const peopleNames: Names<PeopleWorld> = {
  things: {
    "agent-runs": ({ runId }) => runId,
    campaigns: ({ campaignId }) => campaignId,
    goals: ({ goalId }) => goalId,
    installations: ({ installationId }) => installationId,
    invitations: ({ invitedEmail }) => invitedEmail,
    keys: ({ keyId }) => keyId,
    mappings: ({ mappingId }) => mappingId,
    outbox: ({ mailId }) => mailId,
    people: ({ otherId }) => otherId,
    projects: ({ doomedId }) => doomedId,
    proposals: ({ proposalId }) => proposalId,
    segments: ({ segmentId }) => segmentId,
    sessions: ({ sessionId }) => sessionId,
    sources: ({ sourceId }) => sourceId,
    users: ({ userId }) => userId,
  },
  fields: {
    deliveryIds: ({ deliveryId }) => [deliveryId],
    payloadHash: ({ payloadHash }) => payloadHash,
    revision: ({ revision }) => revision,
    segment: ({ segmentId }) => segmentId,
    token: ({ token }) => token,
    userId: ({ userId }) => userId,
  },
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
export type Making = {
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

/** Makes the things that the requests of a world name. */
export const makePeopleWorld = (
  making: Making,
  reads: (world: PeopleWorld) => unknown,
): Promise<PeopleWorld> => worldOf(noPeople, parts, making, reads);

/** The secret of a link for the first person, in a house without people. */
export async function firstToken(house: TestHouse): Promise<string> {
  const link = await firstLink(house.database.kysely, house.url, house.now());
  if (link === null) throw new Error("There are people in this house.");
  return tokenIn(link);
}
