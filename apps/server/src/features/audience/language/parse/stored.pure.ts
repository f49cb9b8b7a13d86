import { z } from "zod";
import type { StoredAudience } from "../schema.ts";
import { parseExpression } from "./parse.pure.ts";

const reason = z.string().nullish();
/** As campaigns have stored it since there are any; what an expression says is read by `parseExpression`. */
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

/** A stored audience that cannot be read: it matches nobody. */
type Unreadable = { kind: "invalid"; audienceVersionId: string | null };

/** What a campaign has stored, read with the same suspicion as a request. Takes any value whatsoever and never throws. */
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
