import { counted } from "@tidings/client/text";
import { compilePush, fillPush } from "../../content/push/payload.pure.ts";
import { readTemplateUser } from "../../content/template/public.ts";
import { pushPausedBecause } from "../../counting/usage/rules.ts";
import { quoted } from "../../deliveries/gates/words.pure.ts";
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
  passGates,
  servingGate,
  userGate,
  variantGate,
  withheldGate,
} from "../../deliveries/public.ts";
import type { UsableCredential } from "../credentials/public.ts";
import { refusalWords } from "../credentials/standing.pure.ts";
import { readCampaignCredentials } from "./credentials.ts";
import { type CampaignSpec, readCampaignSpec } from "./definition-store.ts";
import { reachableDevices } from "./plan/plan.ts";
import { type PlannedDevice, readDevices } from "./plan/plan-store.ts";
import { asUnreachable, isOfMessage, REASONS } from "./reasons.pure.ts";
import { barringAll } from "./refused.ts";

type Reach = ReturnType<typeof reachableDevices>;

type Read = {
  reach: Reach;
  devices: PlannedDevice[];
  appId: string;
  missing: string | null;
  /** The credential that all chosen devices wait for, because its provider refuses it. */
  barred: UsableCredential | null;
};

/** What a push to the user comes to; null where there is no user, or no variant to send. */
async function readReach(
  { app, db, projectId, subject, externalId }: GateQuestion,
  { settings, variants }: CampaignSpec,
  variantId: string | null,
): Promise<Read | null> {
  const { known, lane, userKey } = subject;
  const variant = variants.find(({ id }) => id === variantId);
  if (known === null || variant === undefined) return null;
  const devices = await readDevices(db, projectId, subject, settings.appId);
  const credentials = await readCampaignCredentials(app, db, projectId, settings.appId);
  const person = { ...known, lane, userKey, externalId, devices };
  const compiled = compilePush(variant.content);
  const reach = reachableDevices(person, { compiled, settings }, credentials);
  const filled = fillPush(compiled, readTemplateUser(person));
  return {
    reach,
    devices,
    appId: settings.appId,
    missing: "missing" in filled ? filled.missing : null,
    barred: "chosen" in reach ? barringAll(reach.chosen.map(credentials.get)) : null,
  };
}

const UNANSWERED = {
  passes: null,
  note: "There is nobody to send it to, or no variant to send.",
  reason: null,
} as const;

/** Whether the content can be filled in for the user, and whether a device can be sent it: two gates. */
function reachGates(read: Read | null): [GateOf<"message">, GateOf<"device">] {
  if (read === null)
    return [
      { gate: "message", ...UNANSWERED },
      { gate: "device", ...UNANSWERED, devices: null, chosen: [] },
    ];
  const { reach, appId, missing, barred } = read;
  const devices = read.devices.length;
  const had = `The user has ${counted(devices, "device")} with the app ${appId}`;
  const sayable = {
    gate: "message",
    passes: true,
    note: "The message can be written for this user.",
    reason: null,
  } as const;
  if (!("reason" in reach)) {
    const chosen = reach.chosen.map(({ installationId }) => installationId);
    if (barred !== null) {
      const note = `${refusalWords({ ...barred, refusedCode: barred.refusedCode ?? "" })} ${had}.`;
      return [sayable, { gate: "device", passes: false, note, reason: "credential", devices, chosen }];
    }
    const note = `${had}, and the push goes to ${chosen.length} of them.`;
    return [sayable, { gate: "device", passes: true, note, reason: null, devices, chosen }];
  }
  const reason = asUnreachable(reach.reason);
  const what = missing === null ? "" : ` It is ${quoted(missing)}.`;
  const note = `${REASONS[reason]}${isOfMessage(reason) ? what : ` ${had}.`}`;
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
    ...passGates(question),
    await audienceGate(question, false),
    variantGate(question, variantId),
    ...reachGates(await readReach(question, spec, variantId)),
    holdoutGate(question, spec),
    servingGate(question, pushPausedBecause(question.serving)),
    channelGate(question),
  ];
};
