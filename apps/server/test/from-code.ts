import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, afterEach } from "node:test";
import type { Input } from "@tidings/client";
import { uuidFor } from "../src/domain/ids.ts";
import { type CampaignVerdict, decideCampaign } from "../src/features/approvals/public.ts";
import { insertWarning } from "../src/features/launch/activation/activation-store.ts";
import { putCoverage } from "../src/features/launch/judging/coverage-store.ts";
import { logRun } from "../src/features/runs/public.ts";
import {
  insertSource,
  lookSoon,
  type NewMapping,
  putMapping,
  updateSource,
} from "../src/features/sources/registry/store.ts";
import type { Config } from "../src/platform/config.ts";
import { newUuid } from "../src/platform/uuid.ts";
import { toast } from "./factories.ts";
import { type TestHouse, type TestProject, THE_TEST, testHouse } from "./harness.ts";
import { makeRepository, type Repository } from "./peers/repository.ts";

type Changes = NonNullable<Input<"createCampaign">["body"]["sourceChanges"]>["changes"];
type Report = Input<"recordDeployment">["body"];

/** A folder for mirrors that is removed at the end. Call at the top of a file. */
export function mirrorsFolder(): string {
  const folder = mkdtempSync(join(tmpdir(), "tidings-mirrors-"));
  after(() => rmSync(folder, { recursive: true, force: true }));
  return folder;
}

/** The loops leave all sources that there are alone from now on. */
export async function leaveSources({ database: { kysely } }: TestHouse): Promise<void> {
  await kysely.updateTable("sources").set({ enabled: false }).execute();
}

/**
 * A server that follows repositories. Each test has sources of its own: those of earlier tests would be looked at with every `drain`, and some
 * name hosts that are not there, for which git waits half a minute. Call at the top of a file.
 */
export function codeHouse(overrides: Partial<Config> = {}): TestHouse {
  const house = testHouse({ dataDir: mirrorsFolder(), ...overrides });
  afterEach(() => leaveSources(house));
  return house;
}

/** A repository that is removed at the end. Call at the top of a file or in a test. */
export function ownRepository(): Repository {
  const repository = makeRepository();
  after(() => repository.remove());
  return repository;
}

/** Whether a repository may be asked wherever it lies: for one of this machine an operator has to stand. */
export const isOperators = (url: string): boolean => /^file:|^https?:\/\/127\.0\.0\.1[:/]/.test(url);

/** Follows a repository as the source `web`, from its branch main. */
export async function followRepository(
  house: TestHouse,
  { projectId }: TestProject,
  url: string,
  id = "web",
): Promise<void> {
  const source = {
    id,
    url,
    branch: "main",
    byOperator: isOperators(url),
    credential: null,
    instructions: "",
  };
  await insertSource(house.database.kysely, projectId, source, house.now());
}

/** Has campaigns wait for an environment of the source `web`, as the command does. */
export async function mapTo(
  house: TestHouse,
  { projectId }: TestProject,
  more: Partial<NewMapping> = {},
): Promise<string> {
  const mapping = {
    sourceId: "web",
    environment: "production",
    scope: null,
    follows: null,
    confirmedBy: "Grace",
    confirmedAt: house.now(),
    ...more,
  };
  const { id } = await putMapping(house.database.kysely, projectId, mapping);
  await lookSoon(house.database.kysely, projectId, [mapping.sourceId], house.now());
  return id;
}

/** A project with a repository as its source `web`, which goes to production. */
export async function codeProject(house: TestHouse, repository: Repository): Promise<TestProject> {
  const project = await house.project();
  await followRepository(house, project, repository.url);
  await mapTo(house, project);
  return project;
}

export const commitChange = (sha: string, sourceId = "web"): Changes[number] => ({
  sourceId,
  kind: "commit" as const,
  sha,
});

/** A draft that announces changes; more of it as `more` says. */
export const announce = async (
  { api }: TestProject,
  changes: Changes,
  more: Partial<Input<"createCampaign">["body"]> = {},
) =>
  (
    await api.createCampaign({
      body: {
        name: "Dark mode is here",
        sourceChanges: { changes },
        ...(more.variants === undefined ? { message: toast("Dark mode is here") } : {}),
        ...more,
      },
    })
  ).campaign;

/** Decides about a campaign as a person at the command line does; throws the reason where it cannot be. */
export async function decideLaunch(
  house: TestHouse,
  { projectId }: TestProject,
  campaignId: string,
  more: Partial<CampaignVerdict> = {},
): Promise<void> {
  const verdict = { status: "approved", by: "Grace", reason: null, revisionPrefix: null, ...more } as const;
  const decided = await house.database.kysely
    .transaction()
    .execute((db) =>
      decideCampaign({ db, projectId, now: house.now() }, uuidFor("cmp", campaignId), verdict),
    );
  if ("refusal" in decided) throw new Error(decided.refusal.message);
}

let deployments = 0;

/** Says that a commit runs in production now. */
export const deploy = async (
  house: TestHouse,
  { api }: TestProject,
  sha: string,
  more: Partial<Report> = {},
) =>
  (
    await api.recordDeployment({
      body: {
        deploymentId: `ci-${++deployments}`,
        sourceId: "web",
        environment: "production",
        sha,
        status: "success",
        deployedAt: house.now(),
        ...more,
      },
    })
  ).deployment;

export const activationOf = ({ api }: TestProject, id: string) => api.getCampaignActivation({ path: { id } });

/** What a campaign waits for, by the codes of its blockers. */
export const waitsFor = async (project: TestProject, id: string): Promise<string[]> =>
  (await activationOf(project, id)).assessment.blockers.map(({ code }) => code);

export const statusOf = async ({ api }: TestProject, id: string): Promise<string> =>
  (await api.getCampaign({ path: { id } })).campaign.status;

/**
 * A campaign that launched by itself, was warned about and ended, as it is stored; and a draft that waits. Written without git, whose answer
 * is given here, so that it is the same on every machine.
 */
export async function launchedFromCode(house: TestHouse, project: TestProject): Promise<void> {
  const { kysely } = house.database;
  const { projectId, api } = project;
  await followRepository(house, project, "https://git.example/acme/web.git");
  await updateSource(kysely, projectId, "web", { enabled: false }, house.now());
  const mappingId = await mapTo(house, project, { follows: "refs/heads/production" });
  await api.updateLaunchPolicy({ body: { defaultMode: "manual", expectedRevision: "0" } });
  const sha = "c".repeat(40);
  const { id } = await announce(project, [commitChange(sha)], { name: "From code" });
  await announce(project, [commitChange("d".repeat(40)), commitChange(sha)], { name: "From code, waits" });
  await api.updateCampaignActivation({ path: { id }, body: { mode: "automatic", expectedRevision: "0" } });
  const deployment = await deploy(house, project, sha);
  const deploymentId = uuidFor("dep", deployment.id);
  const campaignId = uuidFor("cmp", id);
  const [requirement] = (await activationOf(project, id)).requirements;
  if (requirement === undefined) throw new Error("Nothing is declared.");
  const now = house.now();
  await putCoverage(kysely, [
    {
      requirementId: uuidFor("req", requirement.id),
      mappingId,
      projectId,
      campaignId,
      deploymentId,
      state: "present",
      reason: null,
      onBranch: null,
      wasPresent: true,
      representation: [sha],
      generation: 1,
      fetchRevision: 1,
      judgedAt: now,
    },
  ]);
  // It may launch, and no process looks at it: one that is alive has its lease.
  await updateSource(kysely, projectId, "web", { enabled: true }, now);
  await kysely
    .updateTable("sources")
    .set({ leaseOwner: THE_TEST })
    .where("projectId", "=", projectId)
    .execute();
  await decideLaunch(house, project, id);
  await house.drain();
  if ((await statusOf(project, id)) !== "running") throw new Error("It was not launched.");
  const evidence = (await activationOf(project, id)).coverage[0]?.evidence;
  await kysely.transaction().execute(async (db) => {
    const runId = await logRun(
      { db, projectId, now },
      {
        kind: "warning",
        goalId: null,
        campaignId,
        rationale: "It was rolled back.",
        input: { reason: "rollback" },
        output: { action: "warn" },
      },
    );
    await insertWarning(db, {
      id: newUuid(now),
      projectId,
      campaignId,
      mappingId,
      deploymentId,
      reason: "rollback",
      createdAt: now,
      mappingLabel: "acme/web production",
      runId,
      requirementIds: JSON.stringify([requirement.id]),
      evidence: JSON.stringify(evidence),
    });
  });
  await api.setCampaignStatus({ path: { id }, body: { action: "end" } });
}
