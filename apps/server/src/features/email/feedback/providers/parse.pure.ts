import type { z } from "zod";
import type { Provider } from "../../sending/provider-headers.pure.ts";
import type { ProviderReport } from "./fields.pure.ts";
import { MailgunEvent, readMailgun } from "./mailgun.pure.ts";
import { PostmarkEvent, readPostmark } from "./postmark.pure.ts";
import { readSendGrid, SendGridEvent } from "./sendgrid.pure.ts";
import { readSes, SesEvent } from "./ses.pure.ts";

const readWith =
  <Schema extends z.ZodType>(schema: Schema, read: (event: z.output<Schema>) => ProviderReport[]) =>
  (event: unknown): ProviderReport[] => {
    const parsed = schema.safeParse(event);
    return parsed.success ? read(parsed.data) : [];
  };

const READERS: Readonly<Record<Provider, (event: unknown) => ProviderReport[]>> = {
  ses: readWith(SesEvent, readSes),
  postmark: readWith(PostmarkEvent, readPostmark),
  sendgrid: readWith(SendGridEvent, readSendGrid),
  mailgun: readWith(MailgunEvent, readMailgun),
};

/**
 * The reports in a provider's body, which is one event or a list. Deferrals, what is tried again, opens, clicks and events that cannot be
 * parsed are left out.
 */
export const readProviderReports = (provider: Provider, body: unknown): ProviderReport[] =>
  (Array.isArray(body) ? body : [body]).flatMap(READERS[provider]);
