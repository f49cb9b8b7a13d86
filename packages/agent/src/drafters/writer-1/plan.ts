import { beginningOf } from "@tidings/client/text";
import { isObject, isPlain, type Json } from "../../policies/model-1/plain.ts";
import { DraftFault, revision, type SourceClaim, type SourceOp, withdrawals } from "../drafter.ts";

const text = (description: string) => ({ type: "string", description });
const shas = { type: "array", items: { type: "string" }, description: "Commits, by their whole sha." };

/** The arguments of the tool `plan`. Part of `writer@1`. */
export const PLAN_PARAMETERS = {
  type: "object",
  additionalProperties: false,
  required: ["reason"],
  properties: {
    reason: text("Why this plan, in one to three plain sentences for people."),
    create: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["shas", "name"],
        properties: {
          shas,
          name: text("What the campaign is called among colleagues, at most 80 characters."),
          channel: { type: "string", enum: ["web_inapp", "email"], description: "web_inapp without it." },
          title: text("Of a web message."),
          subject: text("Of an email."),
          body: text("Of a web message, plain; of an email, Markdown."),
        },
      },
    },
    revise: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["shas", "campaignId", "edits"],
        properties: {
          shas,
          campaignId: text("A draft."),
          edits: {
            type: "array",
            items: {
              type: "object",
              additionalProperties: false,
              required: ["variantId", "field", "before", "after"],
              properties: {
                variantId: text("A variant of the draft."),
                field: { type: "string", enum: ["title", "body", "subject", "previewText", "cta.label"] },
                before: text("A part of the text that stands in it exactly once."),
                after: text("What takes its place."),
              },
            },
          },
        },
      },
    },
    skip: {
      type: "array",
      items: {
        type: "object",
        additionalProperties: false,
        required: ["shas", "reason"],
        properties: { shas, reason: text("Why users do not notice them.") },
      },
    },
  },
} as const;

const textOf = (value: unknown, most: number): string | undefined =>
  typeof value === "string" && value.trim() !== "" ? beginningOf(value, most) : undefined;

const listOf = (value: unknown): Json[] => (Array.isArray(value) ? value.filter(isObject) : []);

type Field = Extract<SourceOp, { op: "revise" }>["patch"]["variants"] extends
  | readonly { edits: readonly { field: infer Name }[] }[]
  | undefined
  ? Name
  : never;

/** Commits of the claim that an entry names, none of which an entry before it has. */
const taker = (claim: SourceClaim) => {
  const left = new Set(claim.changes.map(({ sha }) => sha));
  const take = (named: unknown): string[] =>
    Array.isArray(named)
      ? named.filter((sha): sha is string => typeof sha === "string" && left.delete(sha))
      : [];
  return { left, take };
};

function creationOf({ name, channel, title, subject, body }: Json, taken: string[]): SourceOp {
  const isEmail = channel === "email";
  const texts = isEmail
    ? { subject: textOf(subject ?? title, 200), body: textOf(body, 50_000) }
    : { presentation: "toast", title: textOf(title ?? subject, 120), body: textOf(body, 600) };
  const message = Object.fromEntries(Object.entries(texts).filter(([, value]) => value !== undefined));
  return {
    op: "create",
    shas: taken,
    campaign: { name: textOf(name, 80) ?? "From code", channel: isEmail ? "email" : "web_inapp", message },
  };
}

function revisionOf(claim: SourceClaim, { campaignId, edits }: Json, taken: string[]): SourceOp {
  const byVariant = Map.groupBy(listOf(edits), ({ variantId }) => String(variantId));
  const variants = [...byVariant].map(([id, group]) => ({
    id,
    edits: group.map(({ field, before, after }) => ({
      // The server refuses a field that there is not.
      field: String(field) as Field,
      before: String(before),
      after: String(after),
    })),
  }));
  return revision(claim, { op: "revise", shas: taken, campaignId: String(campaignId), patch: { variants } });
}

/**
 * The plan that a call of the tool means. What it leaves out is skipped, and what was taken back is withdrawn as the claim proposes it; texts
 * are cut to what a message takes, and the server looks at all the rest. @throws DraftFault for arguments that are none
 */
export function planOf(claim: SourceClaim, input: unknown): { rationale: string; ops: SourceOp[] } {
  if (!isObject(input) || !isPlain(input))
    throw new DraftFault("The model's plan is no object that can be stored.");
  const { left, take } = taker(claim);
  const ops: SourceOp[] = [];
  for (const each of listOf(input.create)) {
    const taken = take(each.shas);
    if (taken.length > 0) ops.push(creationOf(each, taken));
  }
  for (const each of listOf(input.revise)) {
    const taken = take(each.shas);
    if (taken.length > 0) ops.push(revisionOf(claim, each, taken));
  }
  ops.push(...withdrawals(claim));
  for (const each of listOf(input.skip)) {
    const taken = take(each.shas);
    const reason = textOf(each.reason, 2_000) ?? "The model gave no reason.";
    if (taken.length > 0) ops.push({ op: "skip", shas: taken, reason });
  }
  if (left.size > 0) ops.push({ op: "skip", shas: [...left], reason: "The model left them out." });
  return { rationale: textOf(input.reason, 4_000) ?? "The model gave no reason.", ops };
}
