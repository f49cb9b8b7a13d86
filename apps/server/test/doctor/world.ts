import type { Input } from "@tidings/client";
import { applyDeltas } from "../../src/features/counting/rollups/public.ts";
import { decideSuppression } from "../../src/features/email/addresses/public.ts";
import { retireEvents } from "../../src/features/users/events/retire-store.ts";
import { DAY_MS } from "../../src/platform/time/clock.ts";
import { agentHistory } from "../agent.ts";
import { launchEmail, people, setSettings } from "../email.ts";
import { feedback, launchCampaign, messagesOf, pausedByGuardrail } from "../factories.ts";
import { launchedFromCode } from "../from-code.ts";
import type { TestHouse, TestProject } from "../harness.ts";
import { travelled } from "../journeys.ts";
import { open, sentMail } from "../mail.ts";
import { BUY, type observingStage, RECEIPT, TAP } from "../observing.ts";
import { startSmtp } from "../peers/smtp.ts";
import { broughtIn, refusedToken } from "../portable.ts";
import { transcriptOf } from "../project-world.ts";
import { draftedFromCode } from "../source-work.ts";
import { syncOwner } from "../syncs.ts";
import { makeTopic } from "../topics.ts";
import { openBrowser } from "../visitors.ts";

/** A user meets a web campaign, takes it up and buys. */
async function convert(project: TestProject, userId: string): Promise<void> {
  await project.sdk.identify({ body: { userId, traits: { plan: "pro" } } });
  const [message] = await messagesOf(project, userId);
  if (message === undefined) throw new Error("There is no message.");
  for (const type of ["shown", "clicked"] as const) await feedback(project, message.deliveryId, userId, type);
  await project.sdk.track({ body: { userId, event: "bought", props: { amount: 5 } } });
}

/** Mail that left, mail that was over the cap, mail that was opened, and an address that a person stopped. */
async function mail(house: TestHouse, project: TestProject): Promise<void> {
  const smtp = await startSmtp();
  await setSettings(house, project, {
    "email.from": "Acme News <news@acme.example>",
    "email.postalAddress": "Acme, 1 Main Street, Springfield",
    "email.domainVerified": "true",
    "email.smtpUrl": `smtp://127.0.0.1:${smtp.port}`,
    "email.capMax": "1",
  });
  await people(project, ["ben", "cleo"]);
  for (const name of ["First", "Second"]) {
    await launchEmail(project, { name });
    await house.drain();
  }
  await smtp.close();
  await open(await sentMail(house, project, { userId: "dora" }));
  await house.database.kysely.transaction().execute((tx) =>
    decideSuppression(tx, project.projectId, "eve@example.com", "suppress", {
      by: "test",
      at: house.now(),
    }),
  );
}

/** A segment that was revised, and a draft that pins it. */
async function segment({ api }: TestProject): Promise<void> {
  const expression = (value: string): Input<"createSegment">["body"]["expression"] => ({
    version: 1,
    root: { kind: "field", field: { kind: "trait", key: "plan" }, op: "eq", value },
  });
  const { segment } = await api.createSegment({
    body: { key: "payers", name: "Payers", expression: expression("pro") },
  });
  await api.updateSegment({
    path: { id: segment.id },
    body: { expression: expression("team"), expectedVersion: 1 },
  });
  await api.createCampaign({
    body: {
      name: "Draft",
      message: { presentation: "toast", title: "Hello" },
      audience: { kind: "segment", segment: "payers" },
    },
  });
}

/** A webhook for which two messages about one campaign wait. */
async function hooked(project: TestProject): Promise<void> {
  await project.api.createWebhook({
    body: { url: "https://example.com/hook", types: ["campaign.paused", "campaign.ended"] },
  });
  const { id } = await launchCampaign(project, { name: "Told of" });
  for (const action of ["pause", "end"] as const)
    await project.api.setCampaignStatus({ path: { id }, body: { action } });
}

/** A sync that has written what there is. */
async function synced(house: TestHouse, project: TestProject): Promise<void> {
  const owner = await syncOwner(house, project);
  await owner.create({ lists: ["events", "users"], to: { folder: "warehouse" } });
  await house.drain();
}

/** A visitor who became a user, and left what both had got. */
async function visited(house: TestHouse, project: TestProject): Promise<void> {
  await setSettings(house, project, { "visitors.enabled": "true" });
  await launchCampaign(project, { name: "Met twice", visitors: "also" });
  const browser = openBrowser(project, "b1f0c2");
  await messagesOf(project, "ira");
  await browser.messages();
  await browser.signIn("ira");
}

/** A topic that one reader left by email, and another joined for pushes. */
async function chosen(project: TestProject): Promise<void> {
  const { key: topic } = await makeTopic(project);
  for (const [id, channel, wants] of [
    ["ben", "email", "out"],
    ["cleo", "push", "in"],
  ] as const)
    await project.api.putUserSubscriptions({ path: { id }, body: { choices: [{ topic, channel, wants }] } });
}

/** A project in which everything has happened once that the doctor counts, healthy, with its deltas applied. */
export async function doctorWorld({
  house,
  scene,
}: Awaited<ReturnType<typeof observingStage>>): Promise<TestProject> {
  const { project, observer } = await scene();
  const { goals } = await project.api.listGoals();
  await launchCampaign(project, { goalId: goals[0]?.id ?? null });
  await convert(project, "gus");
  const all = { before: house.now() + 1, limit: 1_000 };
  await retireEvents(house.database.kysely, project.projectId, all);
  await observer.tell(RECEIPT, TAP, BUY);
  for (const userId of ["gone", "ben"]) await convert(project, userId);
  await project.api.eraseUser({ path: { id: "gone" } });
  await project.sdk.track({ body: { userId: "fred", event: "looked" } });
  const longAgo = { userId: "hist", event: "looked", ts: house.now() - 400 * DAY_MS };
  await project.api.trackBatch({ body: { events: [longAgo] } });
  await mail(house, project);
  await chosen(project);
  await segment(project);
  await agentHistory(house, project);
  for (const rationale of ["First", "Second", "Third"]) {
    const { run } = await project.agent.createAgentRun({
      body: { kind: "note", rationale, input: { seen: 1 } },
    });
    await project.agent.putAgentRunTranscript({ path: { id: run.id }, body: transcriptOf(rationale) });
  }
  await pausedByGuardrail(house, project);
  await launchedFromCode(house, project);
  await draftedFromCode(house, project);
  await refusedToken(house, project);
  await broughtIn(house, project);
  await project.api.createGoal({ body: { name: "Once" }, headers: { "idempotency-key": "once" } });
  await synced(house, project);
  await hooked(project);
  await travelled(house, project, { userId: "ben", leaverId: "cleo" });
  await visited(house, project);
  await applyDeltas(house.tidings.app);
  return project;
}
