import { apiId } from "../../domain/ids.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { compile, type Predicate } from "../audience/language/engines/compile.pure.ts";
import { Needs, type NeedsReading } from "../audience/language/engines/needs.pure.ts";
import { readStored, UNREADABLE_AUDIENCE } from "../audience/language/parse/stored.pure.ts";
import { compilePages, type PageMatcher } from "../campaigns/authoring/audience/pages.pure.ts";
import type { CurrentEpoch } from "../campaigns/authoring/public.ts";
import type { VisitorsMet } from "../campaigns/authoring/rules.ts";
import type { Weighted } from "../deliveries/rules.ts";
import { type RunningCampaign, readRunningCampaigns } from "./config-store.ts";
import { type FactKinds, factsNeeded } from "./feed-store.ts";
import { compileFields, type Fill } from "./personal.ts";
import { presentationOf } from "./rules.ts";
import type { InAppMessage } from "./schema.ts";

/** A variant with its message for all users. Per user, the delivery's id is added, and `fill` fills personal fields. */
export type FeedVariant = Weighted & {
  message: Omit<InAppMessage, "deliveryId">;
  fill: Fill | null;
  isModal: boolean;
};

/** A running campaign, compiled. */
export type FeedCampaign = {
  uuid: string;
  /** Whether it is the message of a step: the feed serves it, and journeys make its deliveries. */
  isStep: boolean;
  current: CurrentEpoch;
  visitors: VisitorsMet;
  matches: Predicate;
  onPage: PageMatcher;
  deliverFrom: number | null;
  deliverUntil: number | null;
  variants: readonly FeedVariant[];
  variantById: ReadonlyMap<string, FeedVariant>;
};

/** A project's running campaigns at one version of its configuration; never changed, only replaced. */
export type FeedConfig = {
  version: number;
  campaigns: readonly FeedCampaign[];
  /** What the audiences of all campaigns need of a user's single events. */
  needs: Needs;
  reading: NeedsReading;
  /** What the campaigns ask about users: the rest is not read. */
  kinds: FactKinds;
  /** Which facts to read of users who have too many to read all, see `FactsQuestion`. */
  needed: string;
};

const MATCHES_ALL: Predicate = () => true;
const MATCHES_NONE: Predicate = () => false;

/** The predicate of a stored audience. One that cannot be parsed matches no user. */
function predicateOf(stored: unknown, needs: Needs, events: Set<string>): Predicate {
  const audience = readStored(stored);
  if (audience.kind === "all") return MATCHES_ALL;
  if (audience.kind === "invalid") return MATCHES_NONE;
  const compiled = compile(audience.expression, needs);
  for (const event of compiled.events) events.add(event);
  return compiled.matches;
}

/** @param events the names of the events that the audience needs are added to it */
export function compileCampaign(campaign: RunningCampaign, needs: Needs, events: Set<string>): FeedCampaign {
  const variants = campaign.variants.map(({ id, weight, content }): FeedVariant => {
    const presentation = presentationOf(content);
    const message = {
      campaignId: apiId("cmp", campaign.id),
      variantId: apiId("var", id),
      pages: campaign.pages,
      content: { ...content, presentation },
    };
    return { id, weight, message, fill: compileFields(message.content), isModal: presentation === "modal" };
  });
  return {
    uuid: campaign.id,
    isStep: campaign.isStep,
    current: campaign.current,
    visitors: campaign.visitors,
    matches: predicateOf(campaign.audience, needs, events),
    onPage: compilePages(campaign.pages),
    deliverFrom: campaign.deliverFrom,
    deliverUntil: campaign.deliverUntil,
    variants,
    variantById: new Map(variants.map((variant) => [variant.id, variant])),
  };
}

export type FeedConfigs = {
  /** A project's configuration at a version or later. */
  read(projectId: string, atLeast: number): FeedConfig | Promise<FeedConfig>;
  /** The latest configuration that this process has read, or null before the first. */
  latest(projectId: string): FeedConfig | null;
};

/** Configurations by project, compiled once per version. The user's facts come with the version that is needed. */
export const feedConfigs = resource((app: App): FeedConfigs => {
  const known = new Map<string, FeedConfig>();
  const loading = new Map<string, Promise<FeedConfig>>();

  async function load(projectId: string): Promise<FeedConfig> {
    try {
      const { version, campaigns } = await readRunningCampaigns(app.database.lookups.kysely, projectId);
      const needs = new Needs();
      const events = new Set<string>();
      for (const { id, audience } of campaigns)
        if (readStored(audience).kind === "invalid")
          app.log.error({ projectId, campaignId: apiId("cmp", id) }, UNREADABLE_AUDIENCE);
      const compiled = campaigns.map((campaign) => compileCampaign(campaign, needs, events));
      const needed = factsNeeded(
        [...events],
        campaigns.map(({ id }) => id),
      );
      const kinds = {
        counts: events.size > 0,
        deliveries: campaigns.some(({ isStep }) => !isStep),
        withheld: campaigns.some(({ isStep, current }) => !isStep && current.withholds),
        steps: campaigns.some(({ isStep }) => isStep),
      };
      const config = { version, campaigns: compiled, needs, reading: needs.reading(), kinds, needed };
      const before = known.get(projectId);
      if (before === undefined || before.version < version) known.set(projectId, config);
      return config;
    } finally {
      loading.delete(projectId);
    }
  }

  const read: FeedConfigs["read"] = (projectId, atLeast) => {
    const config = known.get(projectId);
    if (config !== undefined && config.version >= atLeast) return config;
    const underWay = loading.get(projectId);
    // A load in progress may have read an earlier version. All callers that need a later one then share one more load.
    if (underWay !== undefined)
      return underWay.then((found) => (found.version >= atLeast ? found : read(projectId, atLeast)));
    const loaded = load(projectId);
    loading.set(projectId, loaded);
    return loaded;
  };
  return { read, latest: (projectId) => known.get(projectId) ?? null };
});
