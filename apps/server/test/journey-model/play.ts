import assert from "node:assert/strict";
import type { Answer, Input } from "@tidings/client";
import { HOUR_MS } from "../../src/platform/time/clock.ts";
import { heldOutOf } from "../eligibility.ts";
import { setSettings } from "../email.ts";
import { refusal, type TestHouse, type TestProject } from "../harness.ts";
import { mail } from "../journeys.ts";
import {
  admitAll,
  armFault,
  armsOf,
  barOf,
  changeSteps,
  countsOf,
  erase,
  happens,
  isMet,
  lastEntryOf,
  moveAll,
  type PlainArm,
  type PlainJourney,
  type PlainPerson,
  type PlainStep,
  type PlainTest,
  takeOut,
} from "./reading.ts";
import type { Act, ArmDraw, Happening, StepDraw, World } from "./worlds.ts";

const EVENTS = ["began", "used", "left", "bought", "hurried", "began", "hurried", "strayed"];
const HOLDOUTS = [0, 30, 50];
const AWAITED = ["hurried", "used", "hurried", "began"];
const END = "end";
const MOST_STEPS = 12;
/** An event of so long ago lets no user in. */
const LATE_MS = 2 * HOUR_MS;

const pick = <T>(list: readonly T[], drawn: number): T => {
  const found = list[drawn % list.length];
  if (found === undefined) throw new Error("Nothing to pick from.");
  return found;
};

const nameOf = (number: number): string => `user-${number}`;

const testOf = (drawn: number): PlainTest =>
  pick<PlainTest>([{ plan: "pro" }, { seats: drawn % 30 }, { did: "used" }], drawn);
const admitsOf = (drawn: number): PlainTest | null => (drawn % 5 === 0 ? testOf(drawn) : null);
const againOf = (drawn: number): number | null => pick([null, 0, 0, 1, 2], drawn);
const exitsOf = (drawn: number): string[] =>
  pick([[], ["left"], ["left", "used"], ["began"], ["left"]], drawn);

/** What an audience says in the API. */
function audienceOf(test: PlainTest) {
  const trait = (key: string, op: "eq" | "gte", value: string | number) => ({
    kind: "field" as const,
    field: { kind: "trait" as const, key },
    op,
    value,
  });
  const root =
    "plan" in test
      ? trait("plan", "eq", test.plan)
      : "seats" in test
        ? trait("seats", "gte", test.seats)
        : { kind: "event" as const, event: test.did };
  return { kind: "expression" as const, expression: { version: 1 as const, root } };
}

type Body = Input<"createJourney">["body"];
type StepBody = NonNullable<Input<"updateJourney">["body"]["steps"]>[number];

function bodyOf(step: PlainStep, isNew: boolean): StepBody {
  switch (step.kind) {
    case "send":
      return isNew ? mail(step.id) : { id: step.id, kind: "send", channel: "email" };
    case "wait": {
      const { id, kind, hours, orEvent } = step;
      const span = { amount: hours, unit: "hours" as const };
      return { id, kind, for: span, ...(orEvent === null ? {} : { orEvent: { event: orEvent } }) };
    }
    case "if":
      return { id: step.id, kind: "if", audience: audienceOf(step.test), else: step.else };
    case "split":
      return { id: step.id, kind: "split", arms: step.arms };
    case "end":
      return { id: step.id, kind: "end" };
  }
}

/** A step behind another one, or the end. */
const laterThan = (steps: readonly { id: string }[], place: number, drawn: number): string =>
  pick([...steps.slice(place + 1).map(({ id }) => id), END], drawn);

function stepOf(id: string, { kind, a, b }: StepDraw, elsewhere: string): PlainStep {
  if (kind < 5) return { id, kind: "send" };
  if (kind < 8)
    return { id, kind: "wait", hours: 1 + (a % 30), orEvent: b % 3 > 0 ? pick(AWAITED, b) : null };
  if (kind < 15) return { id, kind: "if", test: testOf(a), else: elsewhere };
  return { id, kind: "end" };
}

/** The arm at a place of a split: the first always has weight, so that there is one to draw. */
const armOf = (place: number, { weight, to }: ArmDraw, steps: readonly { id: string }[]): PlainArm => ({
  name: pick(["North", "East", "South", "West"], place),
  weight: place === 0 ? Math.max(1, weight) : weight,
  to: laterThan(steps, 0, to),
});

/** The split with which a world begins, before its other steps; none where it begins without. */
const splitOf = ({ arms }: World, steps: readonly { id: string }[]): PlainStep[] =>
  arms.length === 0
    ? []
    : [
        {
          id: "paths",
          kind: "split",
          arms: arms.map((arm, place) => armOf(place, arm, [{ id: "paths" }, ...steps])),
        },
      ];

function personOf({ address, plan, seats }: World["people"][number]): PlainPerson {
  return {
    address: address === 0 ? "none" : address === 1 ? "ghost" : "good",
    plan: pick(["pro", "basic"], plan),
    seats: seats % 30,
    did: new Set(),
    isHeldOut: false,
    isSuppressed: false,
  };
}

/** Some numbers of a world that differ, each with the reading's and the server's. */
const compared = (what: string, plain: unknown, served: unknown): void =>
  assert.deepEqual({ [what]: served }, { [what]: plain });

/** A world under way: its project at the server, and the same read plainly. */
export class Played {
  readonly #house: TestHouse;
  readonly #project: TestProject;
  readonly #domain: string;
  readonly #world: World;
  readonly #journey: PlainJourney;
  /** What was done, for userId looks for the cause of a difference. */
  readonly trail: string[] = [];
  #id = "";
  #goalId: string | null = null;
  #holdoutPercent: number;
  #made = 0;
  #hour = 0;

  private constructor(house: TestHouse, project: TestProject, world: World, domain: string) {
    this.#house = house;
    this.#project = project;
    this.#domain = domain;
    this.#holdoutPercent = pick(HOLDOUTS, world.holdout);
    this.#world = world;
    const ids = world.steps.map((_, place) => ({ id: `s${place}` }));
    this.#made = ids.length;
    this.#journey = {
      status: "running",
      version: 1,
      entersOn: world.entersOn === 0 ? null : "began",
      admits: admitsOf(world.admits),
      againDays: againOf(world.again),
      goalEvent: world.onGoal === 0 ? null : "bought",
      onGoal: world.onGoal !== 1,
      exits: exitsOf(world.exits),
      steps: [
        ...splitOf(world, ids),
        ...world.steps.map((step, place) => stepOf(`s${place}`, step, laterThan(ids, place, step.b))),
      ],
      pausedSteps: new Set(),
      people: new Map(world.people.map((person, number) => [nameOf(number), personOf(person)])),
      entries: [],
      mails: new Map(),
      decided: new Map(),
    };
  }

  /** Makes the project of a world, with its users and its journey, which runs. */
  static async open(house: TestHouse, port: number, world: World, number: number): Promise<Played> {
    const project = await house.project();
    await setSettings(house, project, {
      "email.from": "Acme News <news@acme.example>",
      "email.postalAddress": "Acme, 1 Main Street, Springfield",
      "email.domainVerified": "true",
      "email.capMax": "0",
      "email.smtpUrl": `smtp://127.0.0.1:${port}`,
    });
    const played = new Played(house, project, world, `world${number}.example`);
    await played.#begin();
    return played;
  }

  async #begin(): Promise<void> {
    const { api } = this.#project;
    const journey = this.#journey;
    const holdoutPercent = this.#holdoutPercent;
    const { goalEvent } = journey;
    const goal =
      goalEvent === null
        ? null
        : (await api.createGoal({ body: { name: "Sales", targetEvent: goalEvent, holdoutPercent } })).goal;
    for (const [userId, person] of journey.people) {
      person.isHeldOut = this.#isHeldOut(userId, goal?.id ?? null);
      await this.#identify(userId, person);
    }
    const { entersOn, admits, againDays, onGoal, exits } = journey;
    const { journey: made } = await api.createJourney({
      body: {
        name: "Model",
        goalId: goal?.id ?? null,
        entry: entersOn === null ? { on: "request" } : { on: "event", event: entersOn },
        audience: admits === null ? null : audienceOf(admits),
        again: againDays === null ? null : { afterDays: againDays },
        exit: { onGoal, events: exits.map((event) => ({ event })) },
        steps: journey.steps.map((step) => bodyOf(step, true)),
      } satisfies Body,
    });
    this.#id = made.id;
    this.#goalId = goal?.id ?? null;
    await this.#setStatus("launch");
  }
  #isHeldOut(userId: string, goalId: string | null): boolean {
    return goalId !== null && heldOutOf(this.#project, goalId, this.#holdoutPercent, userId);
  }

  #addressOf(userId: string, { address }: PlainPerson): Record<string, string> {
    if (address === "none") return {};
    return { email: `${address === "ghost" ? "ghost-" : ""}${userId}@${this.#domain}` };
  }

  async #identify(userId: string, person: PlainPerson): Promise<void> {
    const { plan, seats } = person;
    const traits = { ...this.#addressOf(userId, person), plan, seats };
    await this.#project.api.identify({ body: { userId, traits } });
  }

  async #setStatus(action: "launch" | "pause" | "end"): Promise<void> {
    await this.#project.api.setJourneyStatus({ path: { id: this.#id }, body: { action } });
  }

  /** A user whom the project has not, by an event of theirs: without an address, and without traits. */
  #stranger(userId: string): PlainPerson {
    const isHeldOut = this.#isHeldOut(userId, this.#goalId);
    return { address: "none", plan: null, seats: null, did: new Set(), isHeldOut, isSuppressed: false };
  }

  /** How often each thing became of a user: so a run says what it has played. */
  tally(counts: Map<string, number>): void {
    const count = (what: string, by = 1): void => void counts.set(what, (counts.get(what) ?? 0) + by);
    for (const { occasion, leftBy, passed } of this.#journey.entries) {
      count(leftBy ?? "inside");
      if (occasion > 0) count("again");
      for (const { did } of passed) count(did);
    }
    for (const line of this.trail) {
      if (line.endsWith("(refused)")) count("refused changes");
      else if (/: (add|cut|alter) at/.test(line)) count("changes");
    }
    for (const mails of this.#journey.mails.values()) count("mails", mails.length);
  }

  /** What is done in an hour, once it has come. */
  async act(tick: number, hour: number): Promise<void> {
    this.#hour = hour;
    const act = this.#world.acts[tick];
    const isLast = tick === this.#world.acts.length - 1;
    if (isLast && this.#world.ends === 0 && this.#journey.status !== "ended") {
      await this.#setStatus("end");
      this.#journey.status = "ended";
      this.trail.push(`${hour}: end`);
    } else if (act !== undefined) {
      const then = this.#world.thens[tick] ?? [];
      // All events of an hour are looked at together.
      const all = act.act === "events" ? [...act.events, ...then] : then;
      if (act.act !== "events") this.trail.push(`${hour}: ${await this.#do(act, hour)}`);
      if (all.length > 0) this.trail.push(`${hour}: ${await this.#happen(all, hour)}`);
    }
  }

  /** Everything that is due has been done at the server: the same in the reading, which has to know who drew which arm. */
  async catchUp(hour: number): Promise<void> {
    const drawn = this.#journey.entries.filter(({ offered, arm }) => offered !== null && arm === null);
    if (drawn.length > 0) {
      const entries = await this.#entries();
      for (const entry of drawn) {
        const { userId, occasion } = entry;
        const found = entries.find((each) => each.externalUserId === userId && each.occasion === occasion);
        compared(
          `the arm of ${userId}, ${found?.arm}`,
          null,
          armFault(this.#journey, entry, found?.arm ?? null),
        );
        entry.arm = found?.arm ?? null;
      }
    }
    moveAll(this.#journey, hour);
  }

  /**
   * Users do something, one after the other, before any user moves. What they have done is known by then of all of it: an audience is looked at
   * with the events, a second later.
   */
  async #happen(events: readonly Happening[], hour: number): Promise<string> {
    const journey = this.#journey;
    const happened: string[] = [];
    const named = events.map(({ user, event, isLate }) => ({
      userId: nameOf(user % 12),
      event: pick(EVENTS, event),
      isLate: isLate === 0,
    }));
    for (const { userId, event, isLate } of named) {
      const ts = this.#house.now() - (isLate ? LATE_MS : 0);
      await this.#project.api.trackBatch({ body: { events: [{ userId, event, ts }] } });
      const person = journey.people.get(userId) ?? this.#stranger(userId);
      journey.people.set(userId, person);
      person.did.add(event);
    }
    for (const { userId, event, isLate } of named) {
      happens(journey, userId, event, isLate, hour);
      happened.push(`${userId} ${event}${isLate ? " late" : ""}`);
    }
    return happened.join(", ");
  }

  async #do(act: Exclude<Act, { act: "events" }>, hour: number): Promise<string> {
    const { api } = this.#project;
    const journey = this.#journey;
    const path = { id: this.#id };
    switch (act.act) {
      case "let in": {
        const some = act.users.map(nameOf);
        const bars = admitAll(journey, some, hour);
        const adding = api.addJourneyEntries({ path, body: { userIds: some } });
        if (bars === "not_running") compared("letting in", 409, (await refusal(adding)).status);
        else {
          const { results } = await adding;
          compared(
            "letting in",
            bars,
            results.map(({ reason }) => reason),
          );
        }
        return `let in ${some}: ${bars}`;
      }
      case "traits": {
        const userId = nameOf(act.user % 12);
        const person = journey.people.get(userId) ?? this.#stranger(userId);
        journey.people.set(userId, person);
        Object.assign(person, { plan: pick(["pro", "basic"], act.plan), seats: act.seats % 30 });
        await this.#identify(userId, person);
        return `${userId} is ${person.plan}, ${person.seats}`;
      }
      case "take out": {
        const userId = nameOf(act.user % 12);
        const removing = api.removeJourneyEntry({ path, body: { userId } });
        const wasInside = takeOut(journey, userId);
        if (wasInside) compared("taking out", { removed: true }, await removing);
        else compared("taking out", 404, (await refusal(removing)).status);
        return `take out ${userId}: ${wasInside}`;
      }
      case "erase": {
        const userId = nameOf(act.user % 12);
        if (!journey.people.has(userId)) return "rest";
        await api.eraseUser({ path: { id: userId } });
        erase(journey, userId);
        return `erase ${userId}`;
      }
      case "add":
      case "cut":
      case "alter":
        return this.#changeSteps(act);
      case "arms":
        return this.#changeArms(act);
      case "terms": {
        if (journey.status === "ended") return "rest";
        const { exits, again, admits } = act;
        Object.assign(journey, {
          exits: exitsOf(exits),
          againDays: againOf(again),
          admits: admitsOf(admits),
          version: journey.version + 1,
        });
        await api.updateJourney({
          path,
          body: {
            again: journey.againDays === null ? null : { afterDays: journey.againDays },
            audience: journey.admits === null ? null : audienceOf(journey.admits),
            exit: { onGoal: journey.onGoal, events: journey.exits.map((event) => ({ event })) },
          },
        });
        return `exits ${journey.exits}, again ${journey.againDays}, admits ${JSON.stringify(journey.admits)}`;
      }
      case "goal": {
        if (journey.goalEvent === null || this.#goalId === null) return "rest";
        journey.goalEvent = pick(["bought", "used"], act.event);
        this.#holdoutPercent = pick(HOLDOUTS, act.holdout);
        const body = { targetEvent: journey.goalEvent, holdoutPercent: this.#holdoutPercent };
        await api.updateGoal({ path: { id: this.#goalId }, body });
        for (const [userId, person] of journey.people)
          person.isHeldOut = this.#isHeldOut(userId, this.#goalId);
        return `the goal is ${journey.goalEvent}, and holds out ${this.#holdoutPercent} %`;
      }
      case "pause":
      case "launch": {
        if (journey.status !== (act.act === "pause" ? "running" : "paused")) return "rest";
        await this.#setStatus(act.act);
        journey.status = act.act === "pause" ? "paused" : "running";
        // All steps go on with the journey, also those that were paused by themselves.
        if (act.act === "launch") journey.pausedSteps.clear();
        return act.act;
      }
      case "pause step":
      case "launch step":
        return this.#setStepStatus(act);
      case "rest":
        return "rest";
    }
  }

  async #setStepStatus({ act, at }: Extract<Act, { act: "pause step" | "launch step" }>): Promise<string> {
    const journey = this.#journey;
    const action = act === "pause step" ? "pause" : "launch";
    const some = journey.steps.filter(
      ({ id, kind }) => kind === "send" && journey.pausedSteps.has(id) === (action === "launch"),
    );
    if (journey.status !== "running" || some.length === 0) return "rest";
    const { id } = pick(some, at);
    const campaignId = (await this.#shown()).steps.flatMap((step) =>
      step.id === id && step.kind === "send" ? [step.campaignId] : [],
    )[0];
    assert.ok(campaignId);
    await this.#project.api.setCampaignStatus({ path: { id: campaignId }, body: { action } });
    if (action === "pause") journey.pausedSteps.add(id);
    else journey.pausedSteps.delete(id);
    return `${act} ${id}`;
  }

  async #shown(): Promise<Answer<"getJourney">["journey"]> {
    return (await this.#project.api.getJourney({ path: { id: this.#id } })).journey;
  }

  /** Gives an arm another weight, and another way. */
  async #changeArms({ at, arm }: Extract<Act, { act: "arms" }>): Promise<string> {
    const journey = this.#journey;
    const [split, ...others] = journey.steps;
    if (journey.status === "ended" || split?.kind !== "split") return "rest";
    const place = at % split.arms.length;
    const arms = split.arms.with(place, armOf(place, arm, journey.steps));
    journey.steps = [{ ...split, arms }, ...others];
    journey.version++;
    const body = { steps: journey.steps.map((step) => bodyOf(step, false)) };
    const { journey: shown } = await this.#project.api.updateJourney({ path: { id: this.#id }, body });
    compared("version", journey.version, shown.version);
    return `arms: ${JSON.stringify(arms)}`;
  }

  /** Adds a step, takes one away, or makes one another. */
  async #changeSteps(act: Extract<Act, { act: "add" | "cut" | "alter" }>): Promise<string> {
    const journey = this.#journey;
    const { steps } = journey;
    // Every other change is at a step where a user is.
    const inside = journey.entries.flatMap(({ leftBy, stepId }) => (leftBy === null ? [stepId] : []));
    const where =
      act.at % 2 === 0 && inside.length > 0 ? steps.findIndex(({ id }) => id === pick(inside, act.at)) : -1;
    // A split is the first step, and stays.
    const least = armsOf(steps).length > 0 ? 1 : 0;
    const place = Math.max(least, where >= 0 ? where : act.at % steps.length);
    const known = new Set(steps.map(({ id }) => id));
    let changed = steps;
    const moves: Record<string, string> = {};
    if (act.act === "add") {
      if (steps.length >= MOST_STEPS) return "rest";
      const added = stepOf(
        `s${this.#made++}`,
        act.step,
        pick([...steps.slice(place).map(({ id }) => id), END], act.step.b),
      );
      changed = steps.toSpliced(place, 0, added);
    } else if (act.act === "cut") {
      if (steps.length < 2 + least) return "rest";
      const gone = steps[place]?.id ?? "";
      const next = steps[place + 1]?.id ?? END;
      const pointed = (to: string): string => (to === gone ? next : to);
      changed = steps.toSpliced(place, 1).map((step) => {
        if (step.kind === "split")
          return { ...step, arms: step.arms.map((arm) => ({ ...arm, to: pointed(arm.to) })) };
        return step.kind === "if" ? { ...step, else: pointed(step.else) } : step;
      });
      // Where users go userId are there: forwards, as steps lead.
      if (act.saysMoves > 0) moves[gone] = laterThan(steps, place, act.to);
    } else {
      const step = steps[place];
      if (step?.kind !== "wait" && step?.kind !== "if") return "rest";
      const again = stepOf(
        step.id,
        { ...act, kind: step.kind === "wait" ? 5 : 11 },
        laterThan(steps, place, act.b),
      );
      changed = steps.with(place, again);
    }
    const stranded = journey.status === "ended" ? null : changeSteps(journey, changed, moves);
    const body = { steps: changed.map((step) => bodyOf(step, !known.has(step.id))), moves };
    const changing = this.#project.api.updateJourney({ path: { id: this.#id }, body });
    if (stranded === null) {
      const { journey: shown } = await changing;
      journey.version++;
      compared("version", journey.version, shown.version);
    } else {
      const refused = (await refusal(changing)).body as {
        reason?: string;
        steps?: { id: string; here: number }[];
      };
      const answered = Object.fromEntries((refused.steps ?? []).map(({ id, here }) => [id, here]));
      compared("a refused change", ["people_inside", stranded], [refused.reason, answered]);
    }
    return `${act.act} at ${place}: ${JSON.stringify(changed)} ${JSON.stringify(moves)}${stranded === null ? "" : " (refused)"}`;
  }

  /** Compares all that the server says of the journey with the reading. */
  async compare(taken: ReadonlyMap<string, readonly string[]>): Promise<void> {
    const { api, projectId } = this.#project;
    const journey = this.#journey;
    const path = { id: this.#id };
    const hourOf = (ms: number): number => Math.floor(ms / HOUR_MS);
    const { statistics: _, noStatistics, ...results } = await api.getJourneyResults({ path });
    compared("results", countsOf(journey), results);
    const why = armsOf(journey.steps).length === 0 ? "no_split" : this.#goalId === null ? "no_goal" : null;
    compared("no statistics", why, noStatistics);
    const entries = await this.#entries();
    const sorted = (some: readonly unknown[]): string[] => some.map((each) => JSON.stringify(each)).sort();
    compared(
      "entries",
      sorted(
        journey.entries.map(({ userId, occasion, stepId, enteredAt, since, leftBy, arm }) => [
          userId,
          occasion,
          stepId,
          enteredAt,
          since,
          leftBy,
          arm,
        ]),
      ),
      sorted(
        entries.map(({ externalUserId, occasion, stepId, enteredAt, arrivedAt, leftBy, arm }) => [
          externalUserId,
          occasion,
          stepId,
          hourOf(enteredAt),
          hourOf(arrivedAt),
          leftBy,
          arm,
        ]),
      ),
    );
    for (let number = 0; number < 12; number++) await this.#compareUser(nameOf(number), hourOf);
    for (let number = 0; number < 12; number++) {
      const userId = nameOf(number);
      compared(
        `mails of ${userId}`,
        journey.mails.get(userId) ?? [],
        taken.get(`${userId}@${this.#domain}`) ?? [],
      );
    }
    compared("differences", {}, await this.#house.differences(projectId));
  }

  async #entries(): Promise<Answer<"listJourneyEntries">["entries"]> {
    const all: Answer<"listJourneyEntries">["entries"] = [];
    for (let page = 1; ; page++) {
      const query = { page, perPage: 100 };
      const { entries } = await this.#project.api.listJourneyEntries({ path: { id: this.#id }, query });
      all.push(...entries);
      if (entries.length < 100) return all;
    }
  }

  async #compareUser(userId: string, hourOf: (ms: number) => number): Promise<void> {
    const journey = this.#journey;
    const person = journey.people.get(userId);
    const answered = await this.#project.api.explainJourney({ path: { id: this.#id }, body: { userId } });
    const entries = journey.entries.filter((entry) => entry.userId === userId);
    const last = lastEntryOf(journey, userId);
    const bar = barOf(journey, userId, this.#hour) ?? (journey.status === "running" ? null : "not_running");
    const { againDays } = journey;
    const againAt = bar === "again" && againDays !== null && last ? last.enteredAt + againDays * 24 : null;
    const step = last?.leftBy === null ? journey.steps.find(({ id }) => id === last.stepId) : undefined;
    const waitsFor =
      journey.status !== "running" ? "paused" : step?.kind === "wait" ? "time" : "campaign_paused";
    const inside =
      last === undefined || last.leftBy !== null
        ? null
        : {
            occasion: last.occasion,
            stepId: last.stepId,
            enteredAt: last.enteredAt,
            arrivedAt: last.since,
            waitsFor,
            until: step?.kind === "wait" ? last.since + step.hours : null,
            orEvent: step?.kind === "wait" ? step.orEvent : null,
          };
    const plain = {
      barredBy: bar,
      mayEnter: bar === null,
      againAt,
      inside,
      conditions: journey.steps.flatMap((each) =>
        each.kind === "if" && person !== undefined
          ? [{ stepId: each.id, met: isMet(each.test, person) }]
          : [],
      ),
      passed: entries.flatMap(({ passed }) => passed),
      arm: last?.arm ?? null,
      left: last === undefined || last.leftBy === null ? null : { stepId: last.stepId, by: last.leftBy },
    };
    const hourOrNull = (ms: number | null): number | null => (ms === null ? null : hourOf(ms));
    compared(userId, plain, {
      barredBy: answered.barredBy,
      mayEnter: answered.mayEnter,
      againAt: hourOrNull(answered.againAt),
      inside:
        answered.inside === null
          ? null
          : {
              ...answered.inside,
              enteredAt: hourOf(answered.inside.enteredAt),
              arrivedAt: hourOf(answered.inside.arrivedAt),
              until: hourOrNull(answered.inside.until),
            },
      conditions: answered.conditions,
      arm: answered.arm,
      left: answered.left === null ? null : { stepId: answered.left.stepId, by: answered.left.by },
      passed: answered.passed
        .map(({ occasion, stepId, did, version, at }) => ({
          occasion,
          stepId,
          did,
          version,
          hour: hourOf(at),
        }))
        .reverse(),
    });
  }
}
