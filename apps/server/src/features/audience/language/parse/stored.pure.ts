import { z } from "zod";
import type { StoredAudience } from "../schema.ts";
import { parseExpression } from "./parse.pure.ts";

const reason = z.string().nullish();
/** The stored form of all campaigns, new and old; `parseExpression` reads the expression in it. */
const Stored = z.discriminatedUnion("kind", [
  z.object({ kind: z.literal("all"), reason: z.string().optional() }),
  z.object({
    kind: z.literal("expression"),
    audienceVersionId: z.string().nullish(),
    expression: z.unknown(),
    reason,
    legacy: z.boolean(),
  }),
  z.object({
    kind: z.literal("segment"),
    audienceVersionId: z.string(),
    segmentId: z.string(),
    segmentVersion: z.int().min(1),
    expression: z.unknown(),
    reason,
  }),
]);
const Version = z.object({ audienceVersionId: z.string() });

/** What people read of a campaign whose audience cannot be read. */
export const UNREADABLE_AUDIENCE =
  "The audience of this campaign cannot be read, so nobody new gets it: choose another one.";

/** A stored audience that cannot be read: it matches no user. */
export type Unreadable = { kind: "invalid"; audienceVersionId: string | null };

/** Reads the stored audience of a campaign, checking it like a request's. Takes any value and never throws. */
export function readStored(value: unknown): StoredAudience | Unreadable {
  const stored = Stored.safeParse(value);
  if (stored.success) {
    if (stored.data.kind === "all") return stored.data;
    const parsed = parseExpression(stored.data.expression);
    if (parsed.ok) return { ...stored.data, expression: parsed.expression };
  }
  const version = Version.safeParse(value);
  return { kind: "invalid", audienceVersionId: version.success ? version.data.audienceVersionId : null };
}
