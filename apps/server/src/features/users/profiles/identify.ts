import { z } from "zod";
import { externalUserId } from "../../../domain/fields.ts";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { userHash } from "../../../platform/http/contract/fields.ts";
import { activePeriods } from "../../counting/usage/public.ts";
import { USER_LOOK_ALIKES } from "./look-alikes.ts";
import { mergeUser } from "./merge.ts";
import { NO_TRAIT_CHANGES, withoutServerTraits } from "./rules.ts";
import { Traits } from "./schema.ts";

const NO_TRAITS: ReadonlySet<string> = new Set();

export const identify = endpoint(
  {
    id: "identify",
    method: "POST",
    path: "/api/v1/identify",
    tag: "SDK",
    summary: "Make a user known and merge traits",
    description:
      "Traits are merged key by key; keys that are not sent stay, null takes one away. The user counts as active this period. Traits that are set with the secret key belong to your server: a publishable key cannot change them, nor those of the setting `identity.serverTraits`, nor an `email` that is there, unless the user is proven by their `userHash`. 400 where the user would have more traits than the server allows.",
    keys: ["publishable", "secret"],
    budget: "identify",
    tool: "Apps and pages send what their users are and do.",
    body: z.object({
      userId: externalUserId,
      traits: Traits.optional(),
      userHash: userHash.optional(),
    }),
    example: { userId: "ada", traits: { plan: "free", email: "ada@example.com" } },
    lookAlikes: USER_LOOK_ALIKES,
    identifies: ({ body }) => body,
    result: z.object({
      ok: z.literal(true).describe("Whether it was taken."),
      ignored: z
        .array(z.string().max(4_096))
        .max(2_000)
        .optional()
        .describe("Traits that stay as they were: they are not for a publishable key to change."),
    }),
  },
  async (ctx, { body }) => {
    const periodOf = await activePeriods(ctx.app, ctx.projectId);
    const closed = ctx.keyKind === "secret" ? NO_TRAITS : (ctx.perimeter?.serverTraits ?? NO_TRAITS);
    const { changes, ignored } = withoutServerTraits(body.traits ?? NO_TRAIT_CHANGES, closed);
    const kept = await mergeUser(ctx, {
      userId: body.userId,
      changes,
      firstSeenAt: null,
      period: periodOf(ctx.now),
    });
    const all = [...ignored, ...kept];
    return { ok: true as const, ...(all.length === 0 ? {} : { ignored: all }) };
  },
);
