import type { Answer, Input } from "@tidings/client";
import { parseTypedJson } from "../../platform/typed-json.ts";
import { type Expression, newField } from "../../ui/audience/tree.pure.ts";

export type Segment = Answer<"getSegment">["segment"];
export type FoundSegment = Answer<"searchSegments">["segments"][number];
export type Version = Answer<"listSegmentHistory">["versions"][number];
export type SegmentStatus = Segment["status"];

export const SEGMENT_STATUSES: readonly SegmentStatus[] = ["active", "archived"];

/**
 * A segment as a person writes it. `json` is its rule as text while it is written so; null while it is built of conditions. `base` is the
 * version that it began with; null for a new segment. `isOwnKey`: the key was typed, so it does not follow the name.
 */
export type SegmentDraft = {
  key: string;
  isOwnKey: boolean;
  name: string;
  description: string;
  expression: Expression;
  json: string | null;
  reason: string;
  base: number | null;
};

export const newSegmentDraft = (): SegmentDraft => ({
  key: "",
  isOwnKey: false,
  name: "",
  description: "",
  reason: "",
  expression: { version: 1, root: newField() },
  json: null,
  base: null,
});

export const draftFromSegment = ({
  key,
  name,
  description,
  expression,
  currentVersion,
}: Segment): SegmentDraft => ({
  key,
  isOwnKey: true,
  name,
  description: description ?? "",
  reason: "",
  expression,
  json: null,
  base: currentVersion,
});

const MAX_KEY = 64;

/** A key that the server takes, made of a name; nothing where the name has no letter or digit for one. */
export const keyOf = (name: string): string =>
  name
    .normalize("NFKD")
    .toLowerCase()
    .replace(/\p{M}/gu, "")
    .replace(/[^a-z0-9]+/g, "-")
    .slice(0, MAX_KEY)
    .replace(/^-+|-+$/g, "");

/** A draft with another name, which the key follows until it is typed. */
export const renameDraft = (draft: SegmentDraft, name: string): SegmentDraft => ({
  ...draft,
  name,
  ...(!draft.isOwnKey && { key: keyOf(name) }),
});

/** The rule of a draft: what was built, or what the text says. */
export type Rule = { rule: Expression } | { fault: string };

/** @returns the expression, which the server checks, or why the text is no JSON */
export function ruleOf({ json, expression }: Pick<SegmentDraft, "json" | "expression">): Rule {
  if (json === null) return { rule: expression };
  try {
    // The server says what is wrong with it, so it may be anything.
    return { rule: parseTypedJson(json) as Expression };
  } catch (error) {
    return { fault: error instanceof Error ? error.message : String(error) };
  }
}

export const expressionJson = (expression: unknown): string => JSON.stringify(expression, null, 2);

const isSame = (one: unknown, other: unknown): boolean => JSON.stringify(one) === JSON.stringify(other);

type NewBody = Input<"createSegment">["body"];
type Change = Input<"updateSegment">["body"];

/** The request that makes a segment. */
export const segmentBody = (
  { key, name, description, reason }: SegmentDraft,
  expression: Expression,
): NewBody => ({
  key,
  name,
  expression,
  ...(description !== "" && { description }),
  ...(reason !== "" && { reason }),
});

/** What a draft changes of a segment; null where it changes nothing. Another rule makes the next version after the one it began with. */
export function segmentPatch(
  { name, description, reason, base }: SegmentDraft,
  rule: Expression,
  segment: Segment,
): Change | null {
  const change: Change = {
    ...(name !== segment.name && { name }),
    ...(description !== (segment.description ?? "") && {
      description: description === "" ? null : description,
    }),
    ...(!isSame(rule, segment.expression) && {
      expression: rule,
      expectedVersion: base ?? segment.currentVersion,
      ...(reason !== "" && { reason }),
    }),
  };
  return Object.keys(change).length === 0 ? null : change;
}
