import type { TokenRef, TokenScope, UserRef } from "../../../domain/ids.ts";
import { type Capabilities, type Guards, type Installation, MAX_COUNTER } from "./schema.ts";

/** Acknowledgements that are kept of an installation. Each has a revision of its own, so the oldest is known by that. */
export const KEPT_ACKNOWLEDGEMENTS = 128;

export type BoundUser = UserRef & { externalId: string };

/** What changes of an installation, and, of what does not, what a token is unique in. */
export type State = Pick<Installation, "appId" | "platform" | "environment"> & {
  user: BoundUser | null;
  bindingGeneration: number;
  revision: number;
  tokenRevision: number;
  /** The token that it has; null where it has none, or somebody else has it now. */
  token: TokenRef | null;
  permission: Installation["permission"];
  consent: boolean;
  capabilities: Capabilities;
  /** Epoch milliseconds. */
  lastActiveAt: number | null;
};

/** A change of an installation that may apply. */
export type Change = (state: State) => State;

/** Nobody has used a new installation yet. */
export const NO_CAPABILITIES: Capabilities = { actions: [], channels: [], richImages: false };

/** What a change with these guards is refused for, or null. Only a change of the token has a guard for that. */
export function guardFault(state: State, guards: Guards & { tokenRevision?: number }): string | null {
  for (const name of ["revision", "bindingGeneration", "tokenRevision"] as const) {
    const given = guards[name];
    if (given !== undefined && given !== state[name])
      return `${name} is not that of the installation; read it again`;
  }
  return state.revision === MAX_COUNTER ? "revision cannot rise any further" : null;
}

/** Another user, or nobody, begins without consent, and has not been here yet. The token is the device's: it stays. */
export const bindTo =
  (user: BoundUser | null): Change =>
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
  ({ permission, consent, capabilities }: Pick<State, "permission" | "consent" | "capabilities">): Change =>
  (state) => ({ ...state, permission, consent, capabilities });

/** Who sends to it: a token belongs to one app at one provider. */
export const tokenScope = ({
  appId,
  platform,
  environment,
}: Pick<State, "appId" | "platform" | "environment">): TokenScope => ({
  provider: platform === "ios" ? "apns" : "fcm",
  environment,
  appId,
});

/** An app says its token at every start: the one that it has already changes nothing. */
export const replaceToken =
  (token: TokenRef | null): Change =>
  (state) =>
    token?.tokenKey === state.token?.tokenKey
      ? state
      : { ...state, token, tokenRevision: state.tokenRevision + 1 };

/** Used at this instant (epoch ms). The clocks of two servers may differ: it never goes back. */
export const beActive =
  (at: number): Change =>
  (state) => ({ ...state, lastActiveAt: Math.max(at, state.lastActiveAt ?? 1) });

/** What is kept of an answer, and what the change behind it replaced. */
export type Acknowledgement = Pick<
  State,
  "bindingGeneration" | "revision" | "tokenRevision" | "permission" | "consent" | "lastActiveAt"
> & {
  hasToken: boolean;
  /** The user before, where the generation rose. */
  replacedUserExternalId: string | null;
  /** Null where they stayed the same. */
  replacedCapabilities: Capabilities | null;
};

/**
 * What the first of these acknowledgements said. Those after it, in order, tell what was replaced since; where they tell
 * nothing, it is as it is now.
 */
export function asAcknowledged(
  now: Installation,
  [first, ...later]: readonly [Acknowledgement, ...Acknowledgement[]],
): Installation {
  const { replacedUserExternalId: _, replacedCapabilities: __, ...said } = first;
  const rebound = later.find((each) => each.bindingGeneration > first.bindingGeneration);
  const replaced = later.find((each) => each.replacedCapabilities !== null);
  return {
    ...now,
    ...said,
    userId: rebound === undefined ? now.userId : rebound.replacedUserExternalId,
    capabilities: replaced?.replacedCapabilities ?? now.capabilities,
  };
}
