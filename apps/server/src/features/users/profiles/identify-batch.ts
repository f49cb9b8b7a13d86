import { z } from "zod";
import { externalUserId } from "../../../domain/fields.ts";
import { Unkept } from "../../../platform/http/body/body.ts";
import { closed } from "../../../platform/http/contract/closed.ts";
import { type Ctx, endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { explainIssue } from "../../../platform/http/contract/explain-issue.ts";
import { instant } from "../../../platform/http/contract/fields.ts";
import { type ItemResult, itemResults, withCounts } from "../../../platform/http/contract/item-results.ts";
import { activePeriods } from "../../counting/usage/public.ts";
import { personOfUser } from "../identities/public.ts";
import { mergeUser } from "./merge.ts";
import { NO_TRAIT_CHANGES } from "./rules.ts";
import { Traits } from "./schema.ts";

const MAX_USERS = 500;

const BatchUser = z.object({
  userId: externalUserId.describe("Your id of the user."),
  traits: Traits.optional().describe(
    "Merged key by key; null takes a trait away. At most 4096 bytes as compact JSON.",
  ),
  firstSeenAt: instant
    .optional()
    .describe(
      "For history that is brought in: when your product saw the user first, not in the future. It only ever moves that back, and the user is neither seen now nor active for it.",
    ),
});

/** Items are parsed below and not by the platform, so that their unknown fields have to be refused here. */
const ClosedUser = closed(BatchUser);

/** Items are parsed one by one, so that each gets its own answer; the contract still says what they are. */
const { $schema: _, ...userShape } = z.toJSONSchema(ClosedUser, { io: "input", unrepresentable: "any" });
const describedOnly = z.unknown().meta(userShape);

/** Identifies one user of the batch. A refused item does not keep the others from being written. */
async function identifyItem(ctx: Ctx, item: unknown, period: number): Promise<ItemResult<{ ok: true }>> {
  if (item instanceof Unkept) return { ok: false, error: item.fault("user") };
  const parsed = ClosedUser.safeParse(item, { reportInput: true });
  if (!parsed.success) return { ok: false, error: explainIssue(parsed.error, "user") };
  const { userId, traits = NO_TRAIT_CHANGES, firstSeenAt = null } = parsed.data;
  if (firstSeenAt !== null && firstSeenAt > ctx.now)
    return { ok: false, error: "firstSeenAt must not be in the future" };
  try {
    const seen = firstSeenAt === null ? { firstSeenAt, period } : { firstSeenAt, period: null };
    await mergeUser(ctx, { person: personOfUser(ctx.projectId, userId), changes: traits, ...seen });
    return { ok: true };
  } catch (error) {
    if (!(error instanceof ApiError)) throw error;
    if (error.cause !== undefined)
      ctx.app.log.error({ err: error.cause }, "a user of a batch could not be identified");
    return { ok: false, error: error.message };
  }
}

export const identifyBatch = endpoint(
  {
    id: "identifyBatch",
    method: "POST",
    path: "/api/v1/identify/batch",
    tag: "SDK",
    summary: "Make up to 500 users known, and say what your server knows of them",
    description:
      "For servers and imports. Traits that are set so belong to your server: no publishable key changes them. A user with `firstSeenAt` is history; any other counts as active this period. Answers per user, in order, and counts who was taken and who was refused; one that is refused does not hold up the others. Safe to repeat.",
    keys: ["secret"],
    budget: "identify_batch",
    tool: "Apps and pages send what their users are and do.",
    isMerge: true,
    items: { field: "users", max: MAX_USERS },
    body: z.object({
      users: z.array(describedOnly).min(1).max(MAX_USERS).describe("1 to 500 users. One may be there twice."),
    }),
    example: {
      users: [
        { userId: "ada", traits: { plan: "pro", email: "ada@example.com" }, firstSeenAt: 1577836800000 },
      ],
    },
    result: itemResults(
      z.object({ ok: z.literal(true).describe("The user is known, with these traits.") }),
      MAX_USERS,
    ),
  },
  async (ctx, { body }) => {
    const period = (await activePeriods(ctx.app, ctx.projectId))(ctx.now);
    return withCounts(await Promise.all(body.users.map((item) => identifyItem(ctx, item, period))));
  },
);
