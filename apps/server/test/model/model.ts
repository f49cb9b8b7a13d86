import { userRef, uuidFor } from "../../src/domain/ids.ts";
import { isHeldOut } from "../../src/features/deliveries/gates/holdout.ts";
import { pointOf } from "../../src/features/deliveries/results/point.ts";
import { chooseVariant } from "../../src/features/deliveries/rules.ts";
import { addressRef } from "../../src/features/email/addresses/public.ts";
import { DAY_MS } from "../../src/platform/time/clock.ts";

/**
 * What a project should contain after the requests that it got, as plainly as it can be written down: lists in memory, each rule once.
 * It knows the documents and no statement. Instants are epoch milliseconds.
 */

export type TraitValue = string | number | boolean | null;
export type Traits = Readonly<Record<string, TraitValue>>;
export type Props = Readonly<Record<string, string | number>>;
export const FEEDBACK_TYPES = ["shown", "clicked", "dismissed", "converted"] as const;
export type FeedbackType = (typeof FEEDBACK_TYPES)[number];
export type Action = "launch" | "pause" | "end";

/** Whom a campaign is for: everyone, who has a trait, who did something, or who did not. */
export type Audience =
  | { kind: "all" }
  | { kind: "trait"; key: string; value: TraitValue }
  | { kind: "did"; event: string }
  | { kind: "did not"; event: string };

/** A user until their erasure, with the periods in which they were counted: a user who comes back after it begins anew. */
export type User = {
  id: string;
  key: string;
  traits: Traits;
  /** Names of traits that a file brought: no page changes them. */
  serverTraits: Set<string>;
  firstSeenAt: number;
  lastSeenAt: number;
  periods: Set<string>;
  receipts: Map<string, { campaign: Campaign; type: FeedbackType; receiptId: string }>;
};

export type Event = { user: User; name: string; props: Props | null; ts: number; eventId: string | null };

/** A line of a file of users. `left`: why its address gets no mail; `isBroken`: a cell of it cannot be read. */
export type UserLine = {
  userId: string;
  traits: Traits;
  firstSeenAt: number | null;
  left: "unsubscribed" | "bounced" | null;
  isBroken: boolean;
};
export type EventLine = Omit<Event, "user"> & { userId: string; isBroken: boolean };
export type LineOutcome = "written" | "known" | "refused";

export type Variant = { id: string; name: string; weight: number };

export type Campaign = {
  id: string;
  name: string;
  /** What its messages say, which is never changed. */
  title: string;
  status: "draft" | "running" | "paused" | "ended";
  goal: Goal | null;
  audience: Audience;
  /** The beginning that a page's path must have; null is every page. */
  section: string | null;
  isModal: boolean;
  deliverUntil: number | null;
  createdAt: number;
  variants: Variant[];
  /** How many per cent its goal held out when it ended, once it had been launched: that is its last epoch. */
  percentAtEnd: number | null;
};

export type Goal = { id: string; event: string; attributionDays: number; holdoutPercent: number };

export type State = "queued" | FeedbackType;

/** That a campaign decided about a user: with a delivery, or with one that was withheld. */
export type Contact = {
  /** Whom it was about, erased since or not. */
  owner: User;
  campaign: Campaign;
  queuedAt: number;
  /** The campaign's goal then, and how many per cent of the users it held out. */
  goal: Goal | null;
  percent: number;
};

export type Delivery = Contact & {
  /** Null once they were erased. */
  user: User | null;
  variant: Variant;
  state: State;
  at: Record<FeedbackType, number | null>;
  /** When a goal's event came last; it counts for an exposure of the same millisecond. */
  goalEventAt: number | null;
};

const sameJson = (a: unknown, b: unknown): boolean => JSON.stringify(a) === JSON.stringify(b);
const descending = <T extends string | number>(a: T, b: T): number => (a < b ? 1 : a > b ? -1 : 0);

export class Model {
  readonly users = new Map<string, User>();
  events: Event[] = [];
  deliveries: Delivery[] = [];
  readonly withheld: Contact[] = [];
  /** What erased users had done. */
  readonly erased: Event[] = [];
  /** Why addresses get no mail, by their keys. Erasing a user leaves it so. */
  readonly left = new Map<string, "unsubscribed" | "bounced">();
  readonly campaigns: Campaign[] = [];
  readonly goals: Goal[] = [];
  readonly segments: { id: string; key: string; audience: Audience }[] = [];
  /** Active users by month. Erasing a user takes nothing out. */
  readonly active = new Map<string, number>();
  /** Calls of other services' libraries. */
  readonly calls: { at: number; isTaken: boolean }[] = [];
  readonly projectId: string;

  constructor(projectId: string) {
    this.projectId = projectId;
  }

  // --- What is done -------------------------------------------------------------------------------------------------------------

  identify(id: string, traits: Traits, now: number): void {
    const user = this.#meet(id, now);
    const given = Object.entries(traits).filter(([key]) => !user.serverTraits.has(key));
    // Null takes a trait away.
    const merged = Object.entries({ ...user.traits, ...Object.fromEntries(given) }).filter(
      ([, value]) => value !== null,
    );
    user.traits = Object.fromEntries(merged);
    user.lastSeenAt = Math.max(user.lastSeenAt, now);
    this.#countActive(user, now);
  }

  /** Whether it was taken: false where its `eventId` stands for something else. */
  track(event: Omit<Event, "user"> & { userId: string }, now: number): boolean {
    const { userId, name, props, ts, eventId } = event;
    const known = this.events.find(
      (each) => eventId !== null && each.eventId === eventId && each.user.id === userId,
    );
    if (known !== undefined) return known.name === name && sameJson(known.props, props);
    const user = this.#record(event);
    // What happened before this month is history.
    if (this.monthOf(ts) === this.monthOf(now)) this.#countActive(user, now);
    return true;
  }

  /** Brings in a file of users, as history: no user is active by it. Answers what became of each line. */
  bringUsers(lines: readonly UserLine[], now: number): LineOutcome[] {
    const taken = lines.filter(({ isBroken }) => !isBroken);
    const changed = new Set<UserLine>();
    for (const theirs of Map.groupBy(taken, ({ userId }) => userId).values())
      if (this.#bringUser(theirs, now)) for (const line of theirs) changed.add(line);
    // Also where the rest of the line is refused.
    const leaving = lines.filter(({ left }) => left !== null);
    for (const theirs of Map.groupBy(leaving, ({ traits }) => traits.email).values())
      if (this.#bringLeft(theirs)) for (const line of theirs) changed.add(line);
    return lines.map((line) => (line.isBroken ? "refused" : changed.has(line) ? "written" : "known"));
  }

  /** Brings in a file of events, as history whatever their instants. Answers what became of each line. */
  bringEvents(lines: readonly EventLine[]): LineOutcome[] {
    const fresh: EventLine[] = [];
    const outcomes = lines.map((line): LineOutcome => {
      if (line.isBroken) return "refused";
      // Of events without an id, those that say the same of a user are one, if a file brought them all.
      const { userId, name, props, ts } = line;
      const eventId = line.eventId ?? JSON.stringify([userId, name, ts, props]);
      const isIt = (other: { eventId: string | null }, id: string): boolean =>
        other.eventId === eventId && id === userId;
      const known =
        fresh.find((each) => isIt(each, each.userId)) ?? this.events.find((each) => isIt(each, each.user.id));
      if (known !== undefined)
        return known.name === name && sameJson(known.props, props) ? "known" : "refused";
      fresh.push({ ...line, eventId });
      return "written";
    });
    // A delivery converts by the earliest one of a file, wherever that stands.
    for (const event of fresh.toSorted((a, b) => a.ts - b.ts)) this.#record(event);
    return outcomes;
  }

  /** The deliveries that a user is served, in order; new ones are made. `path` is null for every page. */
  messages(id: string, path: string | null, now: number): Delivery[] {
    const served: Delivery[] = [];
    for (const campaign of this.campaigns) {
      if (!this.isOpen(campaign, now)) continue;
      if (path !== null && campaign.section !== null && !path.startsWith(campaign.section)) continue;
      const user = this.users.get(id);
      const existing = this.deliveries.find((each) => each.user?.id === id && each.campaign === campaign);
      if (existing !== undefined) {
        if (existing.state === "queued" || existing.state === "shown") served.push(existing);
      } else if (this.withheld.some(({ owner, campaign: other }) => owner === user && other === campaign)) {
        // They count as having had it.
      } else if (this.matches(campaign.audience, user)) {
        const delivery = this.#deliver(campaign, id, now);
        if (delivery !== null) served.push(delivery);
      }
    }
    return served.sort(
      ({ campaign: a }, { campaign: b }) =>
        Number(b.isModal) - Number(a.isModal) ||
        descending(a.createdAt, b.createdAt) ||
        descending(a.id, b.id),
    );
  }

  /**
   * What becomes of a feedback: `new`, a repeat with the receipt that it had, or why it is refused. The receipt of a new one is
   * recorded with `acknowledge`.
   */
  feedback(
    id: string,
    campaign: Campaign,
    type: FeedbackType,
    feedbackId: string,
  ): "new" | { receiptId: string } | 404 | 409 {
    const user = this.users.get(id);
    const delivery = user && this.deliveriesOf(user).find((each) => each.campaign === campaign);
    if (user === undefined || delivery === undefined) return 404;
    const known = user.receipts.get(feedbackId);
    if (known !== undefined)
      return known.campaign === campaign && known.type === type ? { receiptId: known.receiptId } : 409;
    return type !== "shown" && delivery.at.shown === null ? 409 : "new";
  }

  acknowledge(
    id: string,
    campaign: Campaign,
    { type, feedbackId, receiptId }: { type: FeedbackType; feedbackId: string; receiptId: string },
    now: number,
  ): void {
    const user = this.users.get(id);
    const delivery = user && this.deliveriesOf(user).find((each) => each.campaign === campaign);
    if (user === undefined || delivery === undefined) throw new Error("There is nothing to acknowledge.");
    user.receipts.set(feedbackId, { campaign, type, receiptId });
    if (type === "shown") this.#countActive(user, now);
    if (delivery.at[type] !== null) return;
    this.#resolve(delivery, type, now);
    const { goalEventAt } = delivery;
    if (type === "shown" && goalEventAt !== null && goalEventAt >= now)
      this.#resolve(delivery, "converted", goalEventAt);
  }

  /** The status after an action, or null where it is refused. */
  act(campaign: Campaign, action: Action, now: number): Campaign["status"] | null {
    const { status, deliverUntil } = campaign;
    if (status === "ended") return null;
    if (action === "end") return "ended";
    if (deliverUntil !== null && now >= deliverUntil) return null;
    if (action === "pause") return status === "running" ? "paused" : null;
    return status === "running" ? null : "running";
  }

  /** Whether there was such a user. */
  erase(id: string): boolean {
    const user = this.users.get(id);
    if (user === undefined) return false;
    this.erased.push(...this.eventsOf(user));
    for (const delivery of this.deliveriesOf(user)) delivery.user = null;
    this.events = this.events.filter((event) => event.user !== user);
    this.users.delete(id);
    return true;
  }

  countCall(isTaken: boolean, at: number): void {
    this.calls.push({ at, isTaken });
  }

  // --- What can be read ---------------------------------------------------------------------------------------------------------

  matches(audience: Audience, user: User | undefined): boolean {
    switch (audience.kind) {
      case "all":
        return true;
      case "trait":
        return user?.traits[audience.key] === audience.value;
      case "did":
        return user !== undefined && this.eventsOf(user).some(({ name }) => name === audience.event);
      case "did not":
        return user === undefined || this.eventsOf(user).every(({ name }) => name !== audience.event);
    }
  }

  /** Whether a user is held out of a campaign's goal. */
  holdsOut = ({ goal, percentAtEnd }: Campaign, { key }: User): boolean =>
    goal !== null &&
    isHeldOut({ goalId: uuidFor("goal", goal.id), holdoutPercent: percentAtEnd ?? goal.holdoutPercent }, key);

  isOpen({ status, deliverUntil }: Campaign, now: number): boolean {
    return status === "running" && (deliverUntil === null || now < deliverUntil);
  }

  eventsOf = (user: User): Event[] => this.events.filter((event) => event.user === user);
  deliveriesOf = (user: User): Delivery[] => this.deliveries.filter((each) => each.user === user);
  ofCampaign = (campaign: Campaign): Delivery[] =>
    this.deliveries.filter((each) => each.campaign === campaign);

  /** Whether the user of a delivery did something at or after they had seen its message. */
  didAfterExposure = ({ owner, at: { shown } }: Delivery, event: string): boolean =>
    shown !== null && this.didBetween(owner, event, shown, Infinity);

  /** When a user, erased since or not, first did something between two instants, both included; null where never. */
  firstBetween(user: User, event: string, from: number, until: number): number | null {
    const instants = [...this.events, ...this.erased]
      .filter(({ user: owner, name, ts }) => owner === user && name === event && ts >= from && ts <= until)
      .map(({ ts }) => ts);
    return instants.length === 0 ? null : Math.min(...instants);
  }

  /** Whether a user, erased since or not, did something between two instants, both included. */
  didBetween = (user: User, event: string, from: number, until: number): boolean =>
    this.firstBetween(user, event, from, until) !== null;

  /** The first contact of each user with a goal's campaigns. */
  firstContacts(goal: Goal): { contact: Contact; isWithheld: boolean }[] {
    const first = new Map<User, { contact: Contact; isWithheld: boolean }>();
    const rank = ({ contact, isWithheld }: { contact: Contact; isWithheld: boolean }): number[] => [
      contact.queuedAt,
      contact.percent,
      Number(isWithheld),
    ];
    const all = [
      ...this.deliveries.map((contact) => ({ contact, isWithheld: false })),
      ...this.withheld.map((contact) => ({ contact, isWithheld: true })),
    ].filter(({ contact }) => contact.goal === goal);
    for (const each of all) {
      const known = first.get(each.contact.owner);
      const [mine, theirs] = [rank(each), known && rank(known)];
      const differs = theirs && mine.findIndex((part, place) => part !== theirs[place]);
      if (
        theirs === undefined ||
        (differs !== undefined && differs >= 0 && (mine[differs] ?? 0) < (theirs[differs] ?? 0))
      )
        first.set(each.contact.owner, each);
    }
    return [...first.values()];
  }

  /** How many calls were taken since an instant, and how many were not. */
  callsSince(instant: number): [taken: number, refused: number] {
    const since = this.calls.filter(({ at }) => at >= instant);
    const taken = since.filter(({ isTaken }) => isTaken).length;
    return [taken, since.length - taken];
  }

  monthOf = (instant: number): string => new Date(instant).toISOString().slice(0, 7);
  dayOf = (instant: number): number => Math.floor(instant / DAY_MS);

  // --- How it follows -----------------------------------------------------------------------------------------------------------

  #meet(id: string, now: number): User {
    const known = this.users.get(id);
    if (known !== undefined) return known;
    const { userKey: key } = userRef(this.projectId, id);
    const seen = { firstSeenAt: now, lastSeenAt: now };
    const user: User = {
      id,
      key,
      traits: {},
      serverTraits: new Set(),
      ...seen,
      periods: new Set(),
      receipts: new Map(),
    };
    this.users.set(id, user);
    return user;
  }

  /** What an event changes beside who is active. */
  #record({ userId, name, props, ts, eventId }: Omit<Event, "user"> & { userId: string }): User {
    const user = this.#meet(userId, ts);
    user.firstSeenAt = Math.min(user.firstSeenAt, ts);
    user.lastSeenAt = Math.max(user.lastSeenAt, ts);
    this.events.push({ user, name, props, ts, eventId });
    for (const delivery of this.deliveriesOf(user)) {
      if (delivery.campaign.goal?.event !== name || delivery.at.converted !== null) continue;
      delivery.goalEventAt = Math.max(delivery.goalEventAt ?? ts, ts);
      const { shown } = delivery.at;
      if (shown !== null && ts >= shown) this.#resolve(delivery, "converted", ts);
    }
    return user;
  }

  /** Gives a user what the lines about them say: of two, the later one counts. Answers whether that changed anything. */
  #bringUser(lines: readonly UserLine[], now: number): boolean {
    const [{ userId }] = lines as [UserLine];
    const traits: Traits = Object.assign({}, ...lines.map((line) => line.traits));
    const dates = lines.flatMap(({ firstSeenAt }) => firstSeenAt ?? []);
    const since = dates.length === 0 ? now : Math.min(...dates);
    const known = this.users.get(userId);
    const isThere = ([key, value]: [string, TraitValue]): boolean =>
      known !== undefined && known.traits[key] === value && known.serverTraits.has(key);
    if (known !== undefined && known.firstSeenAt <= since && Object.entries(traits).every(isThere))
      return false;
    const user = this.#meet(userId, since);
    user.traits = { ...user.traits, ...traits };
    for (const key of Object.keys(traits)) user.serverTraits.add(key);
    user.firstSeenAt = Math.min(user.firstSeenAt, since);
    return true;
  }

  /** Stops mail to the address of some lines. Recipients may undo their own unsubscribing, so any other reason is stronger. */
  #bringLeft(lines: readonly UserLine[]): boolean {
    const { addressKey } = addressRef(this.projectId, String(lines[0]?.traits.email));
    const reason = lines.some(({ left }) => left === "bounced") ? "bounced" : "unsubscribed";
    const before = this.left.get(addressKey);
    if (before === "bounced" || before === reason) return false;
    this.left.set(addressKey, reason);
    return true;
  }

  #countActive(user: User, now: number): void {
    const month = this.monthOf(now);
    if (user.periods.has(month)) return;
    user.periods.add(month);
    this.active.set(month, (this.active.get(month) ?? 0) + 1);
  }

  /** A new delivery, or null where it is withheld. */
  #deliver(campaign: Campaign, id: string, now: number): Delivery | null {
    const user = this.#meet(id, now);
    const { goal } = campaign;
    const contact = { owner: user, campaign, queuedAt: now, goal, percent: goal?.holdoutPercent ?? 0 };
    if (this.holdsOut(campaign, user)) {
      this.withheld.push(contact);
      return null;
    }
    const variant = chooseVariant(campaign.variants, pointOf(uuidFor("cmp", campaign.id), user.key));
    if (variant === null) throw new Error("A campaign has a variant with a weight.");
    const delivery: Delivery = {
      ...contact,
      user,
      variant,
      state: "queued",
      goalEventAt: null,
      at: { shown: null, clicked: null, dismissed: null, converted: null },
    };
    this.deliveries.push(delivery);
    return delivery;
  }

  #resolve(delivery: Delivery, type: FeedbackType, at: number): void {
    delivery.at[type] = at;
    delivery.state = type;
  }
}
