import type { TokenRef, TokenScope, UserRef } from "../../../domain/ids.ts";
import { isFarAhead } from "../../../platform/time/far-ahead.ts";
import { type Capabilities, type Guards, type Installation, MAX_COUNTER } from "./schema.ts";

/** How many acknowledgements of an installation are kept. Each has its own revision, by which the oldest is found. */
export const KEPT_ACKNOWLEDGEMENTS = 128;

export type BoundUser = UserRef & { externalId: string };

/** A token, and the place of its row. */
export type HadToken = TokenRef & { token: string };

/** Whether two tokens are the same, to the letter: a subscription may be put again with other keys. */
export const isSameToken = (one: HadToken | null, other: HadToken | null): boolean =>
  one?.tokenKey === other?.tokenKey && one?.token === other?.token;

/** The part of an installation that its device changes, and the fixed fields within which a token is unique. */
export type State = Pick<Installation, "appId" | "platform" | "environment"> & {
  user: BoundUser | null;
  bindingGeneration: number;
  revision: number;
  tokenRevision: number;
  /** The token; null where the installation has none, or where another installation has it now. */
  token: HadToken | null;
  permission: Installation["permission"];
  consent: boolean;
  capabilities: Capabilities;
  /** Epoch milliseconds. */
  lastActiveAt: number | null;
};

/** A change of an installation, applied once its guards match. */
export type InstallationChange = (state: State) => State;

/** The capabilities of a new installation, which has not reported any yet. */
export const NO_CAPABILITIES: Capabilities = { actions: [], channels: [], richImages: false };

/** Why a change with these guards is refused, or null. Only changes of the token have `tokenRevision`. */
export function guardFault(state: State, guards: Guards & { tokenRevision?: number }): string | null {
  for (const name of ["revision", "bindingGeneration", "tokenRevision"] as const) {
    const given = guards[name];
    if (given !== undefined && given !== state[name])
      return `${name} is not that of the installation; read it again`;
  }
  return state.revision === MAX_COUNTER ? "revision cannot rise any further" : null;
}

/** Binds another user, or none. Consent and last activity were the earlier user's and go; the token is the device's and stays. */
export const bindTo =
  (user: BoundUser | null): InstallationChange =>
  (state) =>
    user?.userKey === state.user?.userKey
      ? state
      : {
          ...state,
          user,
          bindingGeneration: state.bindingGeneration + 1,
          consent: false,
          lastActiveAt: null,
        };

export const replaceFacts =
  ({
    permission,
    consent,
    capabilities,
  }: Pick<State, "permission" | "consent" | "capabilities">): InstallationChange =>
  (state) => ({ ...state, permission, consent, capabilities });

/** Which provider's tokens the apps of a platform have. */
const PROVIDER_OF = { ios: "apns", android: "fcm", web: "webpush" } as const;

/** The app and the provider to which a token belongs: it is unique within these. */
export const tokenScope = ({
  appId,
  platform,
  environment,
}: Pick<State, "appId" | "platform" | "environment">): TokenScope => ({
  provider: PROVIDER_OF[platform],
  environment,
  appId,
});

/** Replaces the token. Apps report it at every start: the token that the installation already has changes nothing. */
export const replaceToken =
  (token: HadToken | null): InstallationChange =>
  (state) =>
    isSameToken(token, state.token) ? state : { ...state, token, tokenRevision: state.tokenRevision + 1 };

/**
 * Marks the installation as used at this instant (epoch ms). It does not go back, since the clocks of two servers may differ, unless it lies
 * further ahead than they may.
 */
export const beActive =
  (at: number): InstallationChange =>
  (state) => {
    const before = state.lastActiveAt ?? 1;
    return { ...state, lastActiveAt: isFarAhead(before, at, 0) ? at : Math.max(at, before) };
  };

/** What is kept of an answer, and which values its change replaced. */
export type Acknowledgement = Pick<
  State,
  "bindingGeneration" | "revision" | "tokenRevision" | "permission" | "consent" | "lastActiveAt"
> & {
  hasToken: boolean;
  /** The user before the change, where the binding generation rose. */
  replacedUserExternalId: string | null;
  /** The capabilities before the change; null where they stayed the same. */
  replacedCapabilities: Capabilities | null;
};

/**
 * The installation as the first of these acknowledgements showed it. The later ones, in order, have the values that were replaced since;
 * a value that none of them replaced is what it is `now`.
 */
export function asAcknowledged(
  now: Installation,
  [first, ...later]: readonly [Acknowledgement, ...Acknowledgement[]],
): Installation {
  const { replacedUserExternalId: _, replacedCapabilities: __, ...acknowledged } = first;
  const rebound = later.find((each) => each.bindingGeneration > first.bindingGeneration);
  const replaced = later.find((each) => each.replacedCapabilities !== null);
  return {
    ...now,
    ...acknowledged,
    userId: rebound === undefined ? now.userId : rebound.replacedUserExternalId,
    capabilities: replaced?.replacedCapabilities ?? now.capabilities,
  };
}
