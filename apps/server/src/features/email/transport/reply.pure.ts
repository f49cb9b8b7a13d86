import type { UserRef } from "../../../domain/ids.ts";

/** Where in a conversation a server refused: before any message, of the sender, of the recipient, or of the message. */
export type RefusalStage = "connection" | "sender" | "recipient" | "message";

/**
 * What became of a message. `unknown`: it was handed over, and no answer came. `code` and `response` are what the server answered;
 * without an answer they are null and the error's text.
 */
export type MailReply = { code: number | null; response: string } & (
  | { kind: "accepted" | "unknown" }
  | { kind: "deferred" | "rejected"; stage: RefusalStage }
);

/**
 * As it goes on the envelope: the return path, and one recipient. `user`: whose facts fill the message, so that what stays on this server can
 * be forgotten with them; null where they are those of no user.
 */
export type Envelope = { from: string; to: string; user: UserRef | null };

/** A way to send mail: SMTP, or the mail catcher. */
export type Transport = {
  /** Messages that it takes at once. */
  connections: number;
  /** Hands over a whole message (RFC 5322, CRLF); never throws. */
  send(envelope: Envelope, raw: Buffer): Promise<MailReply>;
  close(): void;
};
