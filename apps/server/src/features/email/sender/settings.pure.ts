import { parseSmtpUrl, SMTP_URL_RULE } from "../../../platform/net/smtp-url.ts";
import type { NewValues, SettingFault, SettingSet, Settings } from "../../../platform/settings/setting.ts";
import { choice, flag, line, lines, typed, whole } from "../../../platform/settings/typed.ts";
import { parseDomain, parseRecordName, parseSender, type Sender, senderText } from "./mailbox.pure.ts";

const sender = typed(
  "must be an address such as news@acme.example, or Acme News <news@acme.example>, with a name of at most 100 characters without quotes, backslashes, line breaks or control characters",
  (text) => {
    const found = parseSender(text);
    return found === null ? null : senderText(found);
  },
);

const spfName = typed(
  "must be the name of a mail provider's SPF record such as amazonses.com",
  parseRecordName,
);

const smtpUrl = typed(SMTP_URL_RULE, (text) => (parseSmtpUrl(text) === null ? null : text));

/** `true` stands for the domain of `email.from`: `resolveDomain` puts it in its place. */
const SENDER_DOMAIN = "true";

const verifiedDomain = typed("must be true, false or a domain name such as acme.example", (text) =>
  [SENDER_DOMAIN, "false"].includes(text.trim()) ? text.trim() : parseDomain(text),
).transform((word) => (word === "false" ? null : word));

/** How a project's mail leaves. */
export const emailSettings = {
  "email.from": {
    parse: sender,
    fallback: null,
    label: "Sender",
    meaning: "who mail comes from: an address, or Name <address>",
  },
  "email.postalAddress": {
    parse: lines(500),
    fallback: null,
    label: "Postal address",
    meaning: "the postal address at the foot of every mail; \\n is a line break",
  },
  "email.domainVerified": {
    parse: verifiedDomain,
    fallback: null,
    label: "Verified sender domain",
    meaning: "the sender domain that may be sent from: true takes that of email.from, false none",
  },
  "email.spfInclude": {
    parse: spfName,
    fallback: null,
    label: "SPF name of the provider",
    meaning: "the name your mail provider wants in the SPF record of the sender domain, as include:NAME",
  },
  "email.smtpUrl": {
    parse: smtpUrl,
    fallback: null,
    secret: true,
    hostIn: (url) => parseSmtpUrl(url)?.host ?? null,
    label: "Mail server",
    meaning: "mail server of this project, smtp://user:password@host:port?connections=5; by default SMTP_URL",
  },
  "email.provider": {
    parse: choice("smtp", "ses", "postmark", "sendgrid", "mailgun"),
    fallback: "smtp",
    label: "Mail provider",
    meaning: "who reports what became of mail; smtp: only the mail server itself",
  },
  "email.webhookSecret": {
    parse: line(2_000),
    fallback: null,
    secret: true,
    label: "Secret of the provider's reports",
    meaning:
      "what the provider's reports are verified with: SendGrid's public key, Mailgun's signing key, Postmark's password, the ARN of the SES topic",
  },
  "email.capMax": {
    parse: whole(0, 1_000),
    fallback: 3,
    label: "Mails per recipient",
    meaning: "mails that one recipient gets at most within email.capHours; 0: no cap",
  },
  "email.capHours": {
    parse: whole(1, 720),
    fallback: 24,
    label: "Hours that the cap counts",
    meaning: "hours that email.capMax counts back",
  },
  "email.overCap": {
    parse: choice("skip", "postpone"),
    fallback: "skip",
    label: "Mail beyond the cap",
    meaning:
      "what becomes of a mail to a recipient who has had email.capMax: skip leaves it out for good, postpone sends it later, once the cap allows it",
  },
  "email.perMinute": {
    parse: whole(1, 1_000_000),
    fallback: null,
    label: "Mails per minute",
    meaning: "mails that leave per minute at most; by default no limit",
  },
  "email.domainPerMinute": {
    parse: whole(1, 1_000_000),
    fallback: null,
    label: "Mails per minute and domain",
    meaning: "mails that leave per minute at most to one domain of recipients; by default no limit",
  },
  "email.trackOpens": {
    parse: flag,
    fallback: true,
    label: "Count opens",
    meaning: "whether mail carries a picture that tells when it is opened",
  },
  "email.trackClicks": {
    parse: flag,
    fallback: true,
    label: "Count clicks",
    meaning: "whether links in mail lead through this server, which counts them",
  },
} as const satisfies SettingSet;

export type EmailSettings = Settings<typeof emailSettings>;

/** How a project's transactional mail leaves, where it is not as its campaigns. */
export const transactionalSettings = {
  "transactional.from": {
    parse: sender,
    fallback: null,
    label: "Sender of receipts",
    meaning: "who transactional mail comes from, of the same domain as email.from; by default email.from",
  },
  "transactional.smtpUrl": {
    parse: smtpUrl,
    fallback: null,
    secret: true,
    hostIn: (url) => parseSmtpUrl(url)?.host ?? null,
    label: "Mail server of receipts",
    meaning:
      "mail server of transactional mail, smtp://user:password@host:port?connections=5; by default that of campaigns, over connections of its own",
  },
  "transactional.perMinute": {
    parse: whole(1, 1_000_000),
    fallback: null,
    label: "Receipts per minute",
    meaning: "transactional mails that leave per minute at most, beside email.perMinute; by default no limit",
  },
  "send.keepDays": {
    parse: whole(1, 365),
    fallback: 30,
    label: "Days that what receipts say is kept",
    meaning: "days for which the data and files of a transactional mail are kept after it was requested",
  },
} as const satisfies SettingSet;

type TransactionalSettings = Settings<typeof transactionalSettings>;

/** All settings of mail, of campaigns and of receipts. */
export const mailSettings = { ...emailSettings, ...transactionalSettings } as const;

/** The settings by which transactional mail leaves: those of campaigns, with its own sender, server and pace, and without a cap. */
export const settingsOfReceipts = (settings: EmailSettings & TransactionalSettings): EmailSettings => ({
  ...settings,
  "email.from": settings["transactional.from"] ?? settings["email.from"],
  "email.smtpUrl": settings["transactional.smtpUrl"] ?? settings["email.smtpUrl"],
  "email.perMinute": settings["transactional.perMinute"],
  "email.domainPerMinute": null,
  "email.capMax": 0,
});

/** Resolves `true` to the domain of the sender; `from` is the sender before these changes. */
export function resolveDomain(values: NewValues, from: unknown): NewValues | SettingFault {
  if (values.get("email.domainVerified") !== SENDER_DOMAIN) return values;
  const next = values.has("email.from") ? values.get("email.from") : from;
  const found = typeof next === "string" ? parseSender(next) : null;
  if (found === null) return { fault: "email.domainVerified must name a domain while email.from is not set" };
  return new Map(values).set("email.domainVerified", found.domain);
}

/** The sender of this project's mail, or null while none is set. */
export const senderOf = (settings: Pick<EmailSettings, "email.from">): Sender | null =>
  settings["email.from"] === null ? null : parseSender(settings["email.from"]);

/** Whether the domain that mail comes from is the one that was verified. */
export const isSenderVerified = (
  settings: Pick<EmailSettings, "email.from" | "email.domainVerified">,
): boolean => {
  const found = senderOf(settings);
  return found !== null && found.domain === settings["email.domainVerified"];
};
