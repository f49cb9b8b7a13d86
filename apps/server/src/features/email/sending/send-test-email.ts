import { z } from "zod";
import { pathIds, storedUserId } from "../../../domain/fields.ts";
import { uuidFor } from "../../../domain/ids.ts";
import { type Ctx, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { jsonObject, text } from "../../../platform/http/contract/fields.ts";
import {
  readAllocation,
  requireCampaign,
  warningsOf,
  withWarnings,
} from "../../campaigns/authoring/public.ts";
import { messageKindOf } from "../../campaigns/authoring/rules.ts";
import type { EmailMessage } from "../../content/email/message.pure.ts";
import { explainRefusal, type FilledReceipt, fillReceipt } from "../../content/email/public.ts";
import { MAX_RECEIPT_DATA } from "../../content/email/receipt/message.pure.ts";
import { readTemplateUser } from "../../content/template/public.ts";
import type { TemplateUser } from "../../content/template/template.pure.ts";
import { assertMayReachUsers, roleOf } from "../../people/public.ts";
import { requireUser } from "../../users/profiles/public.ts";
import { parseAddress } from "../addresses/rules.ts";
import { assertServing, sendTestMail, TEST_REASONS } from "./test-mail.ts";
import { readVariants } from "./variants-store.ts";

/** The content of the requested variant, or of the first one. */
async function contentOf(ctx: Ctx, campaignId: string, variantId: string | undefined) {
  const allocation = await readAllocation(ctx.db, ctx.projectId, campaignId);
  const id = variantId === undefined ? allocation?.variants[0]?.id : uuidFor("var", variantId);
  const variants = await readVariants(ctx.db, ctx.projectId, [campaignId]);
  const content = variants.get(id ?? "");
  if (content === undefined) throw new ApiError("not_found", "Variant not found");
  return content.message;
}

/** The user whose traits fill the personal fields; a person without traits where no user is named. */
async function readPerson(ctx: Ctx, userId: string | undefined) {
  if (userId === undefined)
    return { person: readTemplateUser({ externalId: "test", traits: {}, serverTraits: null }), user: null };
  const user = await requireUser(ctx, userId);
  // Traits are checked to be an object when they are written.
  const person = readTemplateUser({ ...user, traits: user.traits as Record<string, unknown> });
  return { person, user: { lane: user.lane, userKey: user.userKey } };
}

/** @throws ApiError for data that lacks a value, or has one that cannot be used */
function filled(message: EmailMessage, data: string, user: TemplateUser): FilledReceipt {
  // `jsonObject` has checked that it is the text of an object.
  const receipt = fillReceipt(message, { data: JSON.parse(data) as Record<string, unknown>, user });
  if ("subject" in receipt) return receipt;
  const { reason, message: fault } = explainRefusal(receipt);
  throw new ApiError("invalid_request", fault, { fields: { reason } });
}

/** Whether an address is that of the person who asks. */
const isOwnAddress = (ctx: Ctx, address: string): boolean =>
  ctx.keyKind === "none" && ctx.person?.email.toLowerCase() === address.toLowerCase();

export const sendTestEmail = endpoint(
  {
    id: "sendTestEmail",
    method: "POST",
    path: "/api/v1/campaigns/{id}/email/test",
    audit: "sent a mail as a test",
    tag: "Email",
    summary: "Send a campaign's email to one address, as a test",
    description:
      "Works for drafts. Personal fields are filled from `userId`. Nothing is counted, no link is tracked, and it has no link to unsubscribe. 429 once enough of them left a project within an hour. 409 while `emailServing` of the organization's usage is paused.",
    keys: ["secret"],
    people: "editor",
    reachesUsers: true,
    budget: "campaigns",
    tool: "It reaches people or their devices at once.",
    ownTransaction: true,
    params: z.object({ id: pathIds.campaign }),
    body: z.object({
      address: text(320).describe("Who gets it."),
      userId: storedUserId
        .optional()
        .describe("Whose traits fill the personal fields; nobody's where it is left out."),
      variantId: text(128).optional().describe("The variant to send; the first where it is left out."),
      data: jsonObject(MAX_RECEIPT_DATA)
        .default("{}")
        .describe("What a template of transactional mail is filled with; for no other campaign."),
    }),
    example: { address: "me@example.com", userId: "ada" },
    result: z.object({
      messageId: z
        .string()
        .max(512)
        .meta({ description: "Message-ID of the mail.", example: "<tst_1@example.com>" }),
      response: z.string().max(1_000).meta({ description: "What the mail server said.", example: "250 OK" }),
      ...withWarnings,
    }),
    errors: ["not_found", "conflict"],
    reasons: TEST_REASONS,
  },
  async (ctx, { params, body }) => {
    const to = parseAddress(body.address);
    if (to === null) throw new ApiError("invalid_request", "address must be an email address");
    if (!isOwnAddress(ctx, to.address)) await assertMayReachUsers(ctx, roleOf(ctx), "test");
    const campaign = await requireCampaign(ctx, params.id);
    if (campaign.channel !== "email") throw new ApiError("conflict", "This is not an email campaign.");
    await assertServing(ctx);
    const message = await contentOf(ctx, campaign.id, body.variantId);
    const { person, user } = await readPerson(ctx, body.userId);
    const kind = messageKindOf(campaign);
    const content = kind === "receipt" ? filled(message, body.data, person) : message;
    const warned = await warningsOf(ctx, kind, [{ content: message, at: [] }]);
    const { messageId, response } = await sendTestMail(
      ctx,
      { to, person, user, content },
      { campaignId: params.id },
    );
    return { messageId, response, ...warned };
  },
);
