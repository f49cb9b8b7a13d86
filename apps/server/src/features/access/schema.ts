import { z } from "zod";
import { epochMs, text } from "../../platform/http/contract/fields.ts";

export const keyKind = z.enum(["publishable", "secret", "agent", "send"]);

export const keyId = z
  .string()
  .regex(/^[0-9a-f]{32}$/, "must be the id of a key")
  .describe("Id of the key, which is made of its hash.");

/** A key that works. */
export const Key = z
  .object({
    id: keyId,
    kind: keyKind.describe(
      "What it is for: pages and apps, servers, the agent, or transactional mail alone.",
    ),
    publishableKey: text(64)
      .nullable()
      .describe("The key itself where it is publishable; of others only a hash is kept."),
    ending: text(4)
      .nullable()
      .describe("Its last four characters; null for keys that were made before these were kept."),
    isLent: z.boolean().describe("Whether Tidings made it for its own agent, for a short time."),
    createdAt: epochMs.describe("When it was made, in epoch milliseconds."),
    expiresAt: epochMs.nullable().describe("When it stops working, in epoch milliseconds; null for never."),
  })
  .meta({ id: "Key" });

export const KeyMade = z.object({
  key: text(64).describe("The key, shown this once: only its hash is kept."),
  kind: keyKind.describe("What it is for."),
});

/** The longest that a former key goes on working, in minutes: 30 days. */
export const MAX_GRACE_MINUTES = 43_200;

export const graceMinutes = z.int().min(0).max(MAX_GRACE_MINUTES);

/** What people call a project, as the command line takes it. */
export const projectName = text(80)
  .transform((typed) => typed.trim())
  .refine(
    (name) => name !== "" && !/\p{Cc}/u.test(name),
    "must not be blank, nor contain control characters",
  );
