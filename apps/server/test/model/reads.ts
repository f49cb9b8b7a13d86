import assert from "node:assert/strict";
import { DAY_MS } from "../../src/platform/time/clock.ts";
import { compareCalls } from "./calls.ts";
import { compareClaims, compareConversions, compareResults } from "./claims.ts";
import {
  type Audience,
  type Campaign,
  type Delivery,
  type Event,
  FEEDBACK_TYPES,
  type User,
} from "./model.ts";
import type { Stage } from "./stage.ts";
import { expressionOf } from "./steps.ts";

type Read = (stage: Stage) => Promise<void>;

async function compare(stage: Stage, reads: Readonly<Record<string, Read>>): Promise<void> {
  for (const [name, read] of Object.entries(reads)) {
    try {
      await read(stage);
    } catch (error) {
      if (error instanceof assert.AssertionError) error.message = `${name}: ${error.message}`;
      throw error;
    }
  }
}

/** Everything that can be read of a project, compared with what its model says. @throws an AssertionError that names the read */
export const compareReads: Read = (stage) => compare(stage, READS);

/** The one number that soon hides what was wrong in it. @throws as `compareReads` */
export const glance: Read = (stage) => compare(stage, { usage: READS.usage });

/** Texts in the order of PostgreSQL's "C" collation, last first: the keys here are hexadecimal, the names ASCII. */
const byText = (a: string, b: string): number => (a < b ? -1 : a > b ? 1 : 0);
const inAnyOrder = (list: readonly unknown[]): string[] =>
  list.map((each) => JSON.stringify(each)).sort(byText);

const shownUser = ({ id, traits, firstSeenAt, lastSeenAt }: User) => ({
  externalUserId: id,
  firstSeenAt,
  lastSeenAt,
  traits: Object.fromEntries(Object.entries(traits).sort(([a], [b]) => byText(a, b))),
  isVisitor: false,
});
const shownEvent = ({ user, name, props, ts }: Event) => ({ externalUserId: user.id, name, props, ts });

const statsOf = (deliveries: readonly Delivery[]) => ({
  sent: 0,
  frequencyCapped: 0,
  delivered: 0,
  opened: 0,
  bounced: 0,
  complained: 0,
  unsubscribed: 0,
  ...Object.fromEntries(
    FEEDBACK_TYPES.map((type) => [type, deliveries.filter(({ at }) => at[type] !== null).length]),
  ),
});

function assertEvents(
  found: readonly (Record<string, unknown> & { ts: number })[],
  expected: readonly Event[],
) {
  const picked = found.map(({ externalUserId, name, props, ts }) => ({ externalUserId, name, props, ts }));
  assert.deepEqual(inAnyOrder(picked), inAnyOrder(expected.map(shownEvent)));
  assert.ok(
    found.every(({ ts }, i) => ts <= (found[i - 1]?.ts ?? ts)),
    "newest first",
  );
}

/** All pages of a list, in order. */
async function allPages<T>(
  ask: (page: number, perPage: number) => Promise<{ total: number; items: readonly T[] }>,
): Promise<T[]> {
  const found: T[] = [];
  for (let page = 1; ; page++) {
    const { total, items } = await ask(page, 100);
    found.push(...items);
    if (items.length < 100) {
      assert.equal(found.length, total, "as many as the total says");
      return found;
    }
  }
}

const effective = ({ status, deliverUntil }: Campaign, now: number): string =>
  (status === "running" || status === "paused") && deliverUntil !== null && now >= deliverUntil
    ? "expired"
    : status;

const AUDIENCES: readonly Audience[] = [
  { kind: "trait", key: "plan", value: "pro" },
  { kind: "did", event: "paid" },
  { kind: "did not", event: "looked" },
];

/** By name. Each looks at one kind of answer; a new operation that reads gets its entry here. */
const READS = {
  calls: compareCalls,

  async users({ project: { api }, model }) {
    const users = await allPages(async (page, perPage) => {
      const { users: items, total } = await api.listUsers({ query: { page, perPage } });
      return { items, total };
    });
    const expected = [...model.users.values()]
      .sort((a, b) => b.firstSeenAt - a.firstSeenAt || byText(b.key, a.key))
      .map(shownUser);
    assert.deepEqual(
      users.map(({ id: _, ...user }) => ({
        ...user,
        traits: Object.fromEntries(Object.entries(user.traits).sort(([a], [b]) => byText(a, b))),
      })),
      expected,
    );
  },

  async "users with a trait"({ project: { api }, model }) {
    const { total } = await api.listUsers({ query: { traitKey: "plan", traitValue: "pro" } });
    assert.equal(total, [...model.users.values()].filter(({ traits }) => traits.plan === "pro").length);
  },

  async "the summary of users"({ house, project: { api }, model }) {
    const { totalUsers, activeUsers, newUsers } = await api.getUserSummary();
    const since = house.now() - 7 * DAY_MS;
    const users = [...model.users.values()];
    assert.deepEqual(
      [totalUsers, activeUsers, newUsers],
      [
        users.length,
        users.filter(({ lastSeenAt }) => lastSeenAt >= since).length,
        users.filter(({ firstSeenAt }) => firstSeenAt >= since).length,
      ],
    );
  },

  async events({ project: { api }, model }) {
    const found = await allPages(async (page, perPage) => {
      const { events: items, total } = await api.listEvents({ query: { page, perPage } });
      return { items, total };
    });
    assertEvents(found, model.events);
    const { events, total } = await api.listEvents({ query: { name: "paid", perPage: 100 } });
    const paid = model.events.filter(({ name }) => name === "paid");
    assert.equal(total, paid.length);
    if (total <= 100) assertEvents(events, paid);
  },

  async "events and deliveries of a user"({ project: { api }, model }) {
    for (const user of model.users.values()) {
      const path = { id: user.id };
      const { events, total } = await api.listUserEvents({ path, query: { perPage: 100 } });
      const theirs = model.eventsOf(user);
      assert.equal(total, theirs.length);
      if (total <= 100) assertEvents(events, theirs);
      const { deliveries } = await api.listUserDeliveries({ path, query: { perPage: 100 } });
      const expected = model
        .deliveriesOf(user)
        .sort((a, b) => b.queuedAt - a.queuedAt || byText(b.campaign.id, a.campaign.id))
        .map(({ campaign, variant, state, queuedAt }) => ({
          campaignId: campaign.id,
          campaignName: campaign.name,
          state,
          queuedAt,
          campaignStatus: campaign.status,
          variantId: variant.id,
          variantName: variant.name,
          variantTitle: campaign.title,
        }));
      assert.deepEqual(
        deliveries.map(({ id: _, ...delivery }) => delivery),
        expected,
      );
    }
  },

  async campaigns({ house, project: { api }, model }) {
    const { campaigns, total } = await api.listCampaigns();
    assert.equal(total, model.campaigns.length);
    assert.deepEqual(
      campaigns.map(({ id, name, status, effectiveStatus, goalId, stats }) => ({
        id,
        name,
        status,
        effectiveStatus,
        goalId,
        stats,
      })),
      [...model.campaigns]
        .sort((a, b) => b.createdAt - a.createdAt || byText(b.id, a.id))
        .map((campaign) => ({
          id: campaign.id,
          name: campaign.name,
          status: campaign.status,
          goalId: campaign.goal?.id ?? null,
          effectiveStatus: effective(campaign, house.now()),
          stats: statsOf(model.ofCampaign(campaign)),
        })),
    );
  },

  async "deliveries and statistics of a campaign"({ project: { api }, model }) {
    for (const campaign of model.campaigns) {
      const path = { id: campaign.id };
      const theirs = model.ofCampaign(campaign);
      const { campaign: shown } = await api.getCampaign({ path });
      assert.deepEqual(
        shown.variants.map(({ id, weight, stats }) => ({ id, weight, stats })),
        campaign.variants.map((variant) => ({
          id: variant.id,
          weight: variant.weight,
          stats: statsOf(theirs.filter((each) => each.variant === variant)),
        })),
      );
      const { deliveries, total } = await api.listCampaignDeliveries({ path, query: { perPage: 100 } });
      assert.equal(total, theirs.length);
      if (total <= 100)
        assert.deepEqual(
          inAnyOrder(
            deliveries.map(({ externalUserId, variantId, state, queuedAt, ...at }) => [
              externalUserId,
              variantId,
              state,
              queuedAt,
              at.shownAt,
              at.clickedAt,
              at.dismissedAt,
              at.convertedAt,
              at.sentAt,
              at.deliveredAt,
            ]),
          ),
          inAnyOrder(
            theirs.map(({ user, variant, state, queuedAt, at }) => [
              user?.id ?? "",
              variant.id,
              state,
              queuedAt,
              at.shown,
              at.clicked,
              at.dismissed,
              at.converted,
              null,
              null,
            ]),
          ),
        );
      for (const state of ["queued", ...FEEDBACK_TYPES] as const) {
        const listed = await api.listCampaignDeliveries({ path, query: { state, perPage: 1 } });
        assert.equal(listed.total, theirs.filter((each) => each.state === state).length, state);
      }
    }
  },

  conversions: (stage) => compareConversions(stage, ["paid", "looked"]),

  "what may be claimed": (stage) => compareClaims(stage, null),

  results: (stage) => compareResults(stage),

  async overview({ house, project: { api }, model }) {
    const since = house.now() - 7 * DAY_MS;
    assert.deepEqual(await api.getOverview(), {
      evaluatedAt: house.now(),
      endUsers: model.users.size,
      eventsLast7d: model.events.filter(({ ts }) => ts >= since).length,
      activeCampaigns: model.campaigns.filter(({ status }) => status === "running").length,
      runningCampaigns: model.campaigns.filter((each) => effective(each, house.now()) === "running").length,
      withheldDeliveries: model.withheld.length,
    });
  },

  async usage({ house, project: { api }, model }) {
    const { activeUsers, projects } = await api.getUsage();
    const expected = model.active.get(model.monthOf(house.now())) ?? 0;
    assert.deepEqual([activeUsers, projects.map((each) => each.activeUsers)], [expected, [expected]]);
  },

  async metrics({ house, project: { api }, model }) {
    for (const [range, length] of [
      ["7d", 7],
      ["90d", 90],
    ] as const) {
      const { days, topEvents, hasAnyActivity } = await api.getMetrics({ query: { range } });
      const first = model.dayOf(house.now()) - length + 1;
      const countOn = (day: number, type: "shown" | "clicked" | "converted"): number =>
        model.deliveries.filter(({ at }) => at[type] !== null && model.dayOf(at[type]) === day).length;
      const expected = Array.from({ length }, (_, i) => ({
        startAt: (first + i) * DAY_MS,
        impressions: countOn(first + i, "shown"),
        clicks: countOn(first + i, "clicked"),
        conversions: countOn(first + i, "converted"),
        events: model.events.filter(({ ts }) => model.dayOf(ts) === first + i).length,
      }));
      const active = ({ impressions, clicks, conversions, events }: (typeof expected)[number]): boolean =>
        impressions + clicks + conversions + events > 0;
      // Empty days are many: they are counted, and the others compared.
      assert.equal(days.length, length);
      assert.deepEqual(
        inAnyOrder(days.filter(active).map(inOrder)),
        inAnyOrder(expected.filter(active).map(inOrder)),
      );
      const counts = new Map<string, number>();
      for (const { name, ts } of model.events)
        if (model.dayOf(ts) >= first) counts.set(name, (counts.get(name) ?? 0) + 1);
      assert.deepEqual(
        topEvents,
        [...counts]
          .map(([name, count]) => ({ name, count }))
          .sort((a, b) => b.count - a.count || byText(a.name, b.name)),
      );
      const inRange = expected.some(({ impressions, events }) => impressions + events > 0);
      assert.equal(hasAnyActivity, model.deliveries.length > 0 || inRange);
    }
  },

  async activity({ project: { api }, model }) {
    const found: unknown[] = [];
    let cursor: string | undefined;
    do {
      const { items, nextCursor } = await api.listActivity({
        query: { limit: 50, ...(cursor === undefined ? {} : { cursor }) },
      });
      found.push(
        ...items.map((item) => [
          item.kind,
          item.occurredAt,
          item.user.externalUserId,
          item.kind === "delivery" ? item.campaign.id : null,
        ]),
      );
      cursor = nextCursor ?? undefined;
    } while (cursor !== undefined);
    assert.deepEqual(
      inAnyOrder(found),
      inAnyOrder([
        ...[...model.users.values()].map(({ id, firstSeenAt }) => ["user", firstSeenAt, id, null]),
        ...model.deliveries.map(({ user, campaign, queuedAt }) => [
          "delivery",
          queuedAt,
          user?.id ?? "",
          campaign.id,
        ]),
      ]),
    );
  },

  async "what audiences can be made of"({ project: { api }, model }) {
    const { capabilities } = await api.getAudienceCapabilities();
    const users = [...model.users.values()];
    const has = (key: string) => users.filter(({ traits }) => (traits[key] ?? null) !== null).length;
    assert.deepEqual(
      inAnyOrder(capabilities.traits.map(({ key, users: count }) => [key, count])),
      inAnyOrder(["plan", "seats", "email"].filter((key) => has(key) > 0).map((key) => [key, has(key)])),
    );
    const names = new Set(model.events.map(({ name }) => name));
    assert.deepEqual(
      inAnyOrder(capabilities.events.map((each) => [each.name, each.users, each.occurrences])),
      inAnyOrder(
        [...names].map((name) => {
          const theirs = model.events.filter((event) => event.name === name);
          return [name, new Set(theirs.map(({ user }) => user)).size, theirs.length];
        }),
      ),
    );
  },

  async "who gets no mail"({ house, project: { projectId }, model }) {
    const { rows } = await house.database.pool.query<{ key: string; reason: string }>(
      "select address_key as key, suppressed_by as reason from email_addresses where project_id = $1 and suppressed_at is not null",
      [projectId],
    );
    assert.deepEqual(inAnyOrder(rows.map(({ key, reason }) => [key, reason])), inAnyOrder([...model.left]));
  },

  async audiences({ project: { api }, model }) {
    for (const audience of AUDIENCES) {
      // As in steps.ts, where the values of operators are named by the generated types.
      const expression = expressionOf(audience) as Parameters<
        typeof api.checkAudience
      >[0]["body"]["expression"];
      const { matchedCount, totalUsers, samples } = await api.checkAudience({
        body: { ...(expression === undefined ? {} : { expression }), sampleLimit: 25 },
      });
      const matching = [...model.users.values()].filter((user) => model.matches(audience, user));
      assert.deepEqual([matchedCount, totalUsers], [matching.length, model.users.size]);
      assert.deepEqual(
        samples.map(({ externalUserId }) => externalUserId).sort(byText),
        matching.map(({ id }) => id).sort(byText),
      );
    }
  },

  async "whom each campaign reaches"({ house, project: { api }, model }) {
    for (const campaign of model.campaigns) {
      const path = { id: campaign.id };
      const deliveries = new Map(model.ofCampaign(campaign).map((each) => [each.user, each]));
      const users = [...model.users.values()];
      const matching = users.filter((user) => model.matches(campaign.audience, user));
      const withheld = new Set(
        model.withheld.flatMap(({ owner, campaign: other }) => (other === campaign ? [owner] : [])),
      );
      const isOut = (user: User): boolean =>
        !deliveries.has(user) && (withheld.has(user) || model.holdsOut(campaign, user));
      const fresh = matching.filter((user) => !deliveries.has(user) && !isOut(user));
      const { matched, heldOut, alreadyDelivered, willReceive } = await api.takeCampaignCensus({ path });
      assert.deepEqual(
        [matched, heldOut, alreadyDelivered, willReceive],
        [
          matching.length,
          matching.filter(isOut).length,
          matching.filter((user) => deliveries.has(user)).length,
          fresh.length,
        ],
      );
      for (const user of users.slice(0, 3)) {
        const { outcome, blockedBy } = await api.explainCampaign({ path, body: { userId: user.id } });
        const delivery = deliveries.get(user);
        const isOpen = model.isOpen(campaign, house.now());
        const gets = isOpen && fresh.includes(user);
        const isHeldOut =
          isOpen && (withheld.has(user) || (isOut(user) && model.matches(campaign.audience, user)));
        const expected = gets ? "would_receive" : isHeldOut ? "held_out" : "blocked";
        assert.equal(outcome, delivery === undefined ? expected : "delivered");
        const goesOn = delivery?.state === "queued" || delivery?.state === "shown";
        assert.equal(blockedBy === null, gets || (isOpen && goesOn));
      }
    }
  },
} satisfies Readonly<Record<string, Read>>;

const inOrder = (object: object) => Object.entries(object).sort(([a], [b]) => byText(a, b));
