import { compilePush } from "../../content/push/payload.pure.ts";
import { pushPausedBecause } from "../../counting/usage/rules.ts";
import { NOT_LEFT } from "../../deliveries/lifecycle/rules.ts";
import {
  audienceGate,
  channelGate,
  deliveryGate,
  drawVariant,
  type GateOf,
  type GateQuestion,
  type Gates,
  holdoutGate,
  openGates,
  servingGate,
  userGate,
  variantGate,
  withheldGate,
} from "../../deliveries/public.ts";
import { readCampaignCredentials } from "./credentials.ts";
import { type CampaignSpec, readCampaignSpec } from "./definition-store.ts";
import { reachOf } from "./plan/plan.ts";
import { type PlannedDevice, readDevices } from "./plan/plan-store.ts";
import { asUnreachable, isOfMessage, REASONS } from "./reasons.pure.ts";

type Reach = ReturnType<typeof reachOf>;

/** What a push to the user comes to; null where there is no user, or no variant to send. */
async function readReach(
  { app, db, projectId, subject, externalId }: GateQuestion,
  { settings, variants }: CampaignSpec,
  variantId: string | null,
): Promise<{ reach: Reach; devices: PlannedDevice[] } | null> {
  const { known, lane, userKey } = subject;
  const variant = variants.find(({ id }) => id === variantId);
  if (known === null || variant === undefined) return null;
  const devices = await readDevices(db, projectId, subject, settings.appId);
  const credentials = await readCampaignCredentials(app, db, projectId, settings.appId);
  const person = { ...known, lane, userKey, externalId, devices };
  const reach = reachOf(person, { compiled: compilePush(variant.content), settings }, credentials);
  return { reach, devices };
}

const UNANSWERED = { passes: null, note: "There is no user, or no variant to send.", reason: null } as const;

/** Whether the content can be filled in for the user, and whether a device can be sent it: two gates. */
function reachGates(read: Awaited<ReturnType<typeof readReach>>): [GateOf<"message">, GateOf<"device">] {
  if (read === null)
    return [
      { gate: "message", ...UNANSWERED },
      { gate: "device", ...UNANSWERED, devices: null, chosen: [] },
    ];
  const { reach } = read;
  const devices = read.devices.length;
  const sayable = {
    gate: "message",
    passes: true,
    note: "The message can be written for this user.",
    reason: null,
  } as const;
  if (!("reason" in reach)) {
    const chosen = reach.chosen.map(({ installationId }) => installationId);
    const note = "The push goes to these devices.";
    return [sayable, { gate: "device", passes: true, note, reason: null, devices, chosen }];
  }
  const reason = asUnreachable(reach.reason);
  const note = REASONS[reason];
  if (isOfMessage(reason))
    return [
      { gate: "message", passes: false, note, reason },
      {
        gate: "device",
        passes: null,
        note: "There is no message to send.",
        reason: null,
        devices,
        chosen: [],
      },
    ];
  return [sayable, { gate: "device", passes: false, note, reason, devices, chosen: [] }];
}

/** The gates of push, in the order in which planning and then the sending ask them. */
export const pushGates: Gates = async (question) => {
  const { db, projectId, campaign, subject } = question;
  const spec = await readCampaignSpec(db, projectId, campaign.id);
  if (spec === null) throw new Error("A push campaign that is not there.");
  const variantId =
    subject.delivery?.variantId ?? drawVariant(spec.variants, campaign.id, subject.userKey)?.id ?? null;
  return [
    ...openGates(question),
    userGate(question, false),
    deliveryGate(question, (state) => NOT_LEFT.includes(state)),
    withheldGate(question),
    await audienceGate(question, false),
    variantGate(question, variantId),
    ...reachGates(await readReach(question, spec, variantId)),
    holdoutGate(question, spec),
    servingGate(question, pushPausedBecause(question.serving)),
    channelGate(question),
  ];
};
