/**
 * What a refusal is about: the token (no push will ever reach it), what was sent, the credential, the access that is derived
 * from it (a fresh one may do), too much at once, or the provider itself.
 */
export type Blame = "token_invalid" | "payload" | "credential" | "auth_expired" | "throttled" | "server";

/**
 * What became of a notification. `accepted` and `rejected`: the provider said so. `unknown`: the request left, no answer came.
 * `blocked`: it is proven that the request never left or was never looked at. `code` is the provider's own word where it said
 * one. `retryAfterMs`: not before that has passed. `invalidSince`: when the provider last knew that the token is none (epoch
 * ms); one that was registered later is another one.
 */
export type PushReply =
  | { kind: "accepted"; providerId: string }
  | { kind: "rejected"; code: string; class: Blame; retryAfterMs?: number; invalidSince?: number }
  | { kind: "unknown"; code: "timeout" | "connection_lost" }
  | {
      kind: "blocked";
      code: string;
      class: "connection" | "credential" | "throttled" | "server";
      retryAfterMs?: number;
    };

/** One push to one device. */
export type PushNotification = {
  /** A UUID: APNs names the push by it. */
  id: string;
  /** The device, as the provider knows it. */
  token: string;
  /** JSON: for APNs the whole body, for FCM the `data` of the message. */
  payload: string;
  /** Until when it is worth delivering, epoch ms. */
  expiresAt: number;
  /** What it takes the place of, and what takes its place: the campaign's replacement key, or null. */
  replacementKey: string | null;
  /** Stands in for the replacement key where there is none, so that a push that is sent twice is seen once. */
  slotId: string;
};

/** A way to one provider, for one credential. */
export type PushClient = {
  /**
   * Hands over a push; never throws, and answers within about ten seconds. `freshAuth`: with an access that was made after
   * the last one was refused.
   */
  send(notification: PushNotification, options?: { freshAuth?: boolean }): Promise<PushReply>;
  /** Ends its connections; what is under way becomes unknown, or blocked. */
  close(): void;
};
