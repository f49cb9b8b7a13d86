import { readTemplateUser } from "../../content/template/public.ts";
import type { Usable } from "./credentials.ts";
import type { ContentRevision, PushDefinition } from "./definitions.ts";
import { type CandidateDevice, chooseDevices, deviceFault } from "./gates/devices.pure.ts";
import type { PlannedDevice, PushCandidate } from "./plan/plan-store.ts";
import { type FilledPush, fillDefinition } from "./render.ts";

/** A user to send a campaign or a test to, with the devices that have the app. */
export type PushPerson = Pick<
  PushCandidate,
  "lane" | "userKey" | "drawKey" | "externalId" | "traits" | "serverTraits" | "choice" | "devices"
> & {
  /** The properties of the event by which the user entered the journey whose push it is. */
  event?: Readonly<Record<string, unknown>> | null;
};

/** What a push to a user comes to: its content, and the devices that it goes to, whatever its texts say of the user. */
export type PushReach = {
  filled: FilledPush;
  devices: ReturnType<typeof chooseDevices<PlannedDevice & CandidateDevice>>;
};

export function reachOf(
  person: PushPerson,
  { compiled, settings }: Pick<PushDefinition, "compiled"> & Pick<ContentRevision, "settings">,
  credentials: Usable,
): PushReach {
  const judged = person.devices.map((device) => ({
    ...device,
    fault: deviceFault(device, compiled.content, credentials.has(device)),
  }));
  return {
    filled: fillDefinition({ compiled }, readTemplateUser(person)),
    devices: chooseDevices(judged, settings.selection),
  };
}
