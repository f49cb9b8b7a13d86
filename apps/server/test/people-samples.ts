import { theOrganization } from "../src/features/access/public.ts";
import { MONTH_KEY } from "../src/features/demo/month/month-store.ts";
import { makeLink } from "../src/features/people/links.ts";
import { firstLink } from "../src/features/people/public.ts";
import { toast } from "./factories.ts";
import type { TestHouse, TestProject } from "./harness.ts";
import { makePerson, PASSWORD, type TestPerson } from "./people.ts";
import type { Sample } from "./samples.ts";
import { keepSecrets } from "./secrets/secrets-of-the-run.ts";

/** Things that requests of people can name. */
export type PeopleWorld = {
  /** Another person, and a second session of the one who asks. */
  otherId: string;
  sessionId: string;
  /** An open invitation, and its secret. */
  invitedEmail: string;
  token: string;
  /** A draft of the project that the requests are about. */
  campaignId: string;
};

/** Ids of nothing. */
export const nobodyThere: PeopleWorld = {
  otherId: "019b0000-0000-7000-8000-000000000000",
  sessionId: "019b0000-0000-7000-8000-000000000000",
  invitedEmail: "none@example.com",
  token: "t".repeat(43),
  campaignId: "cmp_019b0000-0000-7000-8000-000000000000",
};

/** The secret in a link. */
function tokenIn(link: string): string {
  const token = new URL(link).hash.slice(1);
  keepSecrets(token);
  return token;
}

/** Makes things that requests of `person` in a project can name. @param isEverywhere whether the invitation is for all projects */
export async function makePeopleWorld(
  house: TestHouse,
  person: TestPerson,
  { projectId, api }: TestProject,
  isEverywhere: boolean,
): Promise<PeopleWorld> {
  const projectIds = isEverywhere ? null : [projectId];
  const { kysely, pool } = house.database;
  const other = await makePerson(house);
  const invitedEmail = `invited-${other.id}@example.com`;
  const { link } = await kysely.transaction().execute(async (tx) =>
    makeLink(
      tx,
      { kind: "invitation", email: invitedEmail, role: "viewer", projectIds },
      {
        origin: house.url,
        organizationId: await theOrganization(tx, house.now()),
        madeBy: "A test",
        now: house.now(),
      },
    ),
  );
  const { rows } = await pool.query<{ id: string }>(
    `insert into people."session" ("expiresAt", "token", "updatedAt", "userId") values (now() + interval '1 day', $1, now(), $2) returning "id"`,
    [`second session of ${other.id}`, person.id],
  );
  const { campaign } = await api.createCampaign({ body: { name: "Draft", message: toast("Hello") } });
  // Of a project that the demo has made and filled.
  await pool.query(
    "insert into demo_shop (project_id) values ($1) on conflict (is_only) do update set project_id = excluded.project_id",
    [projectId],
  );
  await api.createAgentRun({ body: { kind: "plan", idempotencyKey: MONTH_KEY } });
  return {
    ...{ otherId: other.id, invitedEmail, token: tokenIn(link) },
    ...{ sessionId: rows[0]?.id ?? "", campaignId: campaign.id },
  };
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
  listSessions: () => ({}),
  endSession: ({ sessionId }) => ({ path: { sessionId } }),
  listPeople: () => ({}),
  previewMessage: () => ({ body: { channel: "web_inapp", message: toast("Hello") } }),
  reviewCampaign: ({ campaignId }) => ({ path: { id: campaignId }, body: { launch: true } }),
  invitePerson: () => ({ body: { email: "new@example.com", role: "viewer" } }),
  withdrawInvitation: ({ invitedEmail }) => ({ path: { email: invitedEmail } }),
  setPersonRole: ({ otherId }) => ({ path: { personId: otherId }, body: { role: "viewer" } }),
  makePasswordLink: ({ otherId }) => ({ path: { personId: otherId } }),
  removePerson: ({ otherId }) => ({ path: { personId: otherId } }),
  listAuditEntries: () => ({ query: { limit: "10" } }),
  fillDemoMonth: () => ({}),
};
