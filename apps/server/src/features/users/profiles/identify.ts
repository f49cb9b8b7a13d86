import { z } from "zod";
import { endpoint } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { userHash } from "../../../platform/http/contract/fields.ts";
import { activePeriods } from "../../counting/usage/public.ts";
import { actAs, keepsVisitors, mustBeProven, personOfUser, visitorMerging } from "../identities/public.ts";
import { claimOf, NAMES_PERSON, namesPerson, personFields } from "../identities/schema.ts";
import { USER_LOOK_ALIKES } from "./look-alikes.ts";
import { mergeUser } from "./merge.ts";
import { NO_TRAIT_CHANGES, withoutServerTraits } from "./rules.ts";
import { Traits } from "./schema.ts";

const MAX_TRIES = 3;
const ERASED_MEANWHILE = "This user is being erased at this moment; try again.";

const NO_TRAITS: ReadonlySet<string> = new Set();

export const identify = endpoint(
  {
    id: "identify",
    method: "POST",
    path: "/api/v1/identify",
    tag: "SDK",
    summary: "Make a user known, merge traits, and join a visitor to them",
    description:
      "Traits are merged key by key; keys that are not sent stay, null takes one away. The user counts as active this period. Traits that are set with the secret key belong to your server: a publishable key cannot change them, nor those of the setting `identity.serverTraits`, nor an `email` that is there, unless the user is proven by their `userHash`. 400 where the user would have more traits than the server allows. With `anonymousId` beside `userId`, the visitor of that browser is the user from now on, with all that they did and got, unless they were another user before (setting `visitors.enabled`). With `anonymousId` alone, the traits are the visitor's.",
    keys: ["publishable", "secret"],
    budget: "identify",
    tool: "Apps and pages send what their users are and do.",
    body: z
      .object({ ...personFields, traits: Traits.optional(), userHash: userHash.optional() })
      .refine(namesPerson, NAMES_PERSON),
    example: { userId: "ada", traits: { plan: "free", email: "ada@example.com" } },
    lookAlikes: USER_LOOK_ALIKES,
    identifies: ({ body }) => claimOf(body),
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
    const { userId, anonymousId } = body;
    const isPair = userId !== undefined && anonymousId !== undefined;
    const named = isPair ? { userId } : body;
    const identifyOnce = () =>
      actAs(ctx.app, ctx.projectId, named, (person) =>
        mustBeProven(ctx, person)
          ? Promise.resolve([...changes.names, ...changes.removed])
          : mergeUser(ctx, { person, changes, firstSeenAt: null, period: periodOf(ctx.now) }),
      );
    // Where visitors are not kept, the user is no less known: pages go on working when visitors are switched off.
    const isJoining = isPair && (await keepsVisitors(ctx.app, ctx.projectId));
    const becomesUser = () =>
      !isJoining ||
      ctx.app.ask(visitorMerging)(ctx, { anonymousId, user: personOfUser(ctx.projectId, userId) });
    let kept = await identifyOnce();
    for (let tries = 1; !(await becomesUser()); tries++) {
      if (tries === MAX_TRIES) throw new ApiError("unavailable", ERASED_MEANWHILE);
      // The user was erased in between, and is known anew.
      kept = await identifyOnce();
    }
    const all = [...ignored, ...kept];
    return { ok: true as const, ...(all.length === 0 ? {} : { ignored: all }) };
  },
);
