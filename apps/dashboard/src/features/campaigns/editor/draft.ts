import type { Input } from "@tidings/client";
import { beginningOf } from "@tidings/client/text";
import type { CampaignDetail, Channel } from "../../../platform/api-types.ts";
import { audienceFor, type DraftAudience, isBegun } from "../../../ui/audience/choice.ts";
import { type Timing, USUAL_TIMING } from "../../../ui/campaigns/timing-words.ts";
import type { VisitorsMet } from "../../../ui/campaigns/visitors-words.ts";
import {
  type DraftContent,
  EMPTY_MESSAGES,
  messageOf,
  NEW_PUSH,
  type Push,
  pagesOf,
} from "../../../ui/message-fields/content.ts";

type Body = Input<"createCampaign">["body"];
export type Patch = Input<"updateCampaign">["body"];
/** A variant; `id` is null for one that the server has not seen. */
export type DraftVariant = {
  id: string | null;
  name: string;
  weight: number;
  isControl: boolean;
  content: DraftContent;
};

/** A campaign as a person writes it. When it leaves is as usual on the web, and in a template. */
export type CampaignDraft = Timing & {
  channel: Channel;
  name: string;
  audience: DraftAudience;
  /** Whether it is for visitors who are not signed in; never but on the web. */
  visitors: VisitorsMet;
  /** One pattern on each line; none for every page. */
  pages: string;
  goalId: string | null;
  /** What it is about; null for everything, and on the web. */
  topicId: string | null;
  /** Whether it ends by itself with the users who match when it is launched; never on the web. */
  once: boolean;
  /** Epoch ms; null is no bound. */
  deliverFrom: number | null;
  deliverUntil: number | null;
  push: Push | null;
  /** What requests call it, where it is a template of receipts; null for a campaign. It stays as it was made. */
  template: { key: string; isSensitive: boolean } | null;
  variants: readonly DraftVariant[];
};

/** A draft of nothing, for a new campaign. */
export const newCampaignDraft = (channel: Channel): CampaignDraft => ({
  channel,
  name: "",
  audience: { kind: "all" },
  visitors: "none",
  pages: "",
  goalId: null,
  topicId: null,
  deliverFrom: null,
  deliverUntil: null,
  // Mail is a newsletter unless the person says otherwise.
  once: channel === "email",
  ...USUAL_TIMING,
  push: channel === "push" ? NEW_PUSH : null,
  template: null,
  variants: [{ id: null, name: "A", weight: 1, isControl: true, content: EMPTY_MESSAGES[channel] }],
});

/** A draft of nothing, for a new template of receipts. */
export const newTemplateDraft = (): CampaignDraft => ({
  ...newCampaignDraft("email"),
  once: false,
  template: { key: "", isSensitive: false },
});

/** The draft of a campaign as it is. */
export const draftFromCampaign = (campaign: CampaignDetail): CampaignDraft => {
  const { channel, name, goalId, topicId, visitors, deliverFrom, deliverUntil, once } = campaign;
  const { sendTime, priority, patienceHours, urgent } = campaign;
  return {
    channel,
    name,
    goalId,
    topicId,
    visitors,
    deliverFrom,
    deliverUntil,
    once,
    sendTime,
    priority,
    patienceHours,
    urgent,
    audience: audienceFor(campaign.audience) ?? { kind: "invalid" },
    pages: (campaign.pages ?? []).join("\n"),
    push: campaign.push,
    template: campaign.key === null ? null : { key: campaign.key, isSensitive: campaign.sensitive },
    variants: campaign.variants.map(({ id, name: called, weight, isControl, content }) => ({
      id,
      name: called,
      weight,
      isControl,
      content: content as DraftContent,
    })),
  };
};

const audienceOf = (audience: DraftAudience): Body["audience"] | undefined =>
  audience.kind === "invalid" ? undefined : audience;

/** A draft as it can save itself: with the audience that the server has while another one is only begun. */
export const withoutBegun = (base: CampaignDraft, draft: CampaignDraft): CampaignDraft =>
  isBegun(draft.audience) ? { ...draft, audience: base.audience } : draft;

/** The body that makes a campaign of a draft. */
export function campaignBody(draft: CampaignDraft): Body {
  const { channel, name, goalId, topicId, deliverFrom, deliverUntil, once, push, template } = draft;
  const { sendTime, priority, patienceHours, urgent } = draft;
  const audience = audienceOf(draft.audience);
  const variants = draft.variants.map(({ name: called, weight, isControl, content }) => ({
    name: called,
    weight,
    isControl,
    message: messageOf(content),
  }));
  // A template goes to the recipients that requests name.
  if (template !== null)
    return {
      channel,
      name,
      purpose: "transactional",
      key: template.key,
      sensitive: template.isSensitive,
      variants,
    };
  return {
    channel,
    name,
    goalId,
    deliverFrom,
    deliverUntil,
    ...(audience !== undefined && { audience }),
    ...(channel === "web_inapp"
      ? { visitors: draft.visitors, pages: pagesOf(draft.pages) }
      : { once, topicId, sendTime, priority, patienceHours, urgent }),
    ...(push !== null && { push }),
    variants,
  };
}

const differ = (one: unknown, other: unknown): boolean => JSON.stringify(one) !== JSON.stringify(other);

/** What differs between two variants; null where nothing does. One that the server has not seen comes whole. */
function variantPatch(before: DraftVariant | undefined, after: DraftVariant) {
  const { id, name, weight, isControl } = after;
  const message = messageOf(after.content);
  if (before === undefined || id === null) return { name, weight, isControl, message };
  const changes = {
    ...(name !== before.name && { name }),
    ...(weight !== before.weight && { weight }),
    // The server takes the flag from the one that had it.
    ...(isControl && !before.isControl && { isControl }),
    ...(differ(message, messageOf(before.content)) && { message }),
  };
  return Object.keys(changes).length === 0 ? null : { id, ...changes };
}

/** The request that makes `before` what `after` is; null where they are the same. */
export function patchOf(before: CampaignDraft, after: CampaignDraft): Patch | null {
  const audience = audienceOf(after.audience);
  const variants = after.variants
    .map((variant, index) => variantPatch(before.variants[index], variant))
    .filter((each) => each !== null);
  const patch: Patch = {
    ...(after.name !== before.name && { name: after.name }),
    ...(audience !== undefined && differ(audience, before.audience) && { audience }),
    ...(after.visitors !== before.visitors && { visitors: after.visitors }),
    ...(differ(pagesOf(after.pages), pagesOf(before.pages)) && { pages: pagesOf(after.pages) }),
    ...(after.goalId !== before.goalId && { goalId: after.goalId }),
    ...(after.topicId !== before.topicId && { topicId: after.topicId }),
    ...(after.deliverFrom !== before.deliverFrom && { deliverFrom: after.deliverFrom }),
    ...(after.deliverUntil !== before.deliverUntil && { deliverUntil: after.deliverUntil }),
    ...(after.once !== before.once && { once: after.once }),
    ...(differ(after.sendTime, before.sendTime) && { sendTime: after.sendTime }),
    ...(after.priority !== before.priority && { priority: after.priority }),
    ...(after.patienceHours !== before.patienceHours && { patienceHours: after.patienceHours }),
    ...(after.urgent !== before.urgent && { urgent: after.urgent }),
    ...(after.push !== null && differ(after.push, before.push) && { push: after.push }),
    ...(variants.length > 0 && { variants }),
  };
  return Object.keys(patch).length === 0 ? null : patch;
}

/** A draft with the ids that the server gave to its variants. */
export const withIds = (
  draft: CampaignDraft,
  { variants }: Pick<CampaignDetail, "variants">,
): CampaignDraft => ({
  ...draft,
  variants: draft.variants.map((variant, index) => ({
    ...variant,
    id: variant.id ?? variants[index]?.id ?? null,
  })),
});

/**
 * A draft as a change of a campaign that others have changed since: what they added stays, and before what the server has not seen, because
 * variants keep the order in which they were made.
 */
export function ontoTheirs(mine: CampaignDraft, theirs: CampaignDraft): CampaignDraft {
  const ids = new Set(mine.variants.map(({ id }) => id));
  const [known, added] = [
    mine.variants.filter(({ id }) => id !== null),
    mine.variants.filter(({ id }) => id === null),
  ];
  const variants = [...known, ...theirs.variants.filter(({ id }) => !ids.has(id))];
  for (const variant of added) {
    const isTaken = variants.some(({ name }) => name === variant.name);
    variants.push(isTaken ? { ...variant, name: nameLike(variant.name, [...variants, ...added]) } : variant);
  }
  return { ...mine, variants };
}

/** A draft with one variant changed. Another control takes the flag from the one that had it. */
export const withVariant = (
  draft: CampaignDraft,
  index: number,
  change: Partial<DraftVariant>,
): CampaignDraft => ({
  ...draft,
  variants: draft.variants.map((variant, at) => {
    if (at === index) return { ...variant, ...change };
    return change.isControl === true ? { ...variant, isControl: false } : variant;
  }),
});

/** Variants by their ids of which something was delivered: they are compared, so they stay. */
export type Delivered = ReadonlySet<string>;

const wasDelivered = ({ id }: Pick<DraftVariant, "id">, delivered: Delivered): boolean =>
  id !== null && delivered.has(id);

/** Whether a variant was taken out before any user got it. The server keeps it, without users, so that it can be brought back. */
export const isTakenOut = (variant: DraftVariant, delivered: Delivered): boolean =>
  variant.id !== null && variant.weight === 0 && !variant.isControl && !wasDelivered(variant, delivered);

/** Why a variant stays; null where it can be taken out. */
export function reasonToStay(variant: DraftVariant, delivered: Delivered): "control" | "delivered" | null {
  if (variant.isControl) return "control";
  return wasDelivered(variant, delivered) ? "delivered" : null;
}

/** A draft without a variant that no user got: gone where the server has not seen it, else without users. One at least keeps some. */
export function withoutVariant(draft: CampaignDraft, index: number): CampaignDraft {
  const variants = draft.variants.flatMap((variant, at): DraftVariant[] => {
    if (at !== index) return [variant];
    return variant.id === null ? [] : [{ ...variant, weight: 0 }];
  });
  const hasUsers = variants.some(({ weight }) => weight > 0);
  return {
    ...draft,
    variants: hasUsers
      ? variants
      : variants.map((variant) => (variant.isControl ? { ...variant, weight: 1 } : variant)),
  };
}

/** Whether the text of a variant is gone with it: the server has not seen it, and no other variant says the same. */
export function losesText({ variants }: CampaignDraft, index: number): boolean {
  const variant = variants[index];
  if (variant === undefined || variant.id !== null) return false;
  return variants.every((other) => other === variant || differ(other.content, variant.content));
}

/** The first letter that no variant is called by. */
function freeName(variants: readonly DraftVariant[]): string {
  const taken = new Set(variants.map(({ name }) => name));
  const capitals = Array.from({ length: 26 }, (_, index) => String.fromCharCode(65 + index));
  return capitals.find((capital) => !taken.has(capital)) ?? `${variants.length + 1}`;
}

/** A draft with one more variant, which begins as the last one with users reads. */
export const withNewVariant = (draft: CampaignDraft): CampaignDraft => ({
  ...draft,
  variants: [
    ...draft.variants,
    {
      id: null,
      name: freeName(draft.variants),
      weight: 1,
      isControl: false,
      content: draft.variants.findLast(({ weight }) => weight > 0)?.content ?? EMPTY_MESSAGES[draft.channel],
    },
  ],
});

/** The most variants that a campaign has, and letters that a name has. */
export const MAX_VARIANTS = 10;
const MAX_VARIANT_NAME = 40;

/** A name like another one that no variant is called by: the next letter, or the name with a number. */
function nameLike(name: string, variants: readonly DraftVariant[]): string {
  if (/^[A-Z]$/.test(name)) return freeName(variants);
  const taken = new Set(variants.map((variant) => variant.name));
  for (let number = 2; ; number++) {
    const ending = ` ${number}`;
    const candidate = `${beginningOf(name, MAX_VARIANT_NAME - ending.length)}${ending}`;
    if (!taken.has(candidate)) return candidate;
  }
}

/**
 * A draft in which a variant keeps the text that it had before, and the new text is a variant of its own with the same weight. So what is
 * known of the former text goes on to count. Null where the variant's text is not another one, or there is no room for one more.
 */
export function asNewVariant(
  before: CampaignDraft,
  draft: CampaignDraft,
  variantId: string,
): CampaignDraft | null {
  const former = before.variants.find(({ id }) => id === variantId);
  const index = draft.variants.findIndex(({ id }) => id === variantId);
  const edited = draft.variants[index];
  if (former === undefined || edited === undefined || draft.variants.length >= MAX_VARIANTS) return null;
  if (!differ(messageOf(edited.content), messageOf(former.content))) return null;
  const added: DraftVariant = {
    id: null,
    isControl: false,
    weight: Math.max(1, edited.weight),
    name: nameLike(edited.name, draft.variants),
    content: edited.content,
  };
  const kept = withVariant(draft, index, { content: former.content });
  return { ...kept, variants: [...kept.variants, added] };
}

/** The names of what differs between two drafts, in the order of the form. */
export const differencesOf = (one: CampaignDraft, other: CampaignDraft): (keyof CampaignDraft)[] =>
  (
    [
      "name",
      "variants",
      "push",
      "audience",
      "visitors",
      "once",
      "pages",
      "goalId",
      "topicId",
      "deliverFrom",
      "deliverUntil",
      "sendTime",
      "priority",
      "patienceHours",
      "urgent",
    ] as const
  ).filter((field) => differ(one[field], other[field]));
