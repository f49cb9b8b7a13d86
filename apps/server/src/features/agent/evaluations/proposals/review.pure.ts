import { cutText } from "@tidings/client/text";
import { wordOps } from "@tidings/client/word-ops";
import {
  readingsOf,
  messageTexts as textsOfMessage,
} from "../../../campaigns/authoring/message/texts.pure.ts";
import type { CampaignDetail, Channel } from "../../../campaigns/authoring/schema.ts";
import type { AffectedFields } from "../changes/affected.pure.ts";
import { MAX_READ, type ProposalReview } from "../schema.ts";

type Change = ProposalReview["changes"][number];

const isObject = (value: unknown): value is Record<string, unknown> =>
  typeof value === "object" && value !== null && !Array.isArray(value);

/** What differs between two values, down to the fields of objects. */
function differences(path: string, before: unknown, after: unknown): Change[] {
  if (isObject(before) && isObject(after)) {
    const keys = new Set([...Object.keys(before), ...Object.keys(after)]);
    return [...keys].flatMap((key) => differences(`${path}.${key}`, before[key], after[key]));
  }
  if (JSON.stringify(before) === JSON.stringify(after)) return [];
  return [{ path, before: before ?? null, after: after ?? null }];
}

/** Every field that differs between two readings of a campaign. */
export const changesBetween = (before: AffectedFields, after: AffectedFields): Change[] =>
  [...new Set([...Object.keys(before), ...Object.keys(after)])].flatMap((path) =>
    differences(path, before[path], after[path]),
  );

/** Every field that a change sets to something else. `base` has at least the fields that it sets. */
export const fieldChanges = (base: AffectedFields, set: AffectedFields): Change[] =>
  Object.entries(set).flatMap(([path, value]) => differences(path, base[path], value));

/** The changed texts, word by word. Ids are no texts. */
export const changedTexts = (changes: readonly Change[]): ProposalReview["texts"] =>
  changes.flatMap(({ path, before, after }) =>
    typeof before === "string" && typeof after === "string" && !/(status|Id)$/.test(path)
      ? [{ path, ops: wordOps(before, after) }]
      : [],
  );

/** Whom a campaign is for. */
export function audienceInWords({ audience }: Pick<CampaignDetail, "audience">): string {
  if (audience.kind === "invalid") return "an audience that cannot be read: nobody";
  return "summary" in audience ? audience.summary : "all users";
}

/** The same with the name, id and version of a segment, since another one may have the same rule. @param names by ids */
export function audienceWithNames(
  audience: CampaignDetail["audience"],
  names: Readonly<Record<string, string>>,
): string {
  const summary = audienceInWords({ audience });
  if (audience.kind !== "segment") return summary;
  const { segmentId, segmentVersion } = audience;
  const called = names[segmentId] === undefined ? segmentId : `${names[segmentId]} (${segmentId})`;
  return `segment ${called}, version ${segmentVersion}: ${summary}`;
}

/** The texts of a message as users without any traits read them: no markup, and what personal fields have instead of a trait. */
export const readTexts = (channel: Channel, content: unknown): { field: string; text: string }[] =>
  textsOfMessage(channel, content).flatMap((each) => {
    const text = (readingsOf(each).at(-1) ?? "").trim();
    return text === "" ? [] : [{ field: each.field, text: cutText(text, MAX_READ) }];
  });
