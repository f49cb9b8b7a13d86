import { all, any, days, event, expression, not, property, trait, user } from "../audience/trees.ts";
import type { World } from "../project-world.ts";

type Body = Readonly<Record<string, unknown>>;

const people = expression(
  all(
    any(
      trait("plan", "in", ["pro", "team"]),
      trait("seats", "gte", 3),
      trait("email", "ends_with", "@acme.example"),
    ),
    not(user("lastSeenAt", "not_within_last", days(30))),
    trait("trial_ends", "within_next", days(3)),
    user("id", "not_in", ["ada", "bo"]),
    user("firstSeenAt", "after", "2020-01-01T00:00:00Z"),
    event("signed_up", {
      count: { op: "gte", value: 1 },
      window: days(7),
      where: [property("from", "eq", "test"), property("at", "before", "2030-01-01T00:00:00+02:00")],
    }),
  ),
);

const card = {
  presentation: "modal",
  title: "Hi",
  body: "Look at **this**",
  cta: { label: "Open", destination: { kind: "website", url: "https://acme.example/a?b=c" } },
};
const mail = {
  subject: "Hello {{ user.name | default: 'there' }}",
  previewText: "News",
  body: "# Hi {{ user.name }}\n\n- [a](https://acme.example)",
  cta: { label: "Open", url: "https://acme.example/{{ user.id }}" },
};
const plan = {
  audience: { kind: "expression", expression: people, reason: "They know the way" },
  pages: ["/", "/pricing/*"],
  deliverFrom: "2026-02-01T00:00:00Z",
  deliverUntil: 1_790_000_000_000,
};

/** Further valid bodies, with what the samples leave out. */
export const richer: Readonly<Record<string, (world: World) => readonly Body[]>> = {
  track: ({ userId }) => [{ userId, event: "signed_up", props: { list: [1, { a: null }], "": 0 } }],
  identify: ({ userId }) => [
    { userId, traits: { email: "ada@acme.example", seats: 3, tags: ["a"], gone: null } },
    { userId, userHash: "0".repeat(64) },
  ],
  createGoal: () => [
    { name: "G", description: "d", targetEvent: "upgraded", guardrails: { max: { a: [1] } } },
  ],
  createCampaign: ({ goalId, segmentKey }) => [
    { name: "Rich", goalId, ...plan, message: card, launch: true },
    {
      name: "Two",
      audience: { kind: "segment", segment: segmentKey, version: 1 },
      variants: [
        { name: "A", message: card, weight: 40 },
        { name: "B", message: { ...card, presentation: "toast" }, weight: 60 },
      ],
    },
    {
      name: "Old",
      targeting: { traits: { plan: "pro", seats: 3, on: true }, events: { seen: ["a"], not_seen: ["b"] } },
      message: card,
    },
    { name: "Mail", channel: "email", message: mail },
  ],
  updateCampaign: ({ goalId }) => [{ goalId, ...plan, message: card }],
  checkAudience: () => [{ expression: people, sampleLimit: 3 }],
  explainAudience: ({ userId, segmentKey }) => [
    { userId, expression: people },
    { userId, segment: segmentKey, version: 1 },
  ],
  explainCampaign: ({ userId, endUserId }) => [{ userId }, { userId: endUserId, path: "/reports?tab=1" }],
  updateSegment: () => [
    { name: "More", description: "d", expression: people, expectedVersion: 1, reason: "r" },
  ],
  setInstallationFacts: () => [
    {
      requestId: "facts",
      bindingGeneration: 0,
      revision: 0,
      permission: "granted",
      consent: true,
      capabilities: {
        actions: ["reply"],
        channels: ["news"],
        richImages: true,
        categories: [{ id: "c", actions: [{ id: "yes", title: "Yes" }] }],
      },
    },
  ],
};
