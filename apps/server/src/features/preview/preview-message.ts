import { setImmediate } from "node:timers/promises";
import { cutAfter } from "@tidings/client/text";
import { z } from "zod";
import { Platform, storedUserId } from "../../domain/fields.ts";
import { type Ctx, endpoint, KIB } from "../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../platform/http/contract/errors.ts";
import { jsonObject } from "../../platform/http/contract/fields.ts";
import { MAX_DIAGNOSTICS, pointer } from "../audience/language/parse/diagnostics.pure.ts";
import type { Diagnostic } from "../audience/language/schema.ts";
import type { WebMessage } from "../campaigns/authoring/message/message.pure.ts";
import { personalFields, type ReadContent } from "../campaigns/authoring/message/read-content.pure.ts";
import { parseContents, readMessage, warningsOfRead } from "../campaigns/authoring/public.ts";
import { messageKindOf, PURPOSES } from "../campaigns/authoring/rules.ts";
import { Channel, MessageInput, type MessageKind } from "../campaigns/authoring/schema.ts";
import type { EmailMessage } from "../content/email/message.pure.ts";
import {
  dataPathsIn,
  explainRefusal,
  type FilledReceipt,
  fillReceipt,
  readMail,
} from "../content/email/public.ts";
import { MAX_RECEIPT_DATA, type ReceiptMessage } from "../content/email/receipt/message.pure.ts";
import type { PushContent } from "../content/push/message.pure.ts";
import { compilePush, fillPush, pushPayload } from "../content/push/payload.pure.ts";
import { readTemplateUser } from "../content/template/public.ts";
import { withSamples } from "../content/template/receipt/samples.pure.ts";
import { leavesGap, type TemplateUser } from "../content/template/template.pure.ts";
import { parseAddress } from "../email/addresses/rules.ts";
import { previewEmail } from "../email/sending/public.ts";
import { requireUser } from "../users/profiles/public.ts";
import { previewWeb } from "../web/public.ts";
import { Preview } from "./schema.ts";

/** Stands for the address of a user who has none. */
const NO_ADDRESS = "user@example.com";
const MAX_SHOWN = 80;
/** Stands for the ids of a push that is not sent; as long as theirs are, because they count for the size. */
const NO_ID = "preview-00000000-0000-7000-8000-000000000000";

/** The user whom a message is shown for: one of the project, or one without traits. */
type Reader = { person: TemplateUser; address: string | null; isKnown: boolean };

async function readReader(ctx: Ctx, userId: string | undefined): Promise<Reader> {
  if (userId === undefined)
    return {
      person: readTemplateUser({ externalId: "user", traits: {}, serverTraits: null }),
      address: null,
      isKnown: false,
    };
  const user = await requireUser(ctx, userId);
  // Traits are checked to be an object when they are written.
  const traits = user.traits as Record<string, unknown>;
  const address = typeof traits.email === "string" ? parseAddress(traits.email) : null;
  return { person: readTemplateUser({ ...user, traits }), address: address?.address ?? null, isKnown: true };
}

const remark = (severity: Diagnostic["severity"], code: string, message: string): Diagnostic => ({
  severity,
  code,
  message,
  path: "",
});

/** Says at which personal fields a user has nothing to show, each text by itself. One who is not named has no traits at all. */
function gapsFor(contents: readonly ReadContent[], { person, isKnown }: Reader): Diagnostic[] {
  if (!isKnown) return [];
  const found = new Map<string, Diagnostic>();
  for (const { path, field } of contents.flatMap(personalFields)) {
    const { from, trait, fallback, filters } = field;
    if (fallback !== null || !leavesGap({ from, trait, readsLists: filters !== null }, person)) continue;
    const text = `This user has no ${cutAfter(trait, MAX_SHOWN)}, and there is no default.`;
    const gap = { ...remark("warning", "field_missing", text), path: pointer(path) };
    found.set(JSON.stringify([path, trait]), gap);
  }
  return [...found.values()].slice(0, MAX_DIAGNOSTICS);
}

function webPreview(message: WebMessage, { person }: Reader): Preview {
  const content = previewWeb(message, person);
  const nothing = remark("error", "no_text", "No text is left for this user, who does not get it.");
  return { channel: "web_inapp", content, remarks: content === null ? [nothing] : [] };
}

async function emailPreview(
  ctx: Ctx,
  message: EmailMessage | FilledReceipt,
  { person, address }: Reader,
): Promise<Extract<Preview, { channel: "email" }>> {
  const { mail, fault } = await previewEmail(ctx, message, { address: address ?? NO_ADDRESS, person });
  const remarks = fault === null ? [] : [remark("warning", "channel_not_ready", fault)];
  // A long mail takes long to write, and as long to read, so other requests get a turn in between.
  await setImmediate();
  const { headers, ...shown } = await readMail(mail);
  return { channel: "email", ...shown, headers: [...headers], sample: null, remarks };
}

const NO_MAIL = { from: null, to: null, subject: null, headers: [], html: null, text: null };

async function receiptPreview(
  ctx: Ctx,
  message: ReceiptMessage,
  data: Record<string, unknown> | undefined,
  reader: Reader,
): Promise<Preview> {
  const sample = withSamples(dataPathsIn(message), data);
  const filled = fillReceipt(message, { data: data ?? sample, user: reader.person });
  if ("subject" in filled) return { ...(await emailPreview(ctx, filled, reader)), sample };
  const { reason, message: fault } = explainRefusal(filled);
  return { channel: "email", ...NO_MAIL, sample, remarks: [remark("error", reason, fault)] };
}

function pushPreview(message: PushContent, { person }: Reader): Preview {
  const filled = fillPush(compilePush(message), person);
  if (!("content" in filled)) {
    const why =
      "missing" in filled
        ? remark("error", "trait_missing", `This user has no ${filled.missing}, and so gets no push.`)
        : remark("error", "too_long", filled.fault);
    return { channel: "push", content: null, payloads: [], remarks: [why] };
  }
  const envelope = {
    version: 1 as const,
    targetId: NO_ID,
    attemptId: NO_ID,
    installationId: NO_ID,
    bindingGeneration: 1,
    content: filled.content,
    test: false,
  };
  const written = Platform.options.map((platform) => ({
    platform,
    ...pushPayload(platform, envelope, NO_ID),
  }));
  return {
    channel: "push",
    content: filled.content,
    payloads: written.map((each) => ({
      platform: each.platform,
      payload: "payload" in each ? each.payload : null,
    })),
    // Not every app has browsers among its devices.
    remarks: written.flatMap((each) =>
      "fault" in each ? [remark(each.platform === "web" ? "warning" : "error", "too_large", each.fault)] : [],
    ),
  };
}

function previewFor(
  ctx: Ctx,
  kind: MessageKind,
  message: unknown,
  { data, reader }: { data: string | undefined; reader: Reader },
): Preview | Promise<Preview> {
  // `readMessage` has checked that it has the shape of its kind, and `jsonObject` that the data is the text of an object.
  if (kind === "receipt") {
    const values = data === undefined ? undefined : (JSON.parse(data) as Record<string, unknown>);
    return receiptPreview(ctx, message as ReceiptMessage, values, reader);
  }
  if (kind === "email") return emailPreview(ctx, message as EmailMessage, reader);
  return kind === "push"
    ? pushPreview(message as PushContent, reader)
    : webPreview(message as WebMessage, reader);
}

export const previewMessage = endpoint(
  {
    id: "previewMessage",
    method: "POST",
    path: "/api/people/preview",
    tag: "Campaigns",
    summary: "See a message as one user would get it",
    description:
      "Made by the code that delivers, from a message that need not be stored. Changes nothing, sends nothing. Without `userId` it is for a user without traits. Links are not tracked, and the link to unsubscribe leads nowhere.",
    keys: [],
    people: "viewer",
    cost: "heavy",
    isRead: true,
    bodyLimit: 256 * KIB,
    body: z.object({
      channel: Channel.describe("Where it appears."),
      purpose: z
        .enum(PURPOSES)
        .default("marketing")
        .describe("`transactional` for the text of a template, which is filled with `data`."),
      data: jsonObject(MAX_RECEIPT_DATA)
        .optional()
        .describe("What a template of transactional mail is filled with; samples where it is left out."),
      message: MessageInput.describe("What it says: one variant, named A."),
      userId: storedUserId.optional().describe("The user's id in your product."),
    }),
    example: {
      channel: "web_inapp",
      message: { presentation: "toast", title: 'Hello {{ user.first_name | default: "there" }}' },
      userId: "ada",
    },
    result: Preview,
    errors: ["not_found"],
  },
  async (ctx, { body: { channel, purpose, data, message: given, userId } }) => {
    if (purpose === "transactional" && channel !== "email")
      throw new ApiError("invalid_request", "purpose can be transactional for email alone");
    const kind = messageKindOf({ channel, purpose });
    const message = await readMessage(kind, given, ["message"]);
    const reader = await readReader(ctx, userId);
    const preview = await previewFor(ctx, kind, message, { data, reader });
    const contents = await parseContents(kind, [{ content: message, at: ["message"] }]);
    const { warnings = [] } = await warningsOfRead(ctx, kind, contents);
    return { ...preview, remarks: [...preview.remarks, ...gapsFor(contents, reader), ...warnings] };
  },
);
