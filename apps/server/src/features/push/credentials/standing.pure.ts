import { counted } from "@tidings/client/text";
import type { Platform, PushEnvironment } from "../../../domain/fields.ts";

const SECOND_MS = 1_000;

/** What the answers of its provider have shown of a credential, at its current revision. Instants are epoch milliseconds. */
export type CredentialStanding = {
  /** The address of the provider that accepted a push with it; null before the first acceptance. */
  acceptedBy: string | null;
  /** Since when it is refused, without an acceptance since, and the provider's word for why; null where it is not. */
  refusedAt: number | null;
  refusedCode: string | null;
  /** Whether it was refused so clearly, or so often, that nothing but probes may leave. */
  isBarred: boolean;
  /** When it may be asked again. */
  probeAt: number | null;
};

/** The pushes that may leave at once to ask a refused credential again: several, as the first device may be at fault itself. */
export const PROBES = 10;
/** After how long a refused credential is asked again: twice as long each time, up to the longest. */
export const FIRST_PROBE_MS = 30 * SECOND_MS;
export const LONGEST_PROBE_MS = 3_600 * SECOND_MS;

export type CredentialRefusal = {
  appId: string;
  platform: Platform;
  environment: PushEnvironment;
  refusedCode: string;
};

/** A credential that its provider refuses, since when (epoch ms), and whether nothing but probes may leave. */
export type RefusedCredential = CredentialRefusal & { refusedAt: number; isBarred: boolean };

const minuteOf = (at: number): string => `${new Date(at).toISOString().slice(0, 16).replace("T", " ")} UTC`;

/** What a refused credential costs, in words for people. `devices`: how many could be sent to with a credential that is taken. */
export const refusedSinceWords = (
  { appId, platform, environment, refusedCode, refusedAt, isBarred }: RefusedCredential,
  devices: number,
): string =>
  `The push provider refuses the credential of ${appId} for ${platform}, ${environment} since ${minuteOf(refusedAt)}: ${refusedCode}. ${counted(devices, "device")} ${isBarred ? "cannot" : "may not"} be reached until it is mended: check it, and put another one.`;

/** Why pushes wait for a credential, in words for people. */
export const refusalWords = ({ appId, platform, environment, refusedCode }: CredentialRefusal): string =>
  `The push provider refuses the credential of ${appId} for ${platform}, ${environment}: ${refusedCode}. Check it, and put another one; its devices wait, and keep their tokens.`;
