import { deliveryId } from "../../platform/ids.ts";
import type { UserFacts } from "../audience/engines/compile.ts";
import { pointOf } from "../deliveries/public.ts";
import { chooseVariant } from "../deliveries/rules.ts";
import type { FeedConfig, FeedVariant } from "./config.ts";
import type { FeedFacts, FeedReader, NewDelivery } from "./feed-store.ts";
import type { InAppMessage } from "./schema.ts";

/** Who asks for messages. `path` is normalized; null asks for the messages of every page. `now` is epoch milliseconds. */
export type Question = { user: FeedReader; externalId: string; path: string | null; now: number };

type Served = { campaignUuid: string; variant: FeedVariant };

/** What to serve, and the deliveries to make first: those of `served` that the user does not have yet. */
export type Decision = { served: Served[]; planned: NewDelivery[] };

/**
 * Decides from a user's facts. An open delivery comes again as long as its campaign runs on this page; a campaign that
 * the user does not have follows its audience, with a variant that hangs on user and campaign alone.
 * @param occurrences how often each need of the configuration was met; where they are unread and were asked for, this is no
 *   decision
 */
export function decide(
  config: FeedConfig,
  facts: FeedFacts,
  occurrences: UserFacts["occurrences"],
  question: Question,
): Decision {
  const { user, externalId, path, now } = question;
  const userFacts = {
    traits: facts.traits ?? {},
    firstSeenAt: facts.firstSeenAt,
    lastSeenAt: facts.lastSeenAt,
    eventCounts: facts.counts ?? {},
    occurrences,
  };
  const served: Served[] = [];
  const planned: NewDelivery[] = [];
  for (const campaign of config.campaigns) {
    if (now < campaign.deliverFrom || now >= campaign.deliverUntil) continue;
    if (path !== null && !campaign.onPage(path)) continue;
    const existing = facts.deliveries?.[campaign.uuid];
    if (existing !== undefined) {
      const variant = existing === null ? undefined : campaign.variantById.get(existing);
      if (variant !== undefined) served.push({ campaignUuid: campaign.uuid, variant });
      continue;
    }
    if (!campaign.matches(userFacts, now)) continue;
    const variant = chooseVariant(campaign.variants, pointOf(campaign.uuid, user.userKey));
    if (variant === null) continue;
    served.push({ campaignUuid: campaign.uuid, variant });
    planned.push({ ...user, externalId, campaignId: campaign.uuid, variantId: variant.id, ts: now });
  }
  return { served, planned };
}

/** Served messages as the API shows them: modals first, else in the order of the campaigns, newest first. */
export function present(served: readonly Served[], userKey: string): InAppMessage[] {
  const inOrder = [
    ...served.filter(({ variant }) => variant.isModal),
    ...served.filter(({ variant }) => !variant.isModal),
  ];
  return inOrder.map(({ campaignUuid, variant }) => ({
    deliveryId: deliveryId(userKey, campaignUuid),
    ...variant.message,
  }));
}
