import assert from "node:assert/strict";
import { type Answer, type Input, TidingsError } from "@tidings/client";
import { apiId, uuidFor } from "../src/domain/ids.ts";
import { leaseDigest, lockDay, newLeaseToken, payFor } from "../src/features/agent/evaluations/public.ts";
import { contentHashOf } from "../src/features/launch/public.ts";
import { insertSource, updateSource } from "../src/features/sources/registry/store.ts";
import { listContributions } from "../src/features/sources/work/contribution-store.ts";
import { reconcileRef } from "../src/features/sources/work/reconcile-ref.ts";
import { findRef, grantLease, putHead } from "../src/features/sources/work/ref-store.ts";
import type { Work } from "../src/features/sources/work/rules.ts";
import type { Reconciled } from "../src/features/sources/work/schema.ts";
import { asHouse } from "../src/platform/http/contract/endpoint.ts";
import { newUuid } from "../src/platform/uuid.ts";
import { codeHouse, followRepository, isOperators, leaveSources, ownRepository } from "./from-code.ts";
import type { TestHouse, TestProject } from "./harness.ts";
import type { Repository } from "./peers/repository.ts";

export type Claim = Extract<Answer<"claimRef">, { state: "claimed" }>["claim"];
export type Plan = Input<"reconcileRef">["body"];
export type Op = Plan["ops"][number];

/** A server of a managed deployment whose repositories lie on this machine. Call at the top of a file. */
export const managedHouse = (): TestHouse => codeHouse({ mode: "managed", sourcesPrivate: true });

/** Looks at every source now. */
export async function look(house: TestHouse): Promise<void> {
  house.advance(60_000);
  await house.drain();
}

/**
 * A project whose source `web` is connected to a repository as it is now: what is there is no news. Sources of projects of before are left
 * alone.
 */
export async function workProject(house: TestHouse, repository: Repository): Promise<TestProject> {
  const project = await house.project();
  await leaveSources(house);
  await followRepository(house, project, repository.url);
  await look(house);
  return project;
}

/** A new repository, and a project whose source it is from now on. */
export async function connected(house: TestHouse) {
  const repository = ownRepository();
  return { repository, project: await workProject(house, repository) };
}

export const dueOf = async ({ agent }: TestProject) => (await agent.listDueRefs()).refs;

/** The id of the only ref that is due. */
export async function dueRef(project: TestProject): Promise<string> {
  const [ref, ...more] = await dueOf(project);
  assert.ok(ref !== undefined && more.length === 0, "one ref is due");
  return ref.refId;
}

/** Looks at the repository, and claims the only ref that is due: what the answer says. */
export async function claimState(house: TestHouse, project: TestProject, leaseSeconds = 600) {
  await look(house);
  const refId = await dueRef(project);
  return project.agent.claimRef({ path: { refId }, body: { leaseSeconds } });
}

/** The same, where it has to be work for an agent. */
export async function claimed(house: TestHouse, project: TestProject): Promise<Claim> {
  const answer = await claimState(house, project);
  assert.equal(answer.state, "claimed");
  if (answer.state !== "claimed") throw new Error("It was settled.");
  return answer.claim;
}

/** A plan for a claim. */
export const planFor = ({ leaseToken, sourceGeneration, fromSha, toSha }: Claim, ops: Op[]): Plan => ({
  leaseToken,
  sourceGeneration,
  fromSha,
  toSha,
  ops,
  rationale: "Users will see it.",
});

export const reconcile = ({ agent }: TestProject, { refId }: Claim, plan: Plan) =>
  agent.reconcileRef({ path: { refId }, body: plan });

/** A draft that announces commits, as a plan makes it. */
export const creating = (shas: string[], title = "Dark mode is here"): Op => ({
  op: "create",
  shas,
  campaign: { name: title, channel: "web_inapp", message: { presentation: "toast", title } },
});

/** Claims what a repository has brought, and drafts one campaign of all of it; answers the campaign. */
export async function drafted(house: TestHouse, project: TestProject, title?: string) {
  const claim = await claimed(house, project);
  const shas = claim.changes.map(({ sha }) => sha);
  const { campaigns } = await reconcile(project, claim, planFor(claim, [creating(shas, title)]));
  assert.equal(campaigns.length, 1);
  return readCampaign(project, campaigns[0]?.campaignId ?? "");
}

export const readCampaign = async ({ api }: TestProject, id: string) =>
  (await api.getCampaign({ path: { id } })).campaign;

/** The status and the body with which a call is refused. */
export async function refused(call: Promise<unknown>): Promise<{ status: number; body: unknown }> {
  try {
    await call;
  } catch (cause) {
    if (cause instanceof TidingsError) return { status: cause.status, body: cause.body };
    throw cause;
  }
  throw new Error("It was not refused.");
}

/** A source whose branch has brought a commit since it was connected; answers the UUID of the ref. */
export async function refOf(
  { database: { kysely }, now }: TestHouse,
  { projectId }: TestProject,
  { id: sourceId, url, from, to }: { id: string; url: string; from: string; to: string },
): Promise<string> {
  const byOperator = isOperators(url);
  const source = { id: sourceId, url, branch: "main", byOperator, credential: null, instructions: "" };
  await insertSource(kysely, projectId, source, now());
  const where = { projectId, sourceId, id: newUuid(now()), now: now() };
  await putHead(kysely, where, { refKey: "branch", generation: 1, headSha: to, connectedAt: from });
  return where.id;
}

/** Grants a lease on work of a ref (UUID) as a claim does, without a look at its repository; answers the token. */
export async function leaseWork(
  { database: { kysely }, now }: TestHouse,
  { projectId }: TestProject,
  refId: string,
  work: Omit<Work, "generation" | "moves">,
): Promise<string> {
  const leaseToken = newLeaseToken();
  const day = Math.floor(now() / 86_400_000);
  await kysely.transaction().execute(async (db) => {
    const ref = await findRef(db, projectId, refId, "for update");
    assert.ok(ref);
    await lockDay(db, projectId, day);
    await payFor(db, projectId, day);
    const granted = await grantLease(db, ref, {
      digest: leaseDigest(leaseToken),
      expiresAt: now() + 600_000,
      now: now(),
      work: { ...work, generation: 1, moves: [] },
    });
    assert.ok(granted);
  });
  return leaseToken;
}

/**
 * A draft that commits made, changed, and partly took back; and work that an agent has the lease on. On any server and without git, so
 * that it is the same on every machine.
 */
export async function draftedFromCode(house: TestHouse, project: TestProject): Promise<void> {
  const { kysely } = house.database;
  const [start, first, second, third, last] = ["0", "1", "2", "3", "4"].map((digit) => digit.repeat(40)) as [
    ...[string, string, string, string, string],
  ];
  const repository = { id: "app", url: "https://git.example/acme/app.git", from: start, to: last };
  const refId = await refOf(house, project, repository);
  await updateSource(kysely, project.projectId, "app", { enabled: false }, house.now());
  const finish = async (work: Omit<Work, "generation" | "moves">, ops: Op[]): Promise<Reconciled> => {
    // Lists are ordered by instant.
    house.advance(1);
    const leaseToken = await leaseWork(house, project, refId, work);
    const { fromSha, toSha } = work;
    const body = { leaseToken, sourceGeneration: 1, fromSha, toSha, rationale: "Users will see it.", ops };
    const ctx = { app: house.tidings.app, db: kysely, now: house.now(), ...asHouse("agent") };
    return (await reconcileRef.handle(
      { ...ctx, projectId: project.projectId },
      {
        params: { refId: apiId("ref", refId) },
        query: undefined,
        body,
        file: null,
        capability: null,
        secret: null,
      },
    )) as Reconciled;
  };
  const made = await finish({ fromSha: start, toSha: second, shas: [first, second], withdrawals: [] }, [
    creating([first], "Dark mode"),
    { op: "skip", shas: [second], reason: "Nothing that users see." },
  ]);
  const campaignId = made.campaigns[0]?.campaignId ?? "";
  const draft = async () => {
    const campaign = await readCampaign(project, campaignId);
    return { campaignId, baseContentHash: contentHashOf(campaign), id: campaign.variants[0]?.id ?? "" };
  };
  const changing = async (before: string, after: string) => {
    const { id, ...target } = await draft();
    return { ...target, patch: { variants: [{ id, edits: [{ field: "title" as const, before, after }] }] } };
  };
  await finish({ fromSha: second, toSha: third, shas: [third], withdrawals: [] }, [
    { op: "revise", shas: [third], ...(await changing("mode", "mode, and a darker one")) },
  ]);
  const written = await listContributions(kysely, project.projectId, [uuidFor("cmp", campaignId)]);
  const withdrawals = [
    { campaignId: uuidFor("cmp", campaignId), contributionIds: written.slice(1).map(({ id }) => id) },
  ];
  await finish({ fromSha: third, toSha: "5".repeat(40), shas: [], withdrawals }, [
    { op: "withdraw", ...(await changing("mode, and a darker one", "mode")) },
  ]);
  const next = { fromSha: "5".repeat(40), toSha: last, shas: [last], withdrawals: [] };
  await leaseWork(house, project, refId, next);
}
