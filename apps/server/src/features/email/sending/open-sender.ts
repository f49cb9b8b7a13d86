import { isLoopback, isReachable } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/db.ts";
import { type FindAddresses, publicAddresses } from "../../../platform/net/public-host.ts";
import { parseSmtpUrl } from "../../../platform/net/smtp-url.ts";
import { BoundedMap } from "../../../platform/remember.ts";
import { type App, type Port, port, resource } from "../../../platform/runtime.ts";
import type { Settings } from "../../../platform/settings/setting.ts";
import type { Purpose } from "../../campaigns/authoring/rules.ts";
import type { EmailMessage } from "../../content/email/message.pure.ts";
import {
  type CompiledEmail,
  compileEmail,
  type DkimKey,
  type EmailOptions,
  type FilledReceipt,
  fillEmail,
  type Recipient,
  signDkim,
  writeReceipt,
} from "../../content/email/public.ts";
import { isByOperator, readSettings } from "../../settings/public.ts";
import { type TimingSettings, timingSettings } from "../../timing/settings.pure.ts";
import { type Sender as From, parseSender } from "../sender/mailbox.pure.ts";
import { readDkimKey } from "../sender/public.ts";
import type { EmailSettings } from "../sender/settings.pure.ts";
import { mailSettings, settingsOfReceipts } from "../sender/settings.pure.ts";
import { openMailCatcher, openSmtp } from "../transport/public.ts";
import type { Transport } from "../transport/reply.pure.ts";
import { linkSigner } from "./links.ts";
import type { EmailContent } from "./variants-store.ts";

/** Whether mail without a mail server goes to the mail catcher: only where its pages can be opened on this computer alone. */
export const hasMailCatcher = ({ config }: App): boolean => config.isPrivate;

/** The transport of a project whose mail stays on this server, and takes another way than that of the mail catcher. */
export const localMail: Port<(app: App, projectId: string) => Transport> = port("local mail");

/** How a project's mail leaves: the address of its mail server, `outbox`, or null when there is no way. */
export function routeOf(app: App, settings: EmailSettings): string | null {
  if (app.askAll(localMail).length > 0) return "outbox";
  return settings["email.smtpUrl"] ?? app.config.smtpUrl ?? (hasMailCatcher(app) ? "outbox" : null);
}

/** What a project needs before it can send, in the order in which people see to it. */
export const SENDER_NEEDS = ["from", "postalAddress", "mailServer", "domain", "publicUrl"] as const;
type SenderFault = { needs: (typeof SENDER_NEEDS)[number]; message: string };

/** How a project's mail leaves, and when. */
export type SendingSettings = EmailSettings & TimingSettings;

const sendingSettings = { ...mailSettings, ...timingSettings };

const settingsFor = (purpose: Purpose, all: Settings<typeof sendingSettings>): SendingSettings =>
  purpose === "transactional"
    ? { ...all, ...settingsOfReceipts(all), "time.quiet": null, "pressure.max": 0 }
    : all;

/** The settings by which a project's mail for a purpose leaves; receipts wait for no hours, and are never too many. @throws SettingError where one cannot be read */
export const readSenderSettings = async (
  { app, db, projectId }: { app: App; db: Db; projectId: string },
  purpose: Purpose,
): Promise<SendingSettings> =>
  settingsFor(purpose, await readSettings(db, app.secrets, projectId, sendingSettings));

/** All that is missing before a project can send mail for a purpose, each in a sentence that says what to do. */
export function senderFaults(
  app: App,
  settings: EmailSettings,
  purpose: Purpose = "marketing",
): SenderFault[] {
  const from = settings["email.from"];
  const domain = parseSender(from ?? "")?.domain;
  const route = routeOf(app, settings);
  // The mail catcher needs no domain, and is read on this computer, where links to localhost work.
  const server = route === null || route === "outbox" ? null : parseSmtpUrl(route);
  const isVerified = settings["email.domainVerified"] === domain;
  // A mail server on this computer is for trying out: its mail is read here as well.
  const goesOut = server !== null && !isLoopback(server.host);
  const faults: Readonly<Record<SenderFault["needs"], string | null>> = {
    from: from === null ? "Set email.from: it says who the mail comes from." : null,
    postalAddress:
      purpose === "marketing" && settings["email.postalAddress"] === null
        ? "Set email.postalAddress: the law of most countries wants it in every campaign email."
        : null,
    mailServer:
      route === null ? "Set email.smtpUrl, or SMTP_URL for all projects: there is no mail server." : null,
    domain:
      from !== null && server !== null && !isVerified
        ? `Verify the domain ${domain ?? ""} of email.from (Email in the dashboard, under Sender, or tidings email domain --check), or set email.domainVerified.`
        : null,
    publicUrl:
      goesOut && !isReachable(app.publicUrl())
        ? `Set PUBLIC_URL of the server to the address that recipients reach it at: ${app.publicUrl()}, where unsubscribe links lead now, is this machine only.`
        : null,
  };
  return SENDER_NEEDS.flatMap((needs) => {
    const message = faults[needs];
    return message === null ? [] : [{ needs, message }];
  });
}

/** What is missing first before a project can send mail for a purpose, in a sentence that says what to do; null when nothing is. */
export const senderFault = (
  app: App,
  settings: EmailSettings,
  purpose: Purpose = "marketing",
): string | null => senderFaults(app, settings, purpose)[0]?.message ?? null;

/** All that one project's messages for a purpose have in common. */
export type ProjectSender = {
  projectId: string;
  purpose: Purpose;
  settings: SendingSettings;
  /** What all of them have in common as they are written. */
  options: Omit<EmailOptions, "signTarget">;
  from: From;
  transport: Transport;
  dkim: DkimKey | null;
  /** The compiled email of a variant, compiled once while neither content nor settings change. */
  compiledFor(variant: { campaignId: string; variantId: string }, content: EmailContent): CompiledEmail;
  /** A mail of no campaign, ready to leave: nothing in it is tracked, and it has no link to unsubscribe. */
  writeAlone(content: EmailMessage | FilledReceipt, recipient: Omit<Recipient, "token">): Promise<Buffer>;
};

/** Compiled emails that are kept, those used last; a server rarely sends more variants at once. */
const MAX_COMPILED = 500;
/** Transports that are kept, those used last: the route of one that its project has left has a password in it. */
const MAX_TRANSPORTS = 1_000;

/** The value of a key, made where it is not kept; in either case it is the one that was used last. */
function used<Value>(map: BoundedMap<Value>, key: string, make: () => Value): Value {
  const value = map.get(key) ?? make();
  map.set(key, value);
  return value;
}

/** What is kept between turns of the send loop: transports by route, compiled emails by their content and settings. */
const kept = resource((app) => {
  const transports = new BoundedMap<Transport>(MAX_TRANSPORTS);
  const compiledEmails = new BoundedMap<CompiledEmail>(MAX_COMPILED);
  const findPublic: FindAddresses = (host) => publicAddresses(host, app.config);
  return {
    /** @param isConfined whether the server may lie on the public internet alone */
    transport(projectId: string, purpose: Purpose, route: string, isConfined: boolean): Transport {
      // Receipts have connections of their own, so that they do not wait for a campaign's mail.
      const key =
        route === "outbox" ? `outbox ${projectId}` : `${purpose} ${isConfined ? "public" : "any"} ${route}`;
      return used(transports, key, () => {
        const server = parseSmtpUrl(route);
        return server === null
          ? (app.askAll(localMail)[0] ?? openMailCatcher)(app, projectId)
          : openSmtp(server, new URL(app.publicUrl()).hostname, isConfined ? findPublic : null);
      });
    },
    compiled: (key: string, compile: () => CompiledEmail): CompiledEmail =>
      used(compiledEmails, key, compile),
  };
});

/** What all mail of a project has in common, by its settings; `signTarget` is the campaign's. */
export const mailOptions = (
  app: App,
  settings: EmailSettings,
  from: EmailOptions["from"],
): Omit<EmailOptions, "signTarget"> => ({
  from,
  postalAddress: settings["email.postalAddress"] ?? "",
  publicUrl: app.publicUrl(),
  track: { opens: settings["email.trackOpens"], clicks: settings["email.trackClicks"] },
  unsubscribable: true,
});

/** The setting with a project's own mail server for mail of a purpose. */
const OWN_SERVERS = { marketing: "email.smtpUrl", transactional: "transactional.smtpUrl" } as const;

/** A mail in which nothing is tracked: that of a campaign, or one that was filled with data. */
export function writeUntracked(
  content: EmailMessage | FilledReceipt,
  options: Omit<EmailOptions, "signTarget" | "track">,
  recipient: Recipient,
): Buffer {
  // Links that are not tracked are not signed.
  const untracked = { ...options, track: { opens: false, clicks: false }, signTarget: () => "" };
  if (!("email" in content)) return fillEmail(compileEmail(content, untracked), recipient);
  const alone = { name: null, replyTo: [], headers: [], attachments: [] };
  return writeReceipt(content, untracked, { ...recipient, ...alone });
}

/** A project's sender of mail for a purpose, from its current settings, or why it cannot send. */
export async function openSender(
  app: App,
  projectId: string,
  purpose: Purpose = "marketing",
): Promise<ProjectSender | { fault: string }> {
  const { kysely } = app.database;
  const all = await readSettings(kysely, app.secrets, projectId, sendingSettings);
  const settings = settingsFor(purpose, all);
  const fault = senderFault(app, settings, purpose);
  const from = parseSender(settings["email.from"] ?? "");
  const route = routeOf(app, settings);
  if (fault !== null || from === null || route === null)
    return { fault: fault ?? "The sender's settings are not complete." };
  const setting = all[OWN_SERVERS[purpose]] === null ? OWN_SERVERS.marketing : OWN_SERVERS[purpose];
  const isConfined = route === all[setting] && !(await isByOperator(kysely, projectId, setting));
  const options = mailOptions(app, settings, { name: from.name, address: from.address });
  const signer = app.get(linkSigner);
  const signTargetFor = (campaignId: string) => (url: string) => signer.signTarget(campaignId, url);
  const made = JSON.stringify(options);
  const dkim = await readDkimKey(kysely, app.secrets, projectId, from.domain);
  return {
    projectId,
    purpose,
    settings,
    options,
    from,
    transport: app.get(kept).transport(projectId, purpose, route, isConfined),
    dkim,
    compiledFor: ({ campaignId, variantId }, { message, hasTopic }) =>
      app
        .get(kept)
        .compiled(`${variantId} ${made} ${hasTopic} ${JSON.stringify(message)}`, () =>
          compileEmail(message, { ...options, choosable: hasTopic, signTarget: signTargetFor(campaignId) }),
        ),
    async writeAlone(content, recipient) {
      const raw = writeUntracked(content, { ...options, unsubscribable: false }, { ...recipient, token: "" });
      return dkim === null ? raw : signDkim(raw, dkim);
    },
  };
}
