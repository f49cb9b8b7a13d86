import { z } from "zod";
import { installationRef } from "../../../../domain/ids.ts";
import { endpoint } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { count, epochMs, pathId } from "../../../../platform/http/contract/fields.ts";
import { pageAnswer, pageFields, pageQuery, pageWindow } from "../../../../platform/http/contract/page.ts";
import { findInstallation, toInstallation } from "../../../users/devices/public.ts";
import { Installation } from "../../../users/devices/schema.ts";
import { readCampaignCredentials } from "../credentials.ts";
import { bareDeviceFault } from "../gates/devices.pure.ts";
import { pauseReasonOf } from "./inspect.ts";
import { listSlotsOfDevice, listSteps, listWaitingFor, type SlotOfDevice } from "./story-store.ts";

/** The most slots, and campaigns that let the user wait, that are shown. */
const MOST = 50;

const id = z.string().max(256);
const reason = z.string().max(64).nullable();

const campaign = {
  campaignId: id.describe("Id of the campaign."),
  campaignName: z.string().max(200).describe("Its name."),
};

const Slot = z.object({
  slotId: id.describe("Id of the slot."),
  ...campaign,
  userId: id.nullable().describe("For whom: your own id of the user."),
  isTest: z.boolean().describe("Whether it is a test."),
  state: z
    .enum(["ready", "waiting", "reserved", "accepted", "closed"])
    .describe("How it is now. Accepted by the provider is not received by the device."),
  reason: reason.describe("Why it waits or has ended."),
  until: epochMs.nullable().describe("When it is looked at again; null where it has ended."),
  uncertain: z.boolean().describe("Submitted once without an answer: the device may have it."),
  submissionsUsed: count.describe("How often the provider was given it."),
  expiresAt: epochMs.describe("Until when it is worth delivering."),
  createdAt: epochMs.describe("When the device was chosen."),
  receiptAt: epochMs.nullable().describe("When the device first reported it."),
});

const Step = z.object({
  kind: z
    .enum(["chosen", "written", "attempt", "outcome", "report"])
    .describe("A device was chosen, a push written for it, sent, answered; or the device reported."),
  at: epochMs.describe("When, in epoch milliseconds."),
  slotId: id.nullable().describe("Id of the slot; null for an event of the app."),
  campaignId: id.nullable().describe("Id of the campaign; null for an event of the app."),
  campaignName: z.string().max(200).nullable().describe("Its name."),
  isTest: z.boolean().describe("Whether it is of a test."),
  number: z
    .int()
    .min(0)
    .nullable()
    .describe("Generation of a push, ordinal of an attempt, or sequence of a report."),
  title: z.string().max(2_048).nullable().describe("The title of a push as it was written."),
  outcome: z.enum(["accepted", "rejected", "unknown", "blocked"]).nullable().describe("What came of it."),
  submission: z
    .enum(["none", "confirmed", "possible"])
    .nullable()
    .describe("Whether the provider was given it."),
  code: z.string().max(128).nullable().describe("The provider's own word."),
  retryAfterMs: z.int().min(0).nullable().describe("How long the provider asked to wait."),
  report: z.enum(["receipt", "tap", "action", "event"]).nullable().describe("What the device reported."),
  detail: z.string().max(256).nullable().describe("The button that was used, or the name of the event."),
});

/** How a slot is shown: what is ready waits while its campaign sends nothing. */
function slotOf(
  { status, deliverFrom, deliverUntil, at, ...slot }: SlotOfDevice,
  now: number,
): z.input<typeof Slot> {
  const paused = slot.isTest ? null : pauseReasonOf({ status, deliverFrom, deliverUntil }, now);
  const hasEnded = slot.state === "accepted" || slot.state === "closed";
  return {
    ...slot,
    ...(slot.state === "ready" && paused !== null ? { state: "waiting" as const, reason: paused } : {}),
    until: hasEnded ? null : at,
  };
}

export const getInstallationStory = endpoint(
  {
    id: "getInstallationStory",
    method: "GET",
    path: "/api/people/installations/{id}",
    tag: "Push",
    summary: "Tell all that is known of one device: how it is, and every push that concerned it",
    description: "`steps` is newest first, and knows the users whom its latest 128 changes replaced.",
    keys: [],
    people: "viewer",
    cost: "heavy",
    oneInstant: true,
    params: z.object({ id: pathId }),
    query: z.object(pageQuery()),
    result: z.object({
      installation: Installation.describe("The installation: a copy of your app on a device."),
      fault: z
        .enum(["no_installation", "no_token", "no_consent", "permission", "credential"])
        .nullable()
        .describe("Why nothing can be sent to it; `no_installation` where no user has it."),
      slots: z.array(Slot).max(MOST).describe("The newest pushes for it, as they are now."),
      waiting: z
        .array(z.object({ ...campaign, reason: z.string().max(64).describe("Why they wait.") }))
        .max(MOST)
        .describe("Campaigns that let its user wait, since no device of theirs can be sent to."),
      steps: z.array(Step).max(100),
      ...pageFields,
    }),
    errors: ["not_found"],
  },
  async (ctx, { params, query }) => {
    const { app, db, projectId, now } = ctx;
    const ref = installationRef(projectId, params.id);
    const row = await findInstallation(db, projectId, ref);
    if (row === null) throw new ApiError("not_found", "Installation not found");
    const where = { ...ref, projectId, installationId: row.installationId };
    const credentials = await readCampaignCredentials(app, db, projectId, row.appId);
    const installation = toInstallation(row);
    const { steps, total } = await listSteps(db, where, pageWindow(query));
    const slots = await listSlotsOfDevice(db, where, MOST);
    const waiting = await listWaitingFor(db, where, MOST);
    return {
      installation,
      fault:
        row.userKey === null
          ? ("no_installation" as const)
          : bareDeviceFault(installation, credentials.has(row)),
      slots: slots.map((slot) => slotOf(slot, now)),
      waiting: waiting
        .filter(
          ({ selection }) =>
            !("installationId" in selection) || selection.installationId === row.installationId,
        )
        .map(({ campaignId, campaignName, reason: why }) => ({ campaignId, campaignName, reason: why })),
      steps,
      ...pageAnswer(query, total),
    };
  },
);
