import { uuidFor } from "../src/domain/ids.ts";
import { setSendingFault } from "../src/features/deliveries/public.ts";
import { putCoverage } from "../src/features/launch/coverage-store.ts";
import { claim, dueCampaign, PAUSE, propose } from "./agent.ts";
import { feedback, launchCampaign, messagesOf, pausedByGuardrail, toast } from "./factories.ts";
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
  await Promise.all(Array.from({ length: USERS }, (_, user) => meet(`split-${user}`)));
  return id;
}

/** A draft that announces a change which is live, and that a person launches. */
async function readyDraft(house: TestHouse, project: TestProject): Promise<string> {
  const { projectId, api } = project;
  await followRepository(house, project, "https://git.example/acme/app.git", "app");
  const mappingId = await mapTo(house, project, { sourceId: "app" });
  const sha = "c".repeat(40);
  const { id } = await announce(project, [commitChange(sha, "app")], { name: "Ready to go" });
  await api.updateCampaignActivation({ path: { id }, body: { mode: "manual", expectedRevision: "0" } });
  const deployment = await deploy(house, project, sha, { sourceId: "app" });
  const [requirement] = (await activationOf(project, id)).requirements;
  await putCoverage(house.database.kysely, [
    {
      ...{ requirementId: uuidFor("req", requirement?.id ?? ""), mappingId, projectId },
      ...{ campaignId: uuidFor("cmp", id), deploymentId: uuidFor("dep", deployment.id) },
      ...{ state: "present", reason: null, onBranch: null, wasPresent: true, representation: [sha] },
      ...{ generation: 1, fetchRevision: 1, judgedAt: house.now() },
    },
  ]);
  return id;
}

/** The ids of what waits. */
export type WaitingThings = Record<"breach" | "split" | "proposal" | "approval" | "draft" | "fault", string>;

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
  await followRepository(house, project, "https://git.example/acme/web.git");
  const { id: approval } = await announce(project, [commitChange("d".repeat(40))], { name: "Dark mode" });
  await pool.query(
    "update sources set state = 'unavailable', reason = 'The host answered 403.' where project_id = $1 and id = 'web'",
    [projectId],
  );
  const fault = await mailCampaign(house, project);
  await setSendingFault(kysely, projectId, [fault], "The mail server refused the password.", house.now());
  await sentMail(house, project, { campaignId: fault, status: "unknown" });
  return { breach, split, proposal: id, approval, draft, fault: `cmp_${fault}` };
}
