/** Where in a conversation a server refused: before any message, of the sender, of the recipient, or of the message. */
export type Stage = "connection" | "sender" | "recipient" | "message";

/**
 * What became of a message. `unknown`: it was handed over, and no answer came. `code` and `response` are the server's words,
 * where there were any.
 */
export type Reply = { code: number | null; response: string } & (
  | { kind: "accepted" | "unknown" }
  | { kind: "deferred" | "rejected"; stage: Stage }
);

/** As it goes on the envelope: the return path, and one recipient. */
export type Envelope = { from: string; to: string };

/** A way for messages to leave. */
export type Transport = {
  /** Messages that it takes at once. */
  connections: number;
  /** Hands over a whole message (RFC 5322, CRLF); never throws. */
  send(envelope: Envelope, raw: Buffer): Promise<Reply>;
  close(): void;
};
