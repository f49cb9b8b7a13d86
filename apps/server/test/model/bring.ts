import assert from "node:assert/strict";
import type { Input } from "@tidings/client";
import { startFile, uploadFile } from "../bringing.ts";
import type { Random } from "../crash/random.ts";
import type { EventLine, LineOutcome, Traits, UserLine } from "./model.ts";
import type { Stage, Tracked } from "./stage.ts";

type Mapping = NonNullable<NonNullable<Input<"startImport">["body"]>["mapping"]>;
type DrawnUser = Omit<UserLine, "firstSeenAt"> & { agoMs: number | null };
type DrawnEvent = Tracked & { agoMs: number; isBroken: boolean };

/** A file that is brought in, once or twice, after it was tried or without. Line 1 has the names of its columns. */
export type BroughtStep =
  | { kind: "bring users"; lines: DrawnUser[]; times: number; isTried: boolean }
  | { kind: "bring events"; lines: DrawnEvent[]; times: number; isTried: boolean };

const HOUR = 3_600_000;
const DAY = 24 * HOUR;
const AGES = [0, 1, HOUR, DAY, 20 * DAY, 400 * DAY];
/** More than any event may be old. */
const TOO_OLD = 3_651 * DAY;

const oneOf = <T>(random: Random, list: readonly T[]): T => {
  const picked = random.pick(list);
  if (picked === undefined) throw new Error("There is nothing to pick from.");
  return picked;
};

/** Lines, some of which stand there twice. */
function drawLines<T>(random: Random, draw: () => T): T[] {
  const lines = Array.from({ length: random.between(1, 6) }, draw);
  return random.chance(0.4) ? [...lines, oneOf(random, lines)] : lines;
}

const drawTimes = (random: Random) => ({ times: random.chance(0.2) ? 2 : 1, isTried: random.chance(0.3) });

export function drawUsers(random: Random, users: readonly string[]): BroughtStep {
  const drawUser = (): DrawnUser => {
    const userId = oneOf(random, users);
    const email = random.chance(0.5) ? `${oneOf(random, [userId, userId, "all"])}@example.com` : null;
    const traits: Traits = {
      ...(random.chance(0.7) ? { plan: oneOf(random, ["pro", "free"]) } : {}),
      ...(random.chance(0.5) ? { seats: oneOf(random, [1, 2.5]) } : {}),
      ...(email === null ? {} : { email }),
    };
    const left = oneOf(random, [null, null, "unsubscribed", "bounced"] as const);
    const isBroken = random.chance(0.15);
    const agoMs = oneOf(random, [null, null, ...AGES]);
    return { userId, traits, agoMs, left: email === null ? null : left, isBroken };
  };
  return { kind: "bring users", lines: drawLines(random, drawUser), ...drawTimes(random) };
}

export function drawEvents(random: Random, drawTracked: () => Tracked): BroughtStep {
  const drawEvent = (): DrawnEvent => ({
    ...drawTracked(),
    agoMs: oneOf(random, [...AGES, TOO_OLD]),
    isBroken: random.chance(0.1),
  });
  return { kind: "bring events", lines: drawLines(random, drawEvent), ...drawTimes(random) };
}

const shown = (instant: number | null): string => (instant === null ? "" : new Date(instant).toISOString());
const table = (rows: readonly (readonly unknown[])[]): string =>
  rows.map((cells) => `${cells.map((cell) => String(cell ?? "")).join(",")}\n`).join("");

const countsOf = (outcomes: readonly LineOutcome[]) => {
  const count = (outcome: LineOutcome): number => outcomes.filter((each) => each === outcome).length;
  return {
    state: "done",
    lines: outcomes.length,
    written: count("written"),
    known: count("known"),
    refused: count("refused"),
  };
};

/** Brings in a file as often as the step says. `expect` does the same to the model. */
async function bringFile(
  { house, project }: Stage,
  { times, isTried }: BroughtStep,
  file: string,
  kind: "users" | "events",
  mapping: Mapping,
  expect: () => LineOutcome[],
): Promise<void> {
  for (let time = 0; time < times; time++) {
    const id = await uploadFile(project, file, { kind });
    const tried = isTried ? await startFile(house, project, id, { mapping, dryRun: true }) : null;
    const brought = await startFile(house, project, id, { mapping });
    const outcomes = expect();
    for (const each of tried === null ? [brought] : [tried, brought]) {
      const { state, lines, written, known, refused } = each;
      assert.deepEqual({ state, lines, written, known, refused }, countsOf(outcomes), file);
    }
    // Each line is refused for one reason here.
    const reasons = brought.reasons.reduce((sum, { count }) => sum + count, 0);
    assert.equal(reasons, brought.refused, "each refusal has its reason");
    const firstRefused = outcomes.indexOf("refused");
    if (firstRefused !== -1)
      assert.equal(Math.min(...brought.reasons.map(({ firstLine }) => firstLine)), firstRefused + 2);
  }
}

export async function bringUsers(
  stage: Stage,
  step: Extract<BroughtStep, { kind: "bring users" }>,
): Promise<void> {
  const now = stage.house.now();
  const lines = step.lines.map(
    ({ agoMs, ...line }): UserLine => ({ ...line, firstSeenAt: agoMs === null ? null : now - agoMs }),
  );
  const file = table([
    ["id", "email", "since", "plan", "seats", "left"],
    ...lines.map(({ userId, traits: { email, plan, seats }, firstSeenAt, left, isBroken }) => [
      userId,
      email,
      shown(firstSeenAt),
      plan,
      isBroken ? "many" : seats,
      left,
    ]),
  ]);
  const mapping = {
    userId: "id",
    email: "email",
    firstSeenAt: "since",
    traits: [
      { column: "plan", as: "plan", type: "text" as const },
      { column: "seats", as: "seats", type: "number" as const },
    ],
    suppressed: (["unsubscribed", "bounced"] as const).map((reason) => ({
      column: "left",
      when: [reason],
      reason,
    })),
  };
  await bringFile(stage, step, file, "users", mapping, () => stage.model.bringUsers(lines, now));
}

export async function bringEvents(
  stage: Stage,
  step: Extract<BroughtStep, { kind: "bring events" }>,
): Promise<void> {
  const now = stage.house.now();
  const lines = step.lines.map(({ agoMs, event, ...line }): EventLine => {
    const isBroken = line.isBroken || agoMs >= TOO_OLD;
    return { ...line, name: event, ts: now - agoMs, isBroken };
  });
  const file = table([
    ["id", "event", "at", "occurrence", "n", "where"],
    ...step.lines.map(({ userId, event, eventId, props, agoMs, isBroken }) => [
      userId,
      event,
      isBroken ? "yesterday" : shown(now - agoMs),
      eventId,
      props?.n,
      props?.where,
    ]),
  ]);
  const mapping = {
    userId: "id",
    event: "event",
    ts: "at",
    eventId: "occurrence",
    props: [
      { column: "n", as: "n", type: "number" as const },
      { column: "where", as: "where", type: "text" as const },
    ],
  };
  await bringFile(stage, step, file, "events", mapping, () => stage.model.bringEvents(lines));
}
