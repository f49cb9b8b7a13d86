import type { Attachment } from "../content/email/mime/attachment.pure.ts";

/** A mailbox with what people call it. */
export type NamedAddress = { name: string | null; address: string };

/** A mail that code has written itself: as it leaves, at least one of both. */
export type OwnContent = { subject: string; html: string | null; text: string | null };

/**
 * What a mail is filled with, and how it is addressed, as it is stored. `own`: the mail itself, where the request has it; `data`: what its
 * template is filled with, where not. `to` and `cc` are what the mail shows; empty for its recipient alone.
 */
export type StoredRequest = {
  name: string | null;
  from: NamedAddress | null;
  to: readonly NamedAddress[];
  cc: readonly NamedAddress[];
  replyTo: readonly NamedAddress[];
  headers: readonly (readonly [string, string])[];
  tags: Readonly<Record<string, string>>;
  /** The subject as it was when the mail was requested. */
  subject: string;
  own: OwnContent | null;
  data: Readonly<Record<string, unknown>>;
  /** How many files it has. */
  files: number;
};

/** A file of a mail, as it is stored: as it leaves. */
export type StoredFile = Attachment;
