import { z } from "zod";
import { pathIds } from "../../../../domain/fields.ts";
import { FIRST_OCCASION, installationRef } from "../../../../domain/ids.ts";
import { type Connection, inTransaction } from "../../../../platform/db/db.ts";
import { patiently } from "../../../../platform/db/transactions/patiently.ts";
import { type Ctx, endpoint, KIB } from "../../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../../platform/http/contract/errors.ts";
import { text } from "../../../../platform/http/contract/fields.ts";
import { newUuid } from "../../../../platform/uuid.ts";
import { warningsOf, withWarnings } from "../../../campaigns/authoring/public.ts";
import { servingOf } from "../../../counting/usage/public.ts";
import { drawKeyOf, drawVariant } from "../../../deliveries/public.ts";
import { assertMayReachUsers, roleOf } from "../../../people/public.ts";
import { clockNamed } from "../../../timing/reader-clock.pure.ts";
import { findInstallation, type InstallationRow } from "../../../users/devices/public.ts";
import type { Capabilities } from "../../../users/devices/schema.ts";
import { findUser } from "../../../users/profiles/public.ts";
import { readCampaignCredentials } from "../credentials.ts";
import { type ContentRevision, ensureContentRevision } from "../definitions.ts";
import { plannedFor } from "../plan/plan.ts";
import { type Admission, admit } from "../plan/plan-store.ts";
import { WAITING, type WaitReason } from "../schema.ts";
import { requirePushCampaign } from "./inspect.ts";
import { listTargets } from "./submissions-store.ts";
import { findTest, insertTest } from "./test-store.ts";

const refuse = (message: string, reason?: WaitReason): ApiError =>
  new ApiError("conflict", message, reason === undefined ? {} : { fields: { reason } });

const WHY: Readonly<Partial<Record<WaitReason, string>>> = {
  no_token: "The device has no token: the app has to put one.",
  no_consent: "The user of the device has not agreed to pushes.",
  permission: "The system of the device does not let the app show pushes.",
  capability: "This build of the app cannot show this push: its buttons, channel, category or image.",
  credential: "There is no credential for the platform and environment of the device.",
  trait_missing: "The user lacks a trait that the message names without a default.",
  campaign_not_ready: "The message is too long with the traits of this user.",
};

/** The user that an installation is bound to, and the device as planning needs it. @throws ApiError where it is bound to none */
async function personOf({ db, projectId }: Ctx, row: InstallationRow) {
  const { userLane, userKey } = row;
  const user =
    userLane === null || userKey === null ? null : await findUser(db, projectId, { lane: userLane, userKey });
  if (user === null) throw refuse("Nobody uses this installation: bind a user first.", "no_installation");
  const device = {
    installationLane: row.lane,
    installationKey: row.installationKey,
    installationId: row.installationId,
    platform: row.platform,
    environment: row.environment,
    bindingGeneration: row.bindingGeneration,
    tokenRevision: row.tokenRevision,
    hasToken: row.hasToken,
    permission: row.permission,
    consent: row.consent,
    lastActiveAt: row.lastActiveAt,
    // Capabilities are checked when they are written.
    capabilities: row.capabilities as Capabilities,
  };
  const { lane, externalId, traits, serverTraits } = user;
  // Traits are checked to be an object when they are written.
  return {
    lane,
    userKey: user.userKey,
    externalId,
    drawKey: drawKeyOf(user),
    devices: [device],
    traits: traits as Record<string, unknown>,
    serverTraits,
    // A test goes out whatever was chosen.
    choice: null,
  };
}

/** The recipient and slot to insert for a test. @throws ApiError with the reason where the device cannot be sent to now */
async function planTest(
  ctx: Ctx,
  contentRevision: ContentRevision,
  row: InstallationRow,
  testId: string,
): Promise<Admission> {
  const { app, db, projectId, now } = ctx;
  const { settings } = contentRevision;
  if ((await servingOf(app, projectId)).serving !== "ok")
    throw refuse("Serving is closed: see the usage of the organization.", "serving_closed");
  if (row.appId !== settings.appId)
    throw refuse("The installation is of another app than the campaign.", "no_installation");
  const person = await personOf(ctx, row);
  const variant = drawVariant(contentRevision.variants, contentRevision.campaignId, person.drawKey);
  if (variant === null) throw refuse("No variant of the campaign has a weight.");
  const credentials = await readCampaignCredentials(app, db, projectId, settings.appId);
  const planned = plannedFor(person, variant.id, {
    credentials,
    occasion: FIRST_OCCASION,
    testId,
    // A test leaves at once.
    zone: clockNamed("UTC"),
    now,
    contentRevision: { ...contentRevision, settings: { ...settings, selection: { kind: "all" } } },
  });
  if (planned === null) throw refuse("No variant of the campaign has a weight.");
  const { reason } = planned.recipient;
  if (reason !== null) throw refuse(WHY[reason] ?? "The device cannot be sent to now.", reason);
  return planned;
}

export const sendPushTest = endpoint(
  {
    id: "sendPushTest",
    method: "POST",
    path: "/api/v1/campaigns/{id}/push/test",
    audit: "sent a push as a test",
    tag: "Push",
    summary: "Send a campaign's push to one device, as a test",
    description:
      "Works for drafts. It is submitted once at most, and nothing is counted. The same `requestId` is the same test: it is not sent again. 409, and nothing is kept, while the device could not be sent it: `reason` says why.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "campaigns",
    tool: "It reaches people or their devices at once.",
    ownTransaction: true,
    bodyLimit: 64 * KIB,
    params: z.object({ id: pathIds.campaign }),
    body: z.strictObject({
      installationId: text(128).describe("The installation, by the id that the app made up."),
      requestId: text(128).describe("Your id of the test: the same id is the same test."),
    }),
    example: { installationId: "phone-1", requestId: "first-look" },
    result: z.strictObject({
      targetIds: z
        .array(z.string().min(1).max(128))
        .max(10_000)
        .meta({ description: "Targets of the test.", example: ["tgt_1"] }),
      ...withWarnings,
    }),
    errors: ["not_found", "conflict"],
    reasons: WAITING,
  },
  async (ctx, { params, body: { installationId, requestId } }) => {
    await assertMayReachUsers(ctx, roleOf(ctx), "device");
    const { app, db, projectId, now } = ctx;
    const campaign = await requirePushCampaign(ctx, params.id);
    const known = async () => {
      const test = await findTest(db, projectId, campaign.id, requestId);
      if (test === null) return null;
      if (test.installationId !== installationId) throw refuse("requestId was used for another installation");
      const sending = { projectId, campaignId: campaign.id, testId: test.id };
      const targets = await listTargets(db, sending, { offset: 0, limit: 100 });
      return { targetIds: targets.map(({ id }) => id) };
    };
    const before = await known();
    if (before !== null) return before;
    if (campaign.status === "ended") throw refuse("This campaign has ended.");
    const row = await findInstallation(db, projectId, installationRef(projectId, installationId));
    if (row === null) throw new ApiError("not_found", "Installation not found");
    const contentRevision = await ensureContentRevision(app, db, projectId, campaign.id);
    if (contentRevision === null) throw new ApiError("not_found", "Campaign not found");
    const id = newUuid(now);
    const planned = await planTest(ctx, contentRevision, row, id);
    const [slot] = planned.slots;
    const content = contentRevision.definitions.get(planned.recipient.variantId ?? "")?.content;
    if (slot === undefined || content === undefined) throw refuse("The device cannot be sent to now.");
    const warned = await warningsOf(ctx, "push", [{ content, at: [] }]);
    const { lane, userKey, slotKey } = slot;
    await ctx.reserve?.();
    const plan = async (client: Connection): Promise<void> => {
      const test = { id, campaignId: campaign.id, projectId, requestId, lane, userKey, installationId };
      if (!(await insertTest(client, { ...test, slotKey }, now))) return;
      if ((await admit(client, [planned])).slots === 0)
        throw new ApiError("conflict", "The user was erased meanwhile.");
    };
    await patiently(app, () => inTransaction(app.database.hotPool, plan, "brief"));
    const made = await known();
    if (made === null) throw new Error("A test that was just noted is not there.");
    return { ...made, ...warned };
  },
);
