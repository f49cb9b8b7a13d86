import assert from "node:assert/strict";
import { DAY_MS } from "../../src/platform/clock.ts";
import type { Delivery, User } from "./model.ts";
import type { Stage } from "./steps.ts";

/** Who did each of some events after a message, by variant. @throws an AssertionError */
export async function compareConversions(
  { project: { api }, model }: Stage,
  events: readonly string[],
): Promise<void> {
  for (const campaign of model.campaigns)
    for (const event of events) {
      const { variants, totals } = await api.getCampaignConversions({
        path: { id: campaign.id },
        query: { event },
      });
      const count = (deliveries: readonly Delivery[]) => {
        const exposed = deliveries.filter(({ at }) => at.shown !== null).length;
        const converted = deliveries.filter((each) => model.didAfterExposure(each, event)).length;
        return {
          ...{ exposedDeliveries: exposed, exposedUsers: exposed },
          ...{ convertedDeliveries: converted, convertedUsers: converted },
        };
      };
      const theirs = model.ofCampaign(campaign);
      assert.deepEqual(totals, count(theirs));
      assert.deepEqual(
        variants,
        campaign.variants.map((variant) => ({
          ...{ variantId: variant.id, variantName: variant.name },
          ...count(theirs.filter((each) => each.variant === variant)),
        })),
      );
    }
}

/**
 * Who did something within the window, by variant, served and withheld: each of some events, or (null) what the goal counts.
 * @throws an AssertionError
 */
export async function compareClaims(
  { house, project: { api }, model }: Stage,
  events: readonly string[] | null,
): Promise<void> {
  const now = house.now();
  const counted = (
    users: readonly { owner: User; from: number }[],
    event: string,
    attributionDays: number,
  ) => {
    const window = attributionDays * DAY_MS;
    const outcome = (some: typeof users) => ({
      exposedUsers: some.length,
      convertedUsers: some.filter(({ owner, from }) =>
        model.didBetween(owner, event, from, Math.min(from + window, now)),
      ).length,
    });
    return {
      matured: outcome(users.filter(({ from }) => from <= now - window)),
      pending: outcome(users.filter(({ from }) => from > now - window)),
    };
  };
  for (const campaign of model.campaigns)
    for (const event of events ?? [campaign.goal?.event ?? "paid"]) {
      const path = { id: campaign.id };
      const { statistics } = await api.getCampaignConversions({ path, query: { event } });
      const seen = model
        .ofCampaign(campaign)
        .flatMap(({ owner, variant, at: { shown } }) =>
          shown === null ? [] : [{ owner, variant, from: shown }],
        );
      assert.equal(statistics.unknownAllocation, 0);
      assert.deepEqual(
        statistics.variants.map(({ variantId, matured, pending }) => ({ variantId, matured, pending })),
        campaign.variants.map((variant) => ({
          variantId: variant.id,
          ...counted(
            seen.filter((each) => each.variant === variant),
            event,
            campaign.goal?.attributionDays ?? 7,
          ),
        })),
      );
    }
  for (const goal of model.goals)
    for (const event of events ?? [goal.event]) {
      const { holdout } = await api.getGoalConversions({ path: { id: goal.id }, query: { event } });
      const contacts = model.firstContacts(goal);
      const side = (isChosen: (each: (typeof contacts)[number]) => boolean) =>
        counted(
          contacts.filter(isChosen).map(({ contact: { owner, queuedAt } }) => ({ owner, from: queuedAt })),
          event,
          goal.attributionDays,
        );
      const shown = ({ matured, pending }: typeof holdout.served) => ({ matured, pending });
      assert.equal(holdout.percent, goal.holdoutPercent);
      assert.deepEqual(
        [shown(holdout.served), shown(holdout.withheld), holdout.withoutHoldout],
        [
          side(({ contact, isWithheld }) => contact.percent > 0 && !isWithheld),
          side(({ isWithheld }) => isWithheld),
          side(({ contact }) => contact.percent === 0),
        ],
      );
    }
}
