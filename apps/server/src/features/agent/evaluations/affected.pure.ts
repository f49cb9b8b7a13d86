import type { CampaignStatus } from "../../campaigns/authoring/rules.ts";
import type { HostedMutation } from "./schema.ts";

/** The parts of a campaign that a mutation may change, or that people look at when they let it launch. */
export type Changeable = {
  name: string;
  status: CampaignStatus;
  goalId: string | null;
  deliverFrom: number | null;
  deliverUntil: number | null;
  audience: unknown;
  pages: unknown;
  push: unknown;
  /** In the order of the campaign; `id` as the API writes it. */
  variants: readonly { id: string; name: string; weight: number; isControl: boolean; content: unknown }[];
};

/** Values by path, such as `variants[var_…].weight`. */
export type Fields = Readonly<Record<string, unknown>>;

const pathOf = (variantId: string, field: string): string => `variants[${variantId}].${field}`;

/** Everything that a launch would bring to users. */
function launched(campaign: Changeable): Fields {
  const { status, goalId, deliverFrom, deliverUntil, audience, pages, push } = campaign;
  const variants = campaign.variants.flatMap(({ id, weight, content }) => [
    [pathOf(id, "weight"), weight],
    [pathOf(id, "message"), content],
  ]);
  const fields = { status, goalId, deliverFrom, deliverUntil, audience, pages, push };
  return { ...fields, ...Object.fromEntries(variants) };
}

/**
 * The fields that a mutation depends on, as they are: if one of them changes, an approval of it is no longer for the same thing. A
 * launch depends on everything that users would get, a weight on all weights, because only together they are shares.
 */
export function affectedFields(mutation: HostedMutation, campaign: Changeable): Fields {
  if (mutation.type === "status")
    return mutation.action === "launch" ? launched(campaign) : { status: campaign.status };
  const patches = new Map((mutation.variants ?? []).map((each) => [each.id, each]));
  const hasWeights = [...patches.values()].some(({ weight }) => weight !== undefined);
  const entries = campaign.variants.flatMap(({ id, name, weight, content }): [string, unknown][] => {
    const patch = patches.get(id);
    return [
      ...(patch?.name === undefined ? [] : [[pathOf(id, "name"), name] as [string, unknown]]),
      ...(patch?.message === undefined ? [] : [[pathOf(id, "message"), content] as [string, unknown]]),
      ...(hasWeights ? [[pathOf(id, "weight"), weight] as [string, unknown]] : []),
    ];
  });
  return { ...(mutation.name === undefined ? {} : { name: campaign.name }), ...Object.fromEntries(entries) };
}

/** A message that users would get instead of another one, or of none. */
export type ChangedMessage = { variantId: string; before: unknown; after: unknown };

const MESSAGE = /^variants\[([^\]]+)\]\.message$/;

/** The messages that a mutation changes, or that a launch brings to users. `base` has the fields that it depends on, as they were. */
export function changedMessages(mutation: HostedMutation, base: Fields): ChangedMessage[] {
  if (mutation.type === "update")
    return (mutation.variants ?? []).flatMap(({ id, message }) =>
      message === undefined
        ? []
        : [{ variantId: id, before: base[pathOf(id, "message")] ?? null, after: message }],
    );
  if (mutation.action !== "launch") return [];
  return Object.entries(base).flatMap(([path, after]) => {
    const variantId = MESSAGE.exec(path)?.[1];
    const isShown = variantId !== undefined && base[pathOf(variantId, "weight")] !== 0;
    return isShown ? [{ variantId, before: null, after }] : [];
  });
}

const AFTER = { launch: "running", pause: "paused", end: "ended" } as const;

/** The fields that a mutation sets, with their new values. */
export function setFields(mutation: HostedMutation): Fields {
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
