import type { CampaignStatus } from "../../../campaigns/authoring/rules.ts";
import {
  onceIfSet,
  topicIfSet,
  type VisitorsMet,
  visitorsIfMet,
} from "../../../campaigns/authoring/rules.ts";
import { type Timing, timingIfSet } from "../../../campaigns/authoring/timing.pure.ts";
import type { HostedMutation } from "../mutation.pure.ts";

type Updating = Extract<HostedMutation, { type: "update" }>;

/** The parts of a campaign that a mutation may change, or that people look at before they approve one. */
export type Changeable = Timing & {
  name: string;
  status: CampaignStatus;
  goalId: string | null;
  /** As the database has it (UUID). */
  topicId: string | null;
  /** What its goal counts, and for how many days after a user met the message; null without a goal. */
  goal: { targetEvent: string | null; attributionDays: number } | null;
  /** The journey of which it is a step; null for other campaigns. */
  journey: { version: number; status: CampaignStatus } | null;
  deliverFrom: number | null;
  deliverUntil: number | null;
  once: boolean;
  audience: unknown;
  visitors: VisitorsMet;
  pages: unknown;
  push: unknown;
  /** In the order of the campaign; `id` as the API writes it. */
  variants: readonly { id: string; name: string; weight: number; isControl: boolean; content: unknown }[];
};

/** Values by path, such as `variants[var_…].weight`. */
export type AffectedFields = Readonly<Record<string, unknown>>;

const pathOf = (variantId: string, field: string): string => `variants[${variantId}].${field}`;

/** The goal, and what the figures count that speak for a change. */
const goalOf = ({ goalId, goal }: Changeable): AffectedFields => ({
  goalId,
  "goal.targetEvent": goal?.targetEvent ?? null,
  "goal.attributionDays": goal?.attributionDays ?? null,
});

/** What people read before they approve other steps of a journey. Texts of steps that stay are changed at their campaigns. */
const readOfJourney = (campaign: Changeable): AffectedFields => ({
  ...goalOf(campaign),
  "journey.version": campaign.journey?.version ?? null,
  "journey.status": campaign.journey?.status ?? null,
});

/**
 * What people read before they approve any change: what users get and in which shares, who they are, and what the figures count that
 * speak for the change. An approval is of all of this, whichever part the change itself sets.
 */
function readByPeople(campaign: Changeable): AffectedFields {
  const {
    topicId,
    once,
    sendTime,
    priority,
    patienceHours,
    urgent,
    audience,
    visitors,
    pages,
    push,
    variants,
  } = campaign;
  const perVariant = variants.flatMap(({ id, weight, isControl, content }) => [
    [pathOf(id, "weight"), weight],
    [pathOf(id, "isControl"), isControl],
    [pathOf(id, "message"), content],
  ]);
  return {
    ...goalOf(campaign),
    audience,
    pages,
    push,
    ...onceIfSet({ once }),
    ...timingIfSet({ sendTime, priority, patienceHours, urgent }),
    ...topicIfSet({ topicId }),
    ...visitorsIfMet({ visitors }),
    ...Object.fromEntries(perVariant),
  };
}

/** The names that a mutation sets, as they are. */
function namesOf({ name, variants = [] }: Updating, campaign: Changeable): AffectedFields {
  const renamed = new Set(variants.filter((each) => each.name !== undefined).map(({ id }) => id));
  const ofVariants = campaign.variants
    .filter(({ id }) => renamed.has(id))
    .map((variant) => [pathOf(variant.id, "name"), variant.name]);
  return { ...(name === undefined ? {} : { name: campaign.name }), ...Object.fromEntries(ofVariants) };
}

/**
 * The fields that a mutation depends on, as they are: if one of them changes, an approval of it is no longer for what people read. Every
 * mutation of the campaign depends on that; a change of status on the status too, a launch on the window as well, another name on the name
 * before it. One of its journey depends on what that is.
 */
export function affectedFields(mutation: HostedMutation, campaign: Changeable): AffectedFields {
  if (mutation.type === "journey") return readOfJourney(campaign);
  const read = readByPeople(campaign);
  if (mutation.type === "update") return { ...namesOf(mutation, campaign), ...read };
  const { status, deliverFrom, deliverUntil } = campaign;
  return mutation.action === "launch" ? { status, deliverFrom, deliverUntil, ...read } : { status, ...read };
}

/** A message that users would get instead of another one, or of none. */
export type ChangedMessage = { variantId: string; before: unknown; after: unknown };

const MESSAGE = /^variants\[([^\]]+)\]\.message$/;

/** All messages of a campaign among the fields that a mutation depends on. */
export const messagesOf = (base: AffectedFields): { content: unknown }[] =>
  Object.entries(base).flatMap(([path, content]) => (MESSAGE.test(path) ? [{ content }] : []));

/** The messages that a mutation changes, or that a launch brings to users. `base` has the fields that it depends on, as they were. */
export function changedMessages(mutation: HostedMutation, base: AffectedFields): ChangedMessage[] {
  if (mutation.type === "update")
    return (mutation.variants ?? []).flatMap(({ id, message }) =>
      message === undefined
        ? []
        : [{ variantId: id, before: base[pathOf(id, "message")] ?? null, after: message }],
    );
  if (mutation.type === "journey" || mutation.action !== "launch") return [];
  return Object.entries(base).flatMap(([path, after]) => {
    const variantId = MESSAGE.exec(path)?.[1];
    const isShown = variantId !== undefined && base[pathOf(variantId, "weight")] !== 0;
    return isShown ? [{ variantId, before: null, after }] : [];
  });
}

/**
 * The messages that a mutation brings to users, with their places: that in the request, or in the campaign for a launch, whose request has
 * no message.
 */
export function placedMessages(
  mutation: HostedMutation,
  { variants }: Pick<Changeable, "variants">,
): { content: unknown; at: (string | number)[] }[] {
  if (mutation.type === "update")
    return (mutation.variants ?? []).flatMap(({ message }, index) =>
      message === undefined ? [] : [{ content: message, at: ["mutation", "variants", index, "message"] }],
    );
  if (mutation.type === "journey" || mutation.action !== "launch") return [];
  return variants.map(({ content }, index) => ({ content, at: ["variants", index, "content"] }));
}

/** The variants that a mutation changes, or all that get users where it changes none by itself. `base` as for `changedMessages`. */
function isAbout(mutation: HostedMutation, base: AffectedFields): (variantId: string) => boolean {
  const patches = mutation.type === "update" ? (mutation.variants ?? []) : [];
  const changed = patches
    .filter(({ id, ...set }) =>
      Object.entries(set).some(([field, value]) => base[pathOf(id, field)] !== value),
    )
    .map(({ id }) => id);
  return (id) => (changed.length > 0 ? changed.includes(id) : base[pathOf(id, "weight")] !== 0);
}

/**
 * The messages that people look at before they approve a mutation: those of the variants that it is about, as they would be, and as they
 * were when it was proposed (the same object where the text stays). Before a launch users get none.
 */
export function messagesAbout(mutation: HostedMutation, base: AffectedFields): ChangedMessage[] {
  const isLaunch = mutation.type === "status" && mutation.action === "launch";
  const after = new Map(changedMessages(mutation, base).map((each) => [each.variantId, each.after]));
  const isShown = isAbout(mutation, base);
  return Object.entries(base).flatMap(([path, content]) => {
    const variantId = MESSAGE.exec(path)?.[1];
    if (variantId === undefined || !isShown(variantId)) return [];
    return [{ variantId, before: isLaunch ? null : content, after: after.get(variantId) ?? content }];
  });
}

const AFTER = { launch: "running", pause: "paused", end: "ended" } as const;

/** The fields of the campaign that a mutation sets, with their new values. */
export function setFields(mutation: HostedMutation): AffectedFields {
  if (mutation.type === "journey") return {};
  if (mutation.type === "status") return { status: AFTER[mutation.action] };
  const entries = (mutation.variants ?? []).flatMap(({ id, ...fields }) =>
    Object.entries(fields).map(([field, value]) => [pathOf(id, field), value]),
  );
  return { ...(mutation.name === undefined ? {} : { name: mutation.name }), ...Object.fromEntries(entries) };
}

/** Weights after a mutation, by variant id. */
export function weightsAfter(
  mutation: HostedMutation,
  variants: Changeable["variants"],
): Map<string, number> {
  const patches = mutation.type === "update" ? (mutation.variants ?? []) : [];
  const given = new Map(patches.map(({ id, weight }) => [id, weight]));
  return new Map(variants.map(({ id, weight }) => [id, given.get(id) ?? weight]));
}
