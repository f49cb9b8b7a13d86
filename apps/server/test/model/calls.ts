import assert from "node:assert/strict";
import { gzipSync } from "node:zlib";
import type { Random } from "../crash/random.ts";
import { basic, sendTo } from "../intake.ts";
import type { Traits } from "./model.ts";
import type { Stage, Tracked } from "./stage.ts";

/** A call of a library of another service. A visitor before sign-in has no `userId`. */
type DrawnCall = { userId: string | null } & (
  | ({ type: "track" | "page" } & Omit<Tracked, "userId">)
  | { type: "identify"; traits: Traits }
  | { type: "alias"; previousId: string }
);

/** A batch of calls, from a page or, where they happened before, from a server; sent once or twice, as JSON or packed. */
export type CallsStep = {
  kind: "calls";
  calls: DrawnCall[];
  agoMs: number | null;
  times: number;
  isPacked: boolean;
};

const HOUR = 3_600_000;
const DAY = 24 * HOUR;

export function drawCalls(random: Random, drawTracked: () => Tracked, drawTraits: () => Traits): CallsStep {
  const agoMs = random.pick([null, null, 0, 1, HOUR, 20 * DAY, 400 * DAY]) ?? null;
  const drawCall = (): DrawnCall => {
    const { userId: drawn, ...tracked } = drawTracked();
    const userId = random.chance(0.1) ? null : drawn;
    // What is said of a user now is no history.
    if (agoMs === null && random.chance(0.3)) return { type: "identify", userId, traits: drawTraits() };
    if (random.chance(0.1)) return { type: "alias", userId, previousId: "visitor" };
    if (random.chance(0.2)) return { ...tracked, type: "page", event: "page", userId };
    return { ...tracked, type: "track", userId };
  };
  return {
    kind: "calls",
    calls: Array.from({ length: random.between(1, 6) }, drawCall),
    agoMs,
    times: random.chance(0.3) ? 2 : 1,
    isPacked: random.chance(0.3),
  };
}

function bodyOf(call: DrawnCall, timestamp: string | undefined): object {
  const about = { type: call.type, userId: call.userId, timestamp };
  if (call.type === "identify") return { ...about, traits: call.traits };
  if (call.type === "alias") return { ...about, previousId: call.previousId };
  const { event, eventId, props } = call;
  return { ...about, messageId: eventId, properties: props, ...(call.type === "track" ? { event } : {}) };
}

/** Has the model take a call. Answers whether it is taken. */
function expect({ model }: Stage, call: DrawnCall, ts: number, now: number): boolean {
  const { userId } = call;
  if (userId === null || call.type === "alias") return false;
  if (call.type !== "identify") return model.track({ ...call, userId, name: call.event, ts }, now);
  model.identify(userId, call.traits, now);
  return true;
}

/** Sends the batch of a step, and has the model take its calls in their order. */
export async function sendCalls(stage: Stage, { calls, agoMs, times, isPacked }: CallsStep): Promise<void> {
  const { house, project, model } = stage;
  const now = house.now();
  const ts = now - (agoMs ?? 0);
  const timestamp = agoMs === null ? undefined : new Date(ts).toISOString();
  const body = JSON.stringify({ batch: calls.map((call) => bodyOf(call, timestamp)) });
  const authorization = basic(agoMs === null ? project.publishableKey : project.secretKey);
  for (let time = 0; time < times; time++) {
    const { status } = await sendTo(project, "batch", isPacked ? gzipSync(body) : body, { authorization });
    assert.equal(status, 200);
    for (const call of calls) model.countCall(expect(stage, call, ts, now), now);
  }
}

/** Hours that are read back. */
const HOURS = 24;

/** Compares how many calls were taken, and how many were not. */
export async function compareCalls({ house, project, model }: Stage): Promise<void> {
  const { intake } = await project.api.getIntake({ query: { hours: HOURS } });
  const sum = (which: "taken" | "refused"): number =>
    intake.calls.reduce((all, each) => all + each[which], 0);
  assert.deepEqual([sum("taken"), sum("refused")], model.callsSince(intake.since));
  assert.equal(intake.since, (Math.floor(house.now() / HOUR) - HOURS + 1) * HOUR);
  const refused = intake.problems.reduce((all, { isRefused, count }) => all + (isRefused ? count : 0), 0);
  assert.equal(refused, sum("refused"), "each that was not taken has its reason");
}
