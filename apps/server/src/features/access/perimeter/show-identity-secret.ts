import { z } from "zod";
import { endpoint, personOf } from "../../../platform/http/contract/endpoint.ts";
import { text } from "../../../platform/http/contract/fields.ts";
import { orInvalid } from "../../../platform/settings/or-invalid.ts";
import { DAY_MS, MINUTE_MS } from "../../../platform/time/clock.ts";
import { identitySecret } from "./identity-secret.ts";

/** The longest that a former secret is believed, in minutes: 30 days. */
const MAX_GRACE_MINUTES = 43_200;

export const showIdentitySecret = endpoint(
  {
    id: "showIdentitySecret",
    method: "POST",
    path: "/api/people/settings/identity-secret",
    audit: "asked for the identity secret",
    tag: "Settings",
    summary: "Show the secret that user hashes are made with, or replace it",
    description: "It is made on first use. A former one is believed for the grace period.",
    keys: [],
    people: "owner",
    fresh: true,
    secretAnswer: true,
    body: z.object({
      rotate: z.boolean().default(false).describe("Make another one."),
      graceMinutes: z
        .int()
        .min(0)
        .max(MAX_GRACE_MINUTES)
        .default(DAY_MS / MINUTE_MS)
        .describe("How long the present one is still believed, in minutes: 30 days at most."),
    }),
    example: {},
    result: z.object({
      secret: text(128).describe("The secret, for servers alone."),
      isNew: z.boolean().describe("Whether it was made just now."),
    }),
  },
  async (ctx, { body: { rotate, graceMinutes } }) => {
    const { db, now, app, projectId } = ctx;
    const wanted = { rotate, graceMs: graceMinutes * MINUTE_MS };
    const { secret, isNew, isFirst } = await orInvalid(
      identitySecret(app, db, projectId, wanted, { by: personOf(ctx).name, now }),
    );
    const replaced = isNew && !isFirst ? { graceMinutes } : {};
    ctx.describe({ after: { secret: isFirst ? "made" : isNew ? "replaced" : "shown", ...replaced } });
    return { secret, isNew };
  },
);
