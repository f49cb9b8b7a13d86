/**
 * Whose fault a refusal is.
 * - `token_invalid`: the device is gone; no push will ever reach this token.
 * - `token_doubtful`: the provider does not know the token. It says the same of every token where address, environment or project of
 *   the credential are wrong.
 * - `token_foreign`: the token belongs to another app or sender than the credential; which of the two is wrong, it does not say.
 * - `credential`: the credential, or the address that it is used at, whatever the device.
 * - `auth_expired`: the bearer that was made from the credential; a fresh one may be accepted.
 * - `payload`: what was sent. `throttled`: too many requests. `server`: the provider itself, for now.
 */
export type Blame =
  | "token_invalid"
  | "token_doubtful"
  | "token_foreign"
  | "credential"
  | "auth_expired"
  | "payload"
  | "throttled"
  | "server";

/**
 * What became of a notification. `accepted` and `rejected`: the provider answered so. `unknown`: the request left, and no answer
 * came. `blocked`: the request certainly did not leave, or was not processed. For the token alone: `token_outdated`, a browser subscribed
 * with another key than the project has now; `token_barred`, this server sends nothing to where a browser is reached. `code` is the provider's own word where it gave one.
 * `retryAfterMs`: wait at least as long. `invalidSince`: since when the provider knows that the token is invalid (epoch ms); a
 * device that was registered later has another token.
 */
export type PushReply =
  | { kind: "accepted"; providerId: string }
  | { kind: "rejected"; code: string; class: Blame; retryAfterMs?: number; invalidSince?: number }
  | { kind: "unknown"; code: "timeout" | "connection_lost" }
  | {
      kind: "blocked";
      code: string;
      class: "connection" | "credential" | "throttled" | "server" | "token_outdated" | "token_barred";
      retryAfterMs?: number;
    };

/** One push to one device. */
export type PushNotification = {
  /** A UUID: APNs names the push by it. */
  id: string;
  /** The device, as the provider knows it. */
  token: string;
  /** JSON: for APNs the whole body, for FCM the `data` of the message, for a browser what is encrypted. */
  payload: string;
  /** Until when it is worth delivering, epoch ms. */
  expiresAt: number;
  /** The campaign's replacement key, or null: on a device, a push replaces an earlier one with the same key. */
  replacementKey: string | null;
  /** Used where there is no replacement key, so that a push that is sent twice is seen once. */
  slotId: string;
};

/** Sends pushes to one provider, with one credential. */
export type PushClient = {
  /**
   * Hands over a push; never throws, and answers within about ten seconds. `freshAuth`: with a bearer that was made after the last
   * one was refused.
   */
  send(notification: PushNotification, options?: { freshAuth?: boolean }): Promise<PushReply>;
  /** Closes its connections; pushes in flight become unknown, or blocked. */
  close(): void;
};
