import type { TestHouse, TestProject } from "../harness.ts";
import { all, any, days, event, type Node, not, property, trait, user } from "./trees.ts";

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

/** A user as a product would report them: events by hours ago. */
type Role = { traits: Record<string, unknown>; events: [hoursAgo: number, name: string, props?: object][] };

/** Few people, all made through the API, who differ in everything that an audience can ask about. */
const ROLES: Readonly<Record<string, Role>> = {
  ada: {
    traits: { plan: "pro", seats: 5, trial: false, renews: "2026-02-01T00:00:00Z", tags: ["a"] },
    events: [
      [100, "paid", { amount: 20, currency: "EUR" }],
      [30, "paid", { amount: 80, currency: "EUR", coupon: null }],
      [2, "opened"],
    ],
  },
  bo: {
    traits: { plan: "free", seats: "5", trial: true, renews: "soon" },
    events: [
      [30, "opened"],
      [3, "opened"],
      [2, "paid", { amount: "20", currency: "USD" }],
    ],
  },
  cy: { traits: { plan: "Pro", seats: 0, renews: "2026-01-14T12:00:00+01:00" }, events: [] },
  di: { traits: {}, events: [[200, "left"]] },
};
export const NAMES = Object.keys(ROLES);

/** Lets the cast live their lives, which end now. */
export async function perform(house: TestHouse, project: TestProject): Promise<void> {
  const now = house.now();
  const scenes = Object.entries(ROLES).flatMap(([userId, { traits, events }]) => [
    { at: now - 10 * DAY, act: () => project.sdk.identify({ body: { userId, traits } }) },
    ...events.map(([hoursAgo, name, props]) => ({
      at: now - hoursAgo * HOUR,
      act: () =>
        project.sdk.track({
          body: { userId, event: name, ...(props === undefined ? {} : { props: { ...props } }) },
        }),
    })),
  ]);
  for (const { at, act } of scenes.toSorted((a, b) => a.at - b.at)) {
    house.at(at);
    await act();
  }
  house.at(now);
  // Older versions kept null as a value of a trait; now it takes the trait away.
  await house.database.pool.query(
    `update users set traits = traits || '{"a.b": null}' where project_id = $1 and external_id = 'ada'`,
    [project.projectId],
  );
}

/** Audiences of every kind of node, and who of the cast they match. */
export const AUDIENCES: readonly [Node, string][] = [
  [trait("plan", "eq", "pro"), "ada"],
  [trait("plan", "neq", "pro"), "bo cy"],
  [trait("plan", "in", ["pro", "free"]), "ada bo"],
  [trait("plan", "not_in", ["pro", "free"]), "cy"],
  [trait("plan", "contains", "r"), "ada bo cy"],
  [trait("plan", "starts_with", "P"), "cy"],
  [trait("plan", "ends_with", "ro"), "ada cy"],
  [trait("seats", "eq", 5), "ada"],
  [trait("seats", "eq", "5"), "bo"],
  [trait("seats", "neq", 5), "cy"],
  [trait("seats", "gt", 0), "ada"],
  [trait("seats", "gte", 0), "ada cy"],
  [trait("seats", "lt", 5), "cy"],
  [trait("seats", "lte", 5), "ada cy"],
  [trait("trial", "eq", false), "ada"],
  [trait("tags", "exists"), "ada"],
  [trait("a.b", "not_exists"), "ada bo cy di"],
  [trait("renews", "before", "2026-01-15T12:00:00Z"), "cy"],
  [trait("renews", "after", "2026-01-15T12:00:00Z"), "ada"],
  [trait("renews", "within_last", days(2)), "cy"],
  [trait("renews", "not_within_last", days(1)), "ada cy"],
  [trait("renews", "within_next", days(17)), "ada"],
  [trait("renews", "within_next", days(16)), ""],
  [trait("renews", "not_within_next", days(17)), "cy"],
  [user("id", "eq", "ada"), "ada"],
  [user("id", "neq", "ada"), "bo cy di"],
  [user("id", "in", ["bo", "di", "Ada", "ada "]), "bo di"],
  [user("id", "not_in", ["bo", "di"]), "ada cy"],
  [user("id", "contains", "i"), "di"],
  [user("id", "starts_with", "a"), "ada"],
  [user("id", "ends_with", "o"), "bo"],
  [any(user("id", "eq", "di"), trait("plan", "eq", "free")), "bo di"],
  [user("firstSeenAt", "exists"), "ada bo cy di"],
  [user("firstSeenAt", "not_exists"), ""],
  [user("firstSeenAt", "within_last", days(10)), "ada bo cy di"],
  [user("lastSeenAt", "within_last", { amount: 2, unit: "hours" }), "ada bo"],
  [user("lastSeenAt", "not_within_last", days(9)), "cy"],
  [user("lastSeenAt", "after", "2026-01-15T09:59:59.999Z"), "ada bo"],
  [user("lastSeenAt", "before", "2026-01-15T10:00:00Z"), "cy di"],
  [event("paid"), "ada bo"],
  [not(event("paid")), "cy di"],
  [event("paid", { count: { op: "eq", value: 0 } }), "cy di"],
  [event("paid", { count: { op: "gte", value: 2 } }), "ada"],
  [event("paid", { count: { op: "lt", value: 2 } }), "bo cy di"],
  [event("opened", { count: { op: "neq", value: 1 } }), "bo cy di"],
  [event("paid", { window: { amount: 30, unit: "hours" } }), "ada bo"],
  [event("paid", { window: { amount: 1_799, unit: "minutes" } }), "bo"],
  [event("paid", { window: days(1), count: { op: "lte", value: 0 } }), "ada cy di"],
  [event("paid", { where: [property("amount", "gt", 50)] }), "ada"],
  [event("paid", { where: [property("amount", "exists"), property("coupon", "not_exists")] }), "ada bo"],
  [event("paid", { where: [property("currency", "eq", "EUR")], count: { op: "eq", value: 2 } }), "ada"],
  [event("paid", { where: [property("currency", "neq", "EUR")], window: days(1) }), "bo"],
  [all(trait("plan", "exists"), not(event("paid"))), "cy"],
  [any(event("left"), trait("seats", "gt", 4)), "ada di"],
  [not(any(event("left"), event("opened"))), "cy"],
  [all(any(event("opened"), event("left")), not(trait("trial", "eq", true))), "ada di"],
];
