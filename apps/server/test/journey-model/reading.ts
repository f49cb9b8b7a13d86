/**
 * What a journey means, read plainly: one event and one step after the other, over whole hours. It shares no code with the server, and is compared
 * with it. A mail leaves in the hour in which it was made.
 */

/** What an `if` asks of a user, or a journey of users who enter. */
export type PlainTest = { plan: string } | { seats: number } | { did: string };

export type PlainStep =
  | { id: string; kind: "send" }
  | { id: string; kind: "wait"; hours: number; orEvent: string | null }
  | { id: string; kind: "if"; test: PlainTest; else: string }
  | { id: string; kind: "split"; arms: PlainArm[] }
  | { id: string; kind: "end" };

/** A path with its share of users, and where it begins. */
export type PlainArm = { name: string; weight: number; to: string };

export type PlainDeed = { occasion: number; stepId: string; did: string; version: number; hour: number };

export type PlainEntry = {
  userId: string;
  occasion: number;
  stepId: string;
  /** Where they go on whose step was taken away. */
  goesTo: string | null;
  since: number;
  enteredAt: number;
  leftBy: string | null;
  passed: PlainDeed[];
  /** The arms of which one was drawn when they entered; null where the journey had no split. */
  offered: readonly PlainArm[] | null;
  /** The arm that was drawn: only the server knows it, which is asked once. */
  arm: string | null;
};

/** `ghost`: the mail server does not know the address, which gets no more mail after it said so. */
export type PlainPerson = {
  address: "good" | "none" | "ghost";
  plan: string | null;
  seats: number | null;
  did: Set<string>;
  isHeldOut: boolean;
  isSuppressed: boolean;
};

export type PlainJourney = {
  status: "running" | "paused" | "ended";
  version: number;
  entersOn: string | null;
  admits: PlainTest | null;
  againDays: number | null;
  goalEvent: string | null;
  onGoal: boolean;
  exits: string[];
  steps: PlainStep[];
  pausedSteps: Set<string>;
  people: Map<string, PlainPerson>;
  entries: PlainEntry[];
  /** The subjects of the mail that each user got, in their order. */
  mails: Map<string, string[]>;
  /** Whether users are held out of the message of a step, by user and step: that is decided with the first one. */
  decided: Map<string, Map<string, boolean>>;
};

const END = "end";

export const isMet = (test: PlainTest, person: PlainPerson): boolean => {
  if ("plan" in test) return person.plan === test.plan;
  if ("seats" in test) return person.seats !== null && person.seats >= test.seats;
  return person.did.has(test.did);
};

export const lastEntryOf = ({ entries }: PlainJourney, userId: string): PlainEntry | undefined =>
  entries.findLast((entry) => entry.userId === userId);

const isInside = (entry: PlainEntry): boolean => entry.leftBy === null;

/** Why a user may not enter; null where they may. */
export function barOf(journey: PlainJourney, userId: string, hour: number): string | null {
  const person = journey.people.get(userId);
  if (person === undefined) return "no_user";
  const last = lastEntryOf(journey, userId);
  if (last !== undefined && isInside(last)) return "inside";
  if (last !== undefined) {
    const { againDays } = journey;
    if (againDays === null || hour < last.enteredAt + againDays * 24) return "again";
  }
  return journey.admits === null || isMet(journey.admits, person) ? null : "audience";
}

function enter(journey: PlainJourney, userId: string, hour: number): void {
  const [first] = journey.steps;
  if (first === undefined) return;
  const occasion = (lastEntryOf(journey, userId)?.occasion ?? -1) + 1;
  const place = { stepId: first.id, goesTo: null, since: hour, enteredAt: hour };
  const offered = first.kind === "split" ? first.arms : null;
  journey.entries.push({ userId, occasion, ...place, leftBy: null, passed: [], offered, arm: null });
}

/** Why a user cannot have drawn an arm; null where they can: who had one keeps it while it has weight, and none draws one without. */
export function armFault(journey: PlainJourney, entry: PlainEntry, arm: string | null): string | null {
  if (entry.offered === null) return arm === null ? null : "there is no split";
  const open = entry.offered.filter(({ weight }) => weight > 0).map(({ name }) => name);
  const first = journey.entries.find(
    ({ userId, occasion }) => userId === entry.userId && occasion === 0,
  )?.arm;
  if (first !== undefined && first !== null && open.includes(first))
    return arm === first ? null : `they had ${first}`;
  return arm !== null && open.includes(arm) ? null : `it is none of ${open}`;
}

/** Has a user go on from where they are, to the step of an id or out of the journey. */
function goOn(journey: PlainJourney, entry: PlainEntry, did: string, to: string, hour: number): void {
  const { occasion, stepId } = entry;
  entry.passed.push({ occasion, stepId, did, version: journey.version, hour });
  if (to === END) entry.leftBy = "finished";
  else Object.assign(entry, { stepId: to, goesTo: null, since: hour });
}

const nextId = ({ steps }: PlainJourney, id: string): string =>
  steps[steps.findIndex((step) => step.id === id) + 1]?.id ?? END;

/** A user did something, which is known of them already; `isLate`: hours ago. */
export function happens(
  journey: PlainJourney,
  userId: string,
  event: string,
  isLate: boolean,
  hour: number,
): void {
  if (journey.status === "ended") return;
  const entry = lastEntryOf(journey, userId);
  if (entry !== undefined && isInside(entry)) {
    if (journey.onGoal && event === journey.goalEvent) entry.leftBy = "goal";
    else if (journey.exits.includes(event)) entry.leftBy = "event";
    else {
      const step = journey.steps.find(({ id }) => id === entry.stepId);
      if (step?.kind === "wait" && step.orEvent === event)
        goOn(journey, entry, "happened", nextId(journey, step.id), hour);
      return;
    }
  }
  if (journey.status === "running" && event === journey.entersOn && !isLate)
    if (barOf(journey, userId, hour) === null) enter(journey, userId, hour);
}

/** A program lets users in by their ids; answers why each did not enter. */
export function admitAll(
  journey: PlainJourney,
  some: readonly string[],
  hour: number,
): (string | null)[] | "not_running" {
  if (journey.status !== "running") return "not_running";
  return some.map((userId) => {
    const bar = barOf(journey, userId, hour);
    if (bar === null) enter(journey, userId, hour);
    return bar;
  });
}

/** A user is taken out; answers whether they were inside. */
export function takeOut(journey: PlainJourney, userId: string): boolean {
  const entry = lastEntryOf(journey, userId);
  if (entry === undefined || !isInside(entry)) return false;
  entry.leftBy = "removed";
  return true;
}

/** A user is erased: what they went through stays, without their name. */
export function erase(journey: PlainJourney, userId: string): void {
  for (const entry of journey.entries.filter((each) => each.userId === userId)) {
    entry.leftBy ??= "erased";
    entry.userId = "";
  }
  journey.people.delete(userId);
  journey.decided.delete(userId);
}

/** The steps are others from now on; answers how many are where of whom the moves say nothing, and then changes nothing. */
export function changeSteps(
  journey: PlainJourney,
  steps: PlainStep[],
  moves: Readonly<Record<string, string>>,
): Record<string, number> | null {
  const isThere = (id: string): boolean => id === END || steps.some((step) => step.id === id);
  const goes = new Map<PlainEntry, string>();
  const stranded: Record<string, number> = {};
  for (const entry of journey.entries.filter(isInside)) {
    // A user who has not moved since an earlier change goes where that leads, or on from there.
    const wanted = entry.goesTo ?? entry.stepId;
    if (entry.goesTo === null && isThere(wanted)) continue;
    const to = isThere(wanted) ? wanted : moves[wanted];
    if (to === undefined) stranded[wanted] = (stranded[wanted] ?? 0) + 1;
    else goes.set(entry, to);
  }
  if (Object.keys(stranded).length > 0) return stranded;
  for (const [entry, to] of goes) entry.goesTo = to;
  journey.steps = steps;
  journey.pausedSteps = new Set([...journey.pausedSteps].filter(isThere));
  return null;
}

/** What becomes of the mail of a step; null while its user waits for it. */
function mailed(journey: PlainJourney, entry: PlainEntry): "sent" | "skipped" | "withheld" | null {
  const person = journey.people.get(entry.userId);
  if (person === undefined || person.address === "none" || person.isSuppressed) return "skipped";
  if (journey.pausedSteps.has(entry.stepId)) return null;
  const decided = journey.decided.get(entry.userId) ?? new Map<string, boolean>();
  const isHeldOut = decided.get(entry.stepId) ?? person.isHeldOut;
  journey.decided.set(entry.userId, decided.set(entry.stepId, isHeldOut));
  if (isHeldOut) return "withheld";
  if (person.address === "ghost") {
    person.isSuppressed = true;
    return "skipped";
  }
  journey.mails.set(entry.userId, [...(journey.mails.get(entry.userId) ?? []), entry.stepId]);
  return "sent";
}

/** Moves everybody as far as they come in an hour. */
export function moveAll(journey: PlainJourney, hour: number): void {
  for (const entry of journey.entries.filter(isInside)) {
    if (journey.status === "ended") entry.leftBy = "ended";
    // A user who comes to an end on the way has left from the step before it.
    let before = { stepId: entry.stepId, since: entry.since };
    while (journey.status === "running" && isInside(entry)) {
      const step = journey.steps.find(({ id }) => id === entry.stepId);
      if (step?.kind === "end") {
        Object.assign(entry, before, { leftBy: "finished" });
        break;
      }
      before = { stepId: entry.stepId, since: entry.since };
      if (step === undefined) goOn(journey, entry, "moved", entry.goesTo ?? END, hour);
      else if (step.kind === "wait") {
        if (hour < entry.since + step.hours) break;
        goOn(journey, entry, "waited", nextId(journey, step.id), hour);
      } else if (step.kind === "send") {
        const did = mailed(journey, entry);
        if (did === null) break;
        goOn(journey, entry, did, nextId(journey, step.id), hour);
      } else if (step.kind === "split") {
        const arm = step.arms.find(({ name }) => name === entry.arm);
        goOn(journey, entry, "split", arm?.to ?? END, hour);
      } else {
        const person = journey.people.get(entry.userId);
        const met = person !== undefined && isMet(step.test, person);
        goOn(journey, entry, met ? "met" : "unmet", met ? nextId(journey, step.id) : step.else, hour);
      }
    }
  }
}

/** The arms of the split with which steps begin; none where they begin otherwise. */
export const armsOf = ([first]: readonly PlainStep[]): readonly PlainArm[] =>
  first?.kind === "split" ? first.arms : [];

/** What the results of the journey say, counted from what everybody did. */
export function countsOf({ entries, steps }: PlainJourney) {
  const left = (by: string): number => entries.filter(({ leftBy }) => leftBy === by).length;
  const deeds = entries.flatMap(({ passed }) => passed);
  const did = (id: string, what: string): number =>
    deeds.filter((deed) => deed.stepId === id && deed.did === what).length;
  return {
    entered: entries.length,
    moved: deeds.filter((deed) => deed.did === "moved").length,
    inside: entries.filter(isInside).length,
    left: {
      finished: left("finished"),
      goal: left("goal"),
      event: left("event"),
      removed: left("removed"),
      ended: left("ended"),
    },
    steps: steps.map(({ id }) => ({
      stepId: id,
      here: entries.filter((entry) => isInside(entry) && entry.stepId === id).length,
      sent: did(id, "sent"),
      withheld: did(id, "withheld"),
      skipped: did(id, "skipped"),
      waited: did(id, "waited"),
      happened: did(id, "happened"),
      met: did(id, "met"),
      unmet: did(id, "unmet"),
      split: did(id, "split"),
    })),
    arms: armsOf(steps).map(({ name }) => ({
      name,
      entered: entries.filter(({ arm }) => arm === name).length,
    })),
  };
}
