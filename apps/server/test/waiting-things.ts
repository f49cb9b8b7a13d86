import { uuidFor } from "../src/domain/ids.ts";
import { setSendingFault } from "../src/features/deliveries/public.ts";
import { insertWarning } from "../src/features/launch/activation/activation-store.ts";
import { putCoverage } from "../src/features/launch/judging/coverage-store.ts";
import { logRun } from "../src/features/runs/public.ts";
import { newUuid } from "../src/platform/uuid.ts";
import { claim, dueCampaign, PAUSE, propose } from "./agent.ts";
import { feedback, launchCampaign, makeMany, messagesOf, pausedByGuardrail, toast } from "./factories.ts";
import { activationOf, announce, commitChange, deploy, followRepository, mapTo } from "./from-code.ts";
import type { TestHouse, TestProject } from "./harness.ts";
import { mailCampaign, sentMail } from "./mail.ts";

/** Enough users for a split that is as wrong as it can be to be seen. */
const USERS = 300;

/** A running campaign of two texts of which pages show only one. */
export async function brokenSplit(project: TestProject): Promise<string> {
  const { id } = await launchCampaign(project, {
    name: "Two texts",
    pages: ["/split"],
    variants: [
      { name: "A", message: toast("A") },
      { name: "B", message: toast("B") },
    ],
  });
  const meet = async (user: string): Promise<void> => {
    for (const { deliveryId, content } of await messagesOf(project, user, "/split"))
      if (content.title === "A") await feedback(project, deliveryId, user, "shown");
  };
  await makeMany(USERS, (user) => meet(`split-${user}`));
  return id;
}

/** A draft that announces a change of a source of its own, and whose change is live; with what says whether it is. */
async function liveDraft(house: TestHouse, project: TestProject, sourceId: string, name: string) {
  const { projectId } = project;
  await followRepository(house, project, `https://git.example/acme/${sourceId}.git`, sourceId);
  const mappingId = await mapTo(house, project, { sourceId });
  const sha = "c".repeat(40);
  const { id } = await announce(project, [commitChange(sha, sourceId)], { name, pages: [`/${sourceId}`] });
  const [requirement] = (await activationOf(project, id)).requirements;
  const requirementId = requirement?.id ?? "";
  const campaignId = uuidFor("cmp", id);
  const judge = async (state: "present" | "absent"): Promise<string> => {
    const deployment = await deploy(house, project, sha, { sourceId });
    const deploymentId = uuidFor("dep", deployment.id);
    await putCoverage(house.database.kysely, [
      {
        requirementId: uuidFor("req", requirementId),
        mappingId,
        projectId,
        campaignId,
        deploymentId,
        state,
        reason: null,
        onBranch: null,
        wasPresent: state === "present",
        representation: [sha],
        generation: 1,
        fetchRevision: 1,
        judgedAt: house.now(),
      },
    ]);
    return deploymentId;
  };
  await judge("present");
  return { id, campaignId, mappingId, requirementId, judge };
}

/** A draft that announces a change which is live, and that a person launches. */
async function readyDraft(house: TestHouse, project: TestProject): Promise<string> {
  const { id } = await liveDraft(house, project, "app", "Ready to go");
  const body = { mode: "manual" as const, expectedRevision: "0" };
  await project.api.updateCampaignActivation({ path: { id }, body });
  return id;
}

/** A running campaign whose change was taken back by a further deployment; `goLive` deploys it again. */
export async function takenBack(house: TestHouse, project: TestProject) {
  const { kysely } = house.database;
  const { projectId } = project;
  const draft = await liveDraft(house, project, "shop", "Faster checkout");
  const { id, campaignId, mappingId, requirementId, judge } = draft;
  await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
  const deploymentId = await judge("absent");
  const [covered] = (await activationOf(project, id)).coverage;
  const now = house.now();
  await kysely.transaction().execute(async (db) => {
    const runId = await logRun(
      { db, projectId, now },
      { kind: "warning", goalId: null, campaignId, rationale: null, input: {}, output: {} },
    );
    await insertWarning(db, {
      id: newUuid(now),
      projectId,
      campaignId,
      mappingId,
      deploymentId,
      reason: "rollback",
      createdAt: now,
      mappingLabel: "acme/shop production",
      runId,
      requirementIds: JSON.stringify([requirementId]),
      evidence: JSON.stringify(covered?.evidence),
    });
  });
  return { id, goLive: () => judge("present") };
}

/** The ids of what waits. */
export type WaitingThings = Record<
  "breach" | "takenBack" | "split" | "proposal" | "approval" | "draft" | "fault",
  string
>;

/** One of everything that waits for people in a project, but for its serving. */
export async function everythingWaits(house: TestHouse, project: TestProject): Promise<WaitingThings> {
  const { kysely, pool } = house.database;
  const { projectId } = project;
  const { id: breach } = await pausedByGuardrail(house, project);
  const split = await brokenSplit(project);
  const { id, evaluationAt } = await dueCampaign(house, project, {
    goal: { approvalMode: "require_human" },
    name: "Looked after",
    pages: ["/agent"],
  });
  const { leaseToken } = await claim(project, id);
  await propose(project, { id, evaluationAt, leaseToken }, PAUSE);
  const draft = await readyDraft(house, project);
  const { id: back } = await takenBack(house, project);
  await followRepository(house, project, "https://git.example/acme/web.git");
  const { id: approval } = await announce(project, [commitChange("d".repeat(40))], { name: "Dark mode" });
  await pool.query(
    "update sources set state = 'unavailable', reason = 'The host answered 403.' where project_id = $1 and id = 'web'",
    [projectId],
  );
  const fault = await mailCampaign(house, project);
  await setSendingFault(kysely, projectId, [fault], "The mail server refused the password.", house.now());
  await sentMail(house, project, { campaignId: fault, status: "unknown" });
  return { breach, takenBack: back, split, proposal: id, approval, draft, fault: `cmp_${fault}` };
}
