import { z } from "zod";
import { eventName, text } from "../../platform/http/fields.ts";

/** A value that a trait is compared with: strictly, without coercion. */
export type TraitValue = string | number | boolean;

/** A node of an audience expression. The tree says who; `compile.ts` and SQL decide with it. */
export type AudienceNode =
  | { kind: "all"; children: AudienceNode[] }
  | { kind: "not"; child: AudienceNode }
  | { kind: "field"; field: { kind: "trait"; key: string }; op: "eq"; value: TraitValue }
  | { kind: "event"; event: string; count: { op: "gte"; value: number } };

export type AudienceExpression = { version: 1; root: AudienceNode };

/** Nodes of one expression, so that no audience costs more than a moment. */
export const MAX_NODES = 64;
/** Members of one group. */
export const MAX_CHILDREN = 16;

const eventNames = z.array(eventName).max(50);

/** The deprecated flat form: every condition must hold; none at all means everyone. */
export const Targeting = z.object({
  traits: z
    .record(
      text(128),
      z.union([text(1_000, 0), z.number(), z.boolean()], "must be a string, a number, true or false"),
    )
    .optional(),
  events: z.object({ seen: eventNames.optional(), not_seen: eventNames.optional() }).optional(),
});
export type Targeting = z.infer<typeof Targeting>;

/** What a campaign stores: everyone (with the reason given for it), or an expression. */
export type StoredAudience =
  | { kind: "all"; reason?: string | undefined }
  | { kind: "expression"; expression: AudienceExpression; legacy: boolean };

/** An audience in a request. */
export const AudienceInput = z
  .strictObject({ kind: z.literal("all"), reason: text(500, 0).optional() })
  .nullable();

const Expression = z
  .object({ version: z.literal(1), root: z.record(z.string(), z.unknown()) })
  .meta({ id: "AudienceExpression" });

/** An audience in a response. */
export const Audience = z
  .union([
    z.object({ kind: z.literal("all"), reason: z.string().max(500).optional() }),
    z.object({
      kind: z.literal("expression"),
      audienceVersionId: z.string().max(128).nullable(),
      schemaVersion: z.int(),
      expression: Expression,
      expressionHash: z.string().max(64),
      summary: z.string().max(100_000),
      reason: z.string().max(500).nullable(),
      legacy: z.boolean(),
    }),
  ])
  .meta({ id: "CampaignAudience" });
export type Audience = z.infer<typeof Audience>;
