import { Platform } from "../../../../domain/fields.ts";
import type { PushContent, PushSettings } from "../../../content/push/message.pure.ts";
import type { Capabilities } from "../../../users/devices/schema.ts";

/** What decides whether a device can be sent to. */
export type DeviceFacts = {
  platform: Platform;
  hasToken: boolean;
  permission: string;
  consent: boolean;
  capabilities: Capabilities;
};

const isSame = (a: readonly { id: string; title: string }[], b: readonly { id: string; title: string }[]) =>
  a.length === b.length && a.every(({ id, title }, i) => id === b[i]?.id && title === b[i]?.title);

/** Whether this build of the app has what a rendered content asks for: its buttons, channel, category and image. */
function hasAll(
  { platform, capabilities }: Pick<DeviceFacts, "platform" | "capabilities">,
  content: PushContent,
): boolean {
  const { actions = [], image, ios, android } = content;
  if (image !== undefined && !capabilities.richImages) return false;
  if (!actions.every(({ id }) => capabilities.actions.includes(id))) return false;
  if (platform === "web") return true;
  if (platform === "android")
    return android === undefined || capabilities.channels.includes(android.channelId);
  if (ios?.categoryId === undefined) return true;
  const category = capabilities.categories?.find(({ id }) => id === ios.categoryId);
  return category !== undefined && isSame(category.actions, actions);
}

/** Whether a device can show a rendered content, and open what it leads to: a browser opens no place in an app. */
export const canShow = (
  device: Pick<DeviceFacts, "platform" | "capabilities">,
  content: PushContent,
): boolean =>
  hasAll(device, content) && (device.platform !== "web" || content.destination.kind === "website");

const BARE: Capabilities = { actions: [], channels: [], richImages: false, categories: [] };

/** Whether what a build of the app can show makes no difference to a content, because it asks for nothing. */
export const asksNothing = (content: PushContent): boolean =>
  Platform.options.every((platform) => hasAll({ platform, capabilities: BARE }, content));

type ReachFacts = Pick<DeviceFacts, "hasToken" | "permission" | "consent">;

/** Why a device cannot be sent any push now, whatever it says, or null, before its credential is asked for. */
function reachFault(device: ReachFacts): "no_token" | "no_consent" | "permission" | null {
  if (!device.hasToken) return "no_token";
  if (!device.consent) return "no_consent";
  return device.permission === "granted" || device.permission === "provisional" ? null : "permission";
}

/** Why a device cannot be sent any push now, whatever it says, or null. */
export const bareDeviceFault = (
  device: ReachFacts,
  hasCredential: boolean,
): ReturnType<typeof reachFault> | "credential" =>
  reachFault(device) ?? (hasCredential ? null : "credential");

/** Why a device cannot be sent a rendered content now, or null. `hasCredential`: for its platform and environment. */
export function deviceFault(
  device: DeviceFacts,
  content: PushContent,
  hasCredential: boolean,
): DeviceFault | null {
  const fault = reachFault(device);
  if (fault !== null) return fault;
  if (!canShow(device, content)) return "capability";
  return hasCredential ? null : "credential";
}

/** Reasons to wait, from the first step to the last. A user is shown the reason of the device that got furthest. */
export const NEARNESS = ["no_token", "no_consent", "permission", "capability", "credential"] as const;
/** Why a device cannot be sent to. */
export type DeviceFault = (typeof NEARNESS)[number];

export type CandidateDevice = {
  installationId: string;
  lastActiveAt: number | null;
  fault: DeviceFault | null;
};

const byActivity = (a: CandidateDevice, b: CandidateDevice): number =>
  (b.lastActiveAt ?? -1) - (a.lastActiveAt ?? -1) || (a.installationId < b.installationId ? -1 : 1);

/** The devices of a user that the selection takes, or why none can be sent to yet. */
export function chooseDevices<D extends CandidateDevice>(
  devices: readonly D[],
  { kind, ...selection }: PushSettings["selection"],
): { chosen: D[] } | { reason: DeviceFault | "no_installation" } {
  const known =
    "installationId" in selection
      ? devices.filter(({ installationId }) => installationId === selection.installationId)
      : devices;
  const able = known.filter(({ fault }) => fault === null).sort(byActivity);
  if (able.length > 0) return { chosen: kind === "last_active" ? able.slice(0, 1) : able };
  const nearest = known.flatMap(({ fault }) => (fault === null ? [] : [NEARNESS.indexOf(fault)]));
  return { reason: NEARNESS[Math.max(...nearest)] ?? "no_installation" };
}
