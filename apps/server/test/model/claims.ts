import assert from "node:assert/strict";
import { DAY_MS } from "../../src/platform/time/clock.ts";
import type { Delivery, User } from "./model.ts";
import type { Stage } from "./stage.ts";

/** Compares the users that did each of some events after a message, by variant. @throws an AssertionError */
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
          exposedDeliveries: exposed,
          exposedUsers: exposed,
          convertedDeliveries: converted,
          convertedUsers: converted,
        };
      };
      const theirs = model.ofCampaign(campaign);
      assert.deepEqual(totals, count(theirs));
      assert.deepEqual(
        variants,
        campaign.variants.map((variant) => ({
          variantId: variant.id,
          variantName: variant.name,
          ...count(theirs.filter((each) => each.variant === variant)),
        })),
      );
    }
}

/**
 * Compares the users that did something within the window, by variant, served and withheld: each of some events, or (null) what the
 * goal counts.
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

/** What campaigns came to as people count it, and on which days users converted. @throws an AssertionError */
export async function compareResults({ house, project: { api }, model }: Stage): Promise<void> {
  const now = house.now();
  const window = (days: number) => days * DAY_MS;
  const converts = ({ owner, campaign: { goal }, at: { shown } }: Delivery): number | null =>
    goal === null || shown === null
      ? null
      : model.firstBetween(owner, goal.event, shown, Math.min(shown + window(goal.attributionDays), now));
  const resultsOf = (deliveries: readonly Delivery[], hasGoal: boolean) => {
    const count = (event: "shown" | "clicked" | "dismissed"): number =>
      deliveries.filter(({ at }) => at[event] !== null).length;
    return {
      sent: 0,
      delivered: 0,
      bounced: 0,
      opened: 0,
      complained: 0,
      unsubscribed: 0,
      frequencyCapped: 0,
      shown: count("shown"),
      clicked: count("clicked"),
      dismissed: count("dismissed"),
      converted: hasGoal ? deliveries.filter((each) => converts(each) !== null).length : null,
    };
  };
  if (model.campaigns.length > 0) {
    const { results } = await api.listCampaignResults({
      query: { campaignIds: model.campaigns.map(({ id }) => id).join(",") },
    });
    assert.deepEqual(
      results,
      model.campaigns.map((campaign) => {
        const { goal, variants } = campaign;
        const theirs = model.ofCampaign(campaign);
        return {
          campaignId: campaign.id,
          event: goal?.event ?? null,
          attributionDays: goal?.attributionDays ?? null,
          totals: resultsOf(theirs, goal !== null),
          variants: variants.map((variant) => ({
            variantId: variant.id,
            ...resultsOf(
              theirs.filter((each) => each.variant === variant),
              goal !== null,
            ),
          })),
        };
      }),
    );
  }
  const { days, totals } = await api.getResultDays({ query: { range: "90d" } });
  const first = days[0]?.startAt ?? 0;
  const onDays = (instants: readonly (number | null)[]): Map<number, number> => {
    const recent = instants.filter((at) => at !== null && at >= first);
    const byDay = Map.groupBy(recent, (at) => model.dayOf(at ?? 0) * DAY_MS);
    return new Map([...byDay].map(([startAt, each]) => [startAt, each.length]));
  };
  const reached = onDays(model.deliveries.map(({ at: { shown } }) => shown));
  const converted = onDays(model.deliveries.map(converts));
  const sum = (counts: ReadonlyMap<number, number>): number =>
    [...counts.values()].reduce((a, b) => a + b, 0);
  assert.deepEqual(totals, { reached: sum(reached), converted: sum(converted) });
  assert.deepEqual(
    days,
    days.map(({ startAt }) => ({
      startAt,
      reached: reached.get(startAt) ?? 0,
      converted: converted.get(startAt) ?? 0,
    })),
  );
}
