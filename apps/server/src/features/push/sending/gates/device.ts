import { counted } from "@tidings/client/text";
import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import { count } from "../../../../platform/http/contract/fields.ts";
import { gate } from "../../../deliveries/gates/gate.ts";
import type { UsableCredential } from "../../credentials/public.ts";
import { refusalWords } from "../../credentials/standing.pure.ts";
import { type DeviceFault, NEARNESS } from "./devices.pure.ts";
import { NOTHING_TO_SEND, type pushMessageGate } from "./message.ts";

type Reason = DeviceFault | "no_installation";

type Facts = {
  /** The devices that the push goes to, or what the one lacks that gets furthest. */
  devices: { chosen: readonly object[] } | { reason: Reason };
  /** The credential that all chosen devices wait for, because its provider refuses it; null where one of them may be sent to. */
  barring: UsableCredential | null;
};
type Found = Facts & {
  /** Of the chosen devices. */
  installationIds: readonly string[];
  /** How many devices of the user have the app. */
  deviceCount: number;
  appId: string;
} & Parameters<typeof pushMessageGate.skipped>[0];

/** What a reason means, in a sentence. */
const SENTENCES: Readonly<Record<Reason, string>> = {
  no_installation: "The user has no device with the app, or not the one that the campaign names.",
  no_token: "No device of the user has a push token.",
  no_consent: "The user has not consented to pushes on a device that has a token.",
  permission: "The system or the browser does not let the app show pushes.",
  capability:
    "The user's device cannot show this content: its buttons, channel, category or image, or a place in an app in a browser.",
  credential: "There is no push credential for the platform and environment of the user's device.",
};

const isWritten = ({ filled }: Found): boolean => "content" in filled;

/** Whether a device of the user can be sent the push. */
export const deviceGate = gate({
  gate: "device",
  asks: "which devices would it go to, and else what does the one lack that got furthest?",
  stages: ["plan", "lease"],
  reasons: {
    no_installation: "no device has the app, or not the one that the campaign names",
    no_token: "no device has a push token",
    no_consent: "the user has not consented on a device that has a token",
    permission: "the system or the browser does not let the app show pushes",
    capability: "the device cannot show this content",
    credential: "there is no credential for the device's platform and environment",
  },
  shape: {
    devices: count.nullable().describe("Devices of the user that have the app."),
    chosen: z
      .array(z.string().max(128))
      .max(10_000)
      .describe("Ids of the installations that the push would go to."),
  },
  passes: ({ devices, barring }: Facts) => "chosen" in devices && barring === null,
  reason: ({ devices }: Facts) => ("reason" in devices ? devices.reason : "credential"),
  sql: ({ variantAt }: { variantAt: RawBuilder<unknown> }) => [
    { when: sql`v.ranks is null`, bucket: "no_installation" },
    {
      when: sql`v.ranks[${variantAt}] < ${NEARNESS.length}::int`,
      bucket: sql`${JSON.stringify(NEARNESS)}::jsonb ->> v.ranks[${variantAt}]`,
    },
  ],
  skipped(found: Found) {
    if (!found.isSendable) return NOTHING_TO_SEND;
    return isWritten(found) ? null : "There is no message to send.";
  },
  note({ devices, barring, deviceCount, appId }: Found) {
    const had = `The user has ${counted(deviceCount, "device")} with the app ${appId}`;
    if ("reason" in devices) return `${SENTENCES[devices.reason]} ${had}.`;
    return barring === null
      ? `${had}, and the push goes to ${devices.chosen.length} of them.`
      : `${refusalWords({ ...barring, refusedCode: barring.refusedCode ?? "" })} ${had}.`;
  },
  details(found: Found) {
    const { installationIds, deviceCount, isSendable } = found;
    return {
      devices: isSendable ? deviceCount : null,
      chosen: isWritten(found) ? [...installationIds] : [],
    };
  },
});
