import { deliveryId } from "../../domain/ids.ts";
import type { UserFacts } from "../audience/language/engines/compile.pure.ts";
import { placeInWindow } from "../campaigns/authoring/rules.ts";
import { readTemplateUser } from "../content/template/public.ts";
import type { TemplateUser } from "../content/template/template.pure.ts";
import { drawVariant, isHeldOut } from "../deliveries/public.ts";
import type { FeedConfig, FeedVariant } from "./config.ts";
import type { FeedFacts, FeedReader, NewDelivery } from "./feed-store.ts";
import type { InAppMessage } from "./schema.ts";

/** A request for a user's messages. `path` is normalized; null asks for the messages of every page. `now` is epoch milliseconds. */
export type FeedQuery = { user: FeedReader; externalId: string; path: string | null; now: number };

type Served = { campaignUuid: string; variant: FeedVariant; content: InAppMessage["content"] };

/** What to serve, and the deliveries to make or withhold first: those that the user does not have yet. */
export type FeedDecision = { served: Served[]; planned: NewDelivery[] };

/** The variant's content for a user; null where no text is left, and the campaign is then not served. */
export const contentFor = (
  { message, fill }: FeedVariant,
  person: () => TemplateUser,
): InAppMessage["content"] | null => (fill === null ? message.content : fill(person()));

/**
 * Decides from a user's facts. An open delivery is served again as long as its campaign runs on this page. A campaign without a
 * delivery is served if its audience matches, with a variant that depends on user and campaign alone, unless the user is
 * held out from its goal.
 * @param occurrences how often each need of the configuration was met. Where they were not read and a condition needed them, the
 * result must not be used
 */
export function decideFeed(
  config: FeedConfig,
  facts: FeedFacts,
  occurrences: UserFacts["occurrences"],
  question: FeedQuery,
): FeedDecision {
  const { user, externalId, path, now } = question;
  const userFacts = {
    externalId,
    traits: facts.traits ?? {},
    firstSeenAt: facts.firstSeenAt,
    lastSeenAt: facts.lastSeenAt,
    eventCounts: facts.counts ?? {},
    occurrences,
  };
  let person: TemplateUser | null = null;
  const personToFill = (): TemplateUser =>
    (person ??= readTemplateUser({
      externalId,
      traits: facts.traits ?? {},
      serverTraits: facts.serverTraits,
    }));
  const served: Served[] = [];
  const planned: NewDelivery[] = [];
  for (const campaign of config.campaigns) {
    if (placeInWindow(campaign, now) !== "open") continue;
    if (path !== null && !campaign.onPage(path)) continue;
    const existing = facts.deliveries?.[campaign.uuid];
    if (existing !== undefined) {
      const variant = existing === null ? undefined : campaign.variantById.get(existing);
      const content = variant === undefined ? null : contentFor(variant, personToFill);
      if (variant !== undefined && content !== null)
        served.push({ campaignUuid: campaign.uuid, variant, content });
      continue;
    }
    if (!campaign.matches(userFacts, now)) continue;
    const variant = drawVariant(campaign.variants, campaign.uuid, user.userKey);
    const content = variant === null ? null : contentFor(variant, personToFill);
    if (variant === null || content === null) continue;
    const heldOut = isHeldOut(campaign, user.userKey);
    if (!heldOut) served.push({ campaignUuid: campaign.uuid, variant, content });
    const decided = { campaignId: campaign.uuid, variantId: variant.id, epoch: campaign.epoch, heldOut };
    planned.push({ ...user, externalId, ...decided, ts: now });
  }
  return { served, planned };
}

/** Served messages as the API shows them: modals first, else in the order of the campaigns, newest first. */
export function present(served: readonly Served[], userKey: string): InAppMessage[] {
  const inOrder = [
    ...served.filter(({ variant }) => variant.isModal),
    ...served.filter(({ variant }) => !variant.isModal),
  ];
  return inOrder.map(({ campaignUuid, variant, content }) => ({
    deliveryId: deliveryId(userKey, campaignUuid),
    ...variant.message,
    content,
  }));
}
