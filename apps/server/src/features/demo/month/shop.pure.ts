import type { Input } from "@tidings/client";
import { CUSTOMER_SINCE, PURCHASE } from "../names.pure.ts";

type CampaignBody = Input<"createCampaign">["body"];
type GoalBody = Input<"createGoal">["body"];
type Expression = Input<"createSegment">["body"]["expression"];
type Node = Expression["root"];

/** The share of customers who get no message of the first goal, in per cent. */
export const HOLDOUT = 10;
/** The app of the month. It is another one than that of the demo's phone, whose campaign is for all devices of its app. */
export const APP_ID = "com.example.daybreak.app";
export const SUBSCRIBED = "subscribed";

export const GOALS = {
  orders: {
    name: "More orders",
    description: "What messages in the shop bring: a tenth of the customers get none, to see the difference.",
    targetEvent: PURCHASE,
    attributionDays: 3,
    holdoutPercent: HOLDOUT,
    approvalMode: "require_human",
    guardrails: {
      maxActiveCampaigns: 4,
      minControlShare: 0.1,
      forbiddenPhrases: ["guaranteed", "last chance"],
    },
  },
  newsletters: {
    name: "Readers who order",
    description: "The newsletter may cost us few readers.",
    targetEvent: PURCHASE,
    attributionDays: 5,
    approvalMode: "require_human",
    guardrails: { maxUnsubscribeRate: 0.02, maxComplaintRate: 0.003 },
  },
  subscriptions: {
    name: "Subscriptions",
    description: "From single bags to a subscription.",
    targetEvent: SUBSCRIBED,
    attributionDays: 3,
    approvalMode: "auto",
    guardrails: { errorBudget: 0.05, minControlShare: 0.5 },
  },
} satisfies Record<string, GoalBody>;

const trait = (key: string, op: "eq" | "exists", value?: string | boolean): Node => ({
  kind: "field" as const,
  field: { kind: "trait" as const, key },
  op,
  ...(value === undefined ? {} : { value }),
});
const whole = (...children: Extract<Node, { kind: "all" | "any" }>["children"]): Expression => ({
  version: 1,
  root: { kind: "all", children },
});
const isCustomer = trait(CUSTOMER_SINCE, "exists");

/** Customers of the month, and no visitor of the demo. */
export const CUSTOMERS = whole(isCustomer);
/** Visitors of the demo alone. */
export const VISITOR_AUDIENCE = { version: 1 as const, root: { kind: "not" as const, child: isCustomer } };

export const SEGMENTS = {
  readers: {
    key: "letter-readers",
    name: "Readers of the newsletter",
    description: "Who asked for our newsletter.",
    expression: whole(isCustomer, trait("newsletter", "eq", true)),
  },
  quiet: {
    key: "quiet-customers",
    name: "Quiet customers",
    description: "Have ordered before, and not lately.",
    expression: whole(trait("newsletter", "eq", true), {
      kind: "not",
      child: {
        kind: "event",
        event: PURCHASE,
        window: { amount: 14, unit: "days" },
      },
    }),
  },
} satisfies Record<string, Input<"createSegment">["body"]>;

/** The second version of a segment: with those who have been customers for some weeks alone. */
export const QUIET_SINCE = whole(
  trait("newsletter", "eq", true),
  {
    kind: "field",
    field: { kind: "user", field: "firstSeenAt" },
    op: "not_within_last",
    value: { amount: 45, unit: "days" },
  },
  { kind: "not", child: { kind: "event", event: PURCHASE, window: { amount: 21, unit: "days" } } },
);

const toast = (title: string, body: string, label: string) => ({
  presentation: "toast" as const,
  title,
  body,
  cta: { label, url: "/coffee" },
});

type Pair = readonly [string, object, string, object];
const pair = ([control, first, other, second]: Pair) => ({
  variants: [
    { name: control, isControl: true, weight: 50, message: first },
    { name: other, weight: 50, message: second },
  ] as NonNullable<CampaignBody["variants"]>,
});

const inShop = { pages: ["/coffee", "/coffee/*"], audience: { kind: "expression", expression: CUSTOMERS } };

/** Campaigns with two variants of equal weight, in the order in which `sides` of a customer speaks of them. */
export const PAIRS = ["breakfast", "subscribe", "giftCards", "newsletter"] as const;

/** The campaigns, by the name that the play has for them. `goal` names one of `GOALS`, `segment` one of `SEGMENTS`. */
export const CAMPAIGNS = {
  breakfast: {
    name: "Breakfast box",
    goal: "orders",
    ...inShop,
    ...pair([
      "Plain",
      toast("The breakfast box is here", "Coffee, jam and a loaf for four.", "See the box"),
      "Promise",
      toast(
        "Breakfast, {{ user.first_name | default: 'sorted' }}",
        "Order by Thursday, eat on Saturday. The first box travels free.",
        "Bring me breakfast",
      ),
    ]),
  },
  subscribe: {
    name: "Never run out",
    goal: "subscriptions",
    ...inShop,
    ...pair([
      "A bag a month",
      toast("A bag a month, and no empty tin", "Pause or stop whenever you like.", "Subscribe"),
      "Save a tenth",
      toast("Save a tenth on each bag", "With a subscription that you can pause.", "Save a tenth"),
    ]),
  },
  giftCards: {
    name: "Gift cards",
    goal: "orders",
    ...inShop,
    ...pair([
      "Text",
      toast("Give a morning", "Gift cards from 15, by mail or on paper.", "Choose a card"),
      "With a countdown",
      toast(
        "Give a morning before the holidays",
        "Cards ordered today are with you on Friday.",
        "Choose a card",
      ),
    ]),
  },
  tasting: {
    name: "Autumn tasting",
    goal: "orders",
    ...inShop,
    message: {
      presentation: "modal",
      title: "Come and taste",
      body: "Three new coffees on Saturday, at our roastery.",
      cta: { label: "Keep me a place", url: "/coffee/tasting" },
    },
  },
  grinder: {
    name: "Free grinder week",
    goal: "orders",
    ...inShop,
    message: toast("A grinder with your order", "This week, from three bags on.", "To the bags"),
  },
  holidays: {
    name: "Holiday roast",
    goal: "orders",
    ...inShop,
    message: toast(
      "The holiday roast is back",
      "Orange, clove and dark chocolate, until it is gone.",
      "Taste it",
    ),
  },
  friend: {
    name: "Refer a friend",
    ...inShop,
    message: toast("Coffee is better for two", "A bag for you, one for a friend.", "Invite"),
  },
  newsletter: {
    name: "The coffee letter",
    channel: "email",
    goal: "newsletters",
    segment: "readers",
    ...pair([
      "What is new",
      {
        subject: "What we roast in autumn",
        body: "Hello {{ user.first_name | default: 'there' }},\n\n**three coffees** came in this month: one from Ethiopia, one from Peru, one from around the corner.\n\nSee you at breakfast.",
        cta: { label: "Read on", url: "https://daybreak.example/coffee" },
      },
      "A question",
      {
        subject: "{{ user.first_name | default: 'You' }}, filter or espresso?",
        body: "Hello {{ user.first_name | default: 'there' }},\n\nwe sorted our coffees by **how you make them**. Tell us, and we roast for you.\n\nSee you at breakfast.",
        cta: { label: "Tell us", url: "https://daybreak.example/coffee" },
      },
    ]),
  },
  missYou: {
    name: "We miss you",
    channel: "email",
    goal: "newsletters",
    segment: "quiet",
    message: {
      subject: "Your tin must be empty, {{ user.first_name | default: 'early riser' }}",
      body: "Hello {{ user.first_name | default: 'there' }},\n\nit has been a while. {{ user.favourite | default: 'Morning Blend' }} was roasted this Tuesday.",
      cta: { label: "Fill my tin", url: "https://daybreak.example/coffee" },
    },
  },
  gifts: {
    name: "Gift guide",
    channel: "email",
    segment: "readers",
    message: { subject: "Gifts that smell good", body: "Under ten, under thirty, and one for yourself." },
  },
  restocked: {
    name: "Night Shift is back",
    channel: "push",
    goal: "orders",
    audience: { kind: "all" },
    push: { appId: APP_ID, selection: { kind: "all" } },
    message: {
      title: "Night Shift is back",
      body: "Roasted this morning, {{ user.first_name | default: 'and yours' }}.",
      destination: { kind: "app", url: "daybreak://night-shift" },
      actions: [{ id: "open", title: "Show me" }],
    },
  },
  evening: {
    name: "Evening offer",
    channel: "push",
    goal: "orders",
    audience: { kind: "all" },
    push: { appId: APP_ID, selection: { kind: "last_active" } },
    message: {
      title: "Ten per cent until ten",
      body: "For tomorrow's coffee.",
      destination: { kind: "app", url: "daybreak://offers" },
    },
  },
} satisfies Record<string, Record<string, unknown>>;

export type CampaignName = keyof typeof CAMPAIGNS;
export const MONTH_CAMPAIGNS: readonly string[] = Object.values(CAMPAIGNS).map(({ name }) => name);

/** When campaigns are made, launched, and ended or paused: day of the month, and hours after its beginning. */
export type CampaignScene = {
  day: number;
  hours: number;
  campaign: CampaignName;
  does: "make" | "launch" | "pause" | "end";
};
const scene = (
  day: number,
  hours: number,
  does: CampaignScene["does"],
  campaign: CampaignName,
): CampaignScene => ({
  day,
  hours,
  does,
  campaign,
});

export const SCENES: readonly CampaignScene[] = [
  scene(0, 2, "make", "breakfast"),
  scene(0, 2.4, "make", "newsletter"),
  scene(0, 2.9, "make", "subscribe"),
  scene(0, 3.3, "make", "giftCards"),
  scene(1, 1, "make", "tasting"),
  scene(1, 2, "launch", "tasting"),
  scene(8, 1, "launch", "newsletter"),
  scene(11, 1, "launch", "breakfast"),
  scene(16, 1, "end", "tasting"),
  scene(16, 2, "launch", "giftCards"),
  scene(18, 1, "make", "restocked"),
  scene(19, 2, "launch", "restocked"),
  scene(21, 1, "make", "missYou"),
  scene(21, 3, "launch", "missYou"),
  scene(23, 1, "pause", "missYou"),
  scene(22, 1, "launch", "subscribe"),
  scene(24, 2, "make", "grinder"),
  scene(25, 1, "launch", "grinder"),
  scene(26, 1, "end", "restocked"),
  scene(27, 1, "make", "holidays"),
  scene(27, 2, "launch", "holidays"),
  scene(28, 1, "pause", "grinder"),
  scene(28, 3, "make", "friend"),
  scene(28, 4, "make", "gifts"),
  scene(29, 1, "make", "evening"),
];

/** How customers take a message in the shop, as shares: of a variant, the control first. */
export type Reaction = { shown: number; clicked: number; dismissed: number; acts: number };
const reaction = (shown: number, clicked: number, dismissed: number, acts: number): Reaction => ({
  shown,
  clicked,
  dismissed,
  acts,
});

/** `acts`: orders (or subscribes) because of it, beside those who would have anyway. The countdown fails on many pages. */
export const REACTIONS: Partial<Record<CampaignName, readonly Reaction[]>> = {
  breakfast: [reaction(1, 0.06, 0.2, 0.02), reaction(1, 0.14, 0.16, 0.32)],
  subscribe: [reaction(1, 0.05, 0.2, 0.03), reaction(1, 0.06, 0.2, 0.035)],
  giftCards: [reaction(1, 0.05, 0.25, 0.02), reaction(0.3, 0.07, 0.2, 0.03)],
  tasting: [reaction(1, 0.12, 0.4, 0.03)],
  grinder: [reaction(1, 0.09, 0.2, 0.05)],
};
