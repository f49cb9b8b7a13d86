import { deliveryId, type UserRef, userRef } from "../../../domain/ids.ts";
import { isVisitorId } from "../../../domain/visitors.pure.ts";
import type { Ctx } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { fieldName } from "../../../platform/http/contract/explain-issue.ts";
import { type CampaignRow, findTemplate, readAllocation } from "../../campaigns/authoring/public.ts";
import { attachmentFault } from "../../content/email/mime/attachment.pure.ts";
import { headerFault } from "../../content/email/mime/custom-headers.pure.ts";
import { explainRefusal, fillReceipt } from "../../content/email/public.ts";
import type { ReceiptMessage } from "../../content/email/receipt/message.pure.ts";
import { readTemplateUser } from "../../content/template/public.ts";
import { drawKeyOf, drawVariant, noVariant } from "../../deliveries/public.ts";
import { parseAddress } from "../../email/addresses/rules.ts";
import { parseSender } from "../../email/sender/mailbox.pure.ts";
import { queueRequested, readSenderSettings, readVariants, senderFault } from "../../email/sending/public.ts";
import { keepUser, meetUser, requireUser } from "../../users/profiles/public.ts";
import type { NamedAddress, OwnContent, StoredFile, StoredRequest } from "../request.pure.ts";
import { guestIdOf, MAX_AHEAD_MS, MAX_FILE_BYTES, MAX_FILES, MAX_USER_ID, OWN_MAIL } from "../rules.ts";
import { sealRequest } from "../sealing.ts";
import { insertSendData, nextOccasion } from "../store.ts";
import { ownTemplate } from "./own-template.ts";

/** One mail to one recipient, as a request wants it. Instants are epoch milliseconds. */
export type SendRequest = {
  content: { template: string; data: Readonly<Record<string, unknown>> } | { own: OwnContent };
  to: ({ userId: string } | { email: string }) & { name: string | null };
  /** The mailbox that it comes from; null for the sender of the project. */
  from: NamedAddress | null;
  /** What the mail shows as its recipients; empty for its recipient alone. */
  shownTo: readonly NamedAddress[];
  shownCc: readonly NamedAddress[];
  replyTo: readonly NamedAddress[];
  headers: readonly (readonly [string, string])[];
  attachments: readonly StoredFile[];
  sendAt: number | null;
  tags: Readonly<Record<string, string>>;
};

/** A request, and its place in the body of the caller, which refusals name. */
export type PlacedRequest = { request: SendRequest; at: readonly PropertyKey[] };

/** The reasons with which a request to send is refused. */
export const SEND_REASONS = [
  "template_not_live",
  "channel_not_ready",
  "no_address",
  "address_unconfirmed",
  "data_missing",
  "data_wrong",
] as const;

const refuse = (at: readonly PropertyKey[], fault: string, reason?: string): ApiError =>
  new ApiError(
    "invalid_request",
    `${fieldName(at, "body")} ${fault}`,
    reason === undefined ? {} : { fields: { reason } },
  );

const conflict = (reason: (typeof SEND_REASONS)[number], message: string): ApiError =>
  new ApiError("conflict", message, { fields: { reason } });

/** The template that a request names. @throws ApiError not_found, or conflict where it is not live */
async function templateOf(ctx: Ctx, { content }: SendRequest): Promise<CampaignRow> {
  const template =
    "own" in content
      ? await ownTemplate(ctx)
      : await findTemplate(ctx.db, ctx.projectId, content.template, "also ended");
  if (template === null)
    throw new ApiError("not_found", "Template not found: no transactional campaign has this key");
  if (template.status !== "running")
    throw conflict(
      "template_not_live",
      `This template is not live: it is ${template.status === "draft" ? "a draft" : template.status}.`,
    );
  return template;
}

/** A recipient, whose row stays until the transaction ends, and the address that the mail goes to. */
type Addressed = {
  user: UserRef;
  externalId: string;
  drawKey: string;
  address: string;
  person: ReturnType<typeof readTemplateUser>;
};

/** @throws ApiError not_found for a user who is not there, conflict for one whose address does not come from the customer's server */
async function addresseeOf(ctx: Ctx, { to }: SendRequest, at: readonly PropertyKey[]): Promise<Addressed> {
  const { db, projectId, now } = ctx;
  const guest = "email" in to ? parseAddress(to.email) : null;
  if ("email" in to && guest === null) throw refuse([...at, "to", "email"], "must be an email address");
  const guestId = guest === null ? null : guestIdOf(guest.address);
  if (guestId !== null && guestId.length > MAX_USER_ID)
    throw refuse(
      [...at, "to", "email"],
      `must have at most ${MAX_USER_ID - guestIdOf("").length} characters`,
    );
  if ("userId" in to && isVisitorId(to.userId))
    throw refuse([...at, "to", "userId"], "must not be the id of a visitor, who has no address");
  const user: UserRef =
    "userId" in to ? await requireUser(ctx, to.userId) : userRef(projectId, guestId ?? "");
  if (guestId !== null) await meetUser(db, { projectId, ...user, externalId: guestId, now });
  const row = await keepUser(db, projectId, user);
  if (row === null) throw new ApiError("not_found", "User not found");
  // Traits are checked to be an object when they are written.
  const traits = row.traits as Record<string, unknown>;
  const own = guest ?? parseAddress(traits.email);
  if (own === null)
    throw conflict(
      "no_address",
      "This user has no email address: set the trait email, or send to an address.",
    );
  // A campaign that was sent to an address of a page shows nothing of whose it is.
  if (guest === null && row.serverTraits?.includes("email") !== true)
    throw conflict(
      "address_unconfirmed",
      "A page gave the address of this user: identify them with the secret key first, or send to an address.",
    );
  const { lane, userKey, externalId, serverTraits, drawnAs } = row;
  return {
    user: { lane, userKey },
    externalId,
    drawKey: drawKeyOf({ userKey, drawnAs }),
    address: own.address,
    person: readTemplateUser({ externalId, traits, serverTraits }),
  };
}

/** The subject as it is sent. @throws ApiError for a template that lacks a value */
function subjectOf(
  { content }: SendRequest,
  message: ReceiptMessage,
  { person }: Addressed,
  at: readonly PropertyKey[],
): string {
  if ("own" in content) return content.own.subject;
  const filled = fillReceipt(message, { data: content.data, user: person });
  if ("subject" in filled) return filled.subject;
  const { reason, message: fault } = explainRefusal(filled);
  throw new ApiError("invalid_request", at.length === 0 ? fault : `${fieldName(at, "body")}: ${fault}`, {
    fields: { reason },
  });
}

/** @throws ApiError that names the field */
function assertSendable({ request, at }: PlacedRequest, now: number): void {
  const { sendAt, attachments, headers, content } = request;
  if (sendAt !== null && sendAt > now + MAX_AHEAD_MS)
    throw refuse([...at, "sendAt"], "must be at most 30 days ahead");
  if (attachments.length > MAX_FILES) throw refuse([...at, "attachments"], `must be at most ${MAX_FILES}`);
  let bytes = 0;
  for (const [index, file] of attachments.entries()) {
    const fault = attachmentFault(file);
    if (fault !== null) throw refuse([...at, "attachments", index], fault);
    bytes += file.content.length;
  }
  if (bytes > MAX_FILE_BYTES)
    throw refuse([...at, "attachments"], `must have at most ${MAX_FILE_BYTES} bytes together`);
  for (const [name, value] of headers) {
    const fault = headerFault(name, value);
    if (fault !== null) throw refuse([...at, "headers", name], fault);
  }
  if ("own" in content && content.own.html === null && content.own.text === null)
    throw refuse([...at, "message"], "must have html or text");
}

/** A template that is live, with its weights and texts. @throws ApiError as `templateOf` */
async function readLive(ctx: Ctx, request: SendRequest) {
  const template = await templateOf(ctx, request);
  const allocation = await readAllocation(ctx.db, ctx.projectId, template.id);
  if (allocation === null) throw new ApiError("not_found", "Template not found");
  return { template, allocation, contents: await readVariants(ctx.db, ctx.projectId, [template.id]) };
}

/** The templates of the mails of one request, by their keys: each is read once, and its texts are parsed once. */
type LiveTemplates = Map<string, Awaited<ReturnType<typeof readLive>>>;

/** Queues one mail. Two requests for one user at once take occasions after each other. */
async function queue(
  ctx: Ctx,
  { request, at }: PlacedRequest,
  live: LiveTemplates,
): Promise<{ id: string; state: "waiting" }> {
  const { app, db, projectId, now } = ctx;
  assertSendable({ request, at }, now);
  const templateKey = "own" in request.content ? OWN_MAIL : request.content.template;
  const found = live.get(templateKey) ?? (await readLive(ctx, request));
  live.set(templateKey, found);
  const { template, allocation, contents } = found;
  const to = await addresseeOf(ctx, request, at);
  for (;;) {
    const { occasion, variantId: former } = await nextOccasion(db, projectId, to.user, template.id);
    const kept = allocation.variants.find(({ id, weight }) => id === former && weight > 0);
    const variant = kept ?? drawVariant(allocation.variants, template.id, to.drawKey);
    const content = contents.get(variant?.id ?? "");
    if (variant === null || content === undefined) throw noVariant();
    const key = { ...to.user, campaignId: template.id, occasion, projectId };
    const subject = subjectOf(request, content.message, to, at);
    const outcome = await queueRequested(db, {
      ...key,
      variantId: variant.id,
      epoch: allocation.current.epoch,
      heldOut: false,
      now,
      dueAt: Math.max(request.sendAt ?? now, now),
    });
    if (outcome === "occasion_taken") continue;
    if (outcome === "not_running") throw conflict("template_not_live", "This template is not live any more.");
    const files = request.attachments;
    const stored: StoredRequest = {
      name: request.to.name,
      from: request.from,
      to: request.shownTo,
      cc: request.shownCc,
      replyTo: request.replyTo,
      headers: request.headers,
      tags: request.tags,
      subject,
      own: "own" in request.content ? request.content.own : null,
      data: "own" in request.content ? {} : request.content.data,
      files: files.length,
    };
    const row = { ...key, requestedAt: now, sendAt: request.sendAt, address: to.address };
    if (template.isSensitive) {
      const sealed = sealRequest(app, projectId, key, { request: stored, files });
      await insertSendData(db, { ...row, request: null, sealed }, []);
    } else await insertSendData(db, { ...row, request: stored, sealed: null }, files);
    return { id: deliveryId(key), state: "waiting" };
  }
}

const recipientText = ({ request: { to } }: PlacedRequest): string =>
  "userId" in to ? to.userId : guestIdOf(to.email.trim());

/** By recipient: two requests that name the same users, each in its own order, must not wait for each other. */
const byRecipient = (a: PlacedRequest, b: PlacedRequest): number => {
  const [one, other] = [recipientText(a), recipientText(b)];
  return one < other ? -1 : Number(one > other);
};

/**
 * Takes mails to be sent, in the transaction of the caller: all of them, or none. Answers in their order.
 * @throws ApiError that names what is wrong, by its place in the body
 */
export async function requestSends(
  ctx: Ctx,
  requests: readonly PlacedRequest[],
): Promise<{ id: string; state: "waiting" }[]> {
  const settings = await readSenderSettings(ctx, "transactional");
  const fault = senderFault(ctx.app, settings, "transactional");
  if (fault !== null) throw conflict("channel_not_ready", fault);
  const domain = parseSender(settings["email.from"] ?? "")?.domain ?? null;
  for (const { request, at } of requests)
    if (request.from !== null && parseAddress(request.from.address)?.domain !== domain)
      throw refuse(
        [...at, "from"],
        `must be an address of ${domain}, the domain that mail of this project comes from`,
      );
  const taken = new Map<PlacedRequest, { id: string; state: "waiting" }>();
  const live: LiveTemplates = new Map();
  for (const placed of requests.toSorted(byRecipient)) taken.set(placed, await queue(ctx, placed, live));
  return requests.flatMap((placed) => taken.get(placed) ?? []);
}
