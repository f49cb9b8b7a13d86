import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { Definition } from "./schema.ts";
import type { Step } from "./steps.pure.ts";
import { type Facts, goOnBy, type Mark, type Place, type WaitStep, walk } from "./walk.pure.ts";

const NOW = 1_000_000_000_000;
const MINUTE = 60_000;
const RULES: Omit<Definition, "steps"> = {
  entry: { on: "request" },
  audience: null,
  again: null,
  exit: { onGoal: false, events: [] },
};

/** The end of a wait that is so long. */
const waitEnd = (step: WaitStep, arrivedAt: number) => ({
  at: "for" in step ? arrivedAt + step.for.amount * MINUTE : null,
  lookAt: null,
});

/** Steps of every kind, each `if` with a way that leads forwards. */
const someSteps = fc
  .array(
    fc.record({
      kind: fc.constantFrom("send", "wait", "if", "split", "end"),
      by: fc.nat(40),
      minutes: fc.integer({ min: 1, max: 90 }),
    }),
    {
      minLength: 1,
      maxLength: 12,
    },
  )
  .map((drawn) =>
    drawn.map(({ kind, by, minutes }, at): Step => {
      const id = `s${at}`;
      if (kind === "send") return { id, kind, campaignId: `cmp_${at}` };
      if (kind === "wait") return { id, kind, for: { amount: minutes, unit: "minutes" } };
      if (kind === "end") return { id, kind };
      const to = at + 1 + (by % 13);
      if (kind === "split") {
        const arms = [0, 1, 2].map((arm) => ({
          name: `arm${arm}`,
          weight: 1,
          isControl: arm === 0,
          to: to + arm < drawn.length ? `s${to + arm}` : "end",
        }));
        return { id, kind, arms };
      }
      return { id, kind: "if", audience: { kind: "all" }, else: to < drawn.length ? `s${to}` : "end" };
    }),
  );

/** What happens to one user, by the step: whether they meet its audience, and after how many looks its message has left. */
const fates = fc.record({
  meets: fc.array(fc.boolean(), { minLength: 12, maxLength: 12 }),
  looks: fc.array(fc.nat(3), { minLength: 12, maxLength: 12 }),
  outcome: fc.array(fc.constantFrom("sent", "withheld", "skipped" as const), {
    minLength: 12,
    maxLength: 12,
  }),
  arm: fc.nat(2),
  gaps: fc.array(fc.integer({ min: 1, max: 200 }), { minLength: 1, maxLength: 20 }),
});
type Fate = typeof fates extends fc.Arbitrary<infer Value> ? Value : never;

const placeOf = (id: string): number => Number(id.slice(1));

/** What a user has to do at each step, as plainly as can be: step by step, however long each takes. */
function expected(steps: readonly Step[], { meets, outcome, arm }: Fate): [string, string][] {
  const passed: [string, string][] = [];
  for (let at = 0; at < steps.length; ) {
    const step = steps[at] as Step;
    if (step.kind === "end") break;
    const did = { send: outcome[at], wait: "waited", if: meets[at] ? "met" : "unmet", split: "split" }[
      step.kind
    ];
    passed.push([step.id, String(did)]);
    if (step.kind === "split") {
      const to = step.arms[arm]?.to ?? "end";
      at = to === "end" ? steps.length : placeOf(to);
      continue;
    }
    at =
      step.kind === "if" && !meets[at] ? (step.else === "end" ? steps.length : placeOf(step.else)) : at + 1;
  }
  return passed;
}

/** Plays a whole journey, looking at the user after each gap. */
function play(steps: Step[], fate: Fate): { passed: Mark[]; waits: number[]; sends: string[] } {
  const definition: Definition = { ...RULES, steps };
  const [first] = steps;
  let place: Place = { stepId: first?.id ?? "", arrivedAt: NOW, isActed: false };
  let now = NOW;
  const passed: Mark[] = [];
  const sends: string[] = [];
  const waits: number[] = [];
  const looked = new Map<string, number>();
  for (let turn = 0; turn < 1_000; turn++) {
    const { stepId } = place;
    const at = placeOf(stepId);
    const looks = looked.get(stepId) ?? 0;
    if (place.isActed) looked.set(stepId, looks + 1);
    const facts: Facts = {
      meets: ({ id }) => fate.meets[placeOf(id)] === true,
      arm: `arm${fate.arm}`,
      waitEnd,
      reason: null,
      outcome: place.isActed && looks >= (fate.looks[at] ?? 0) ? (fate.outcome[at] ?? "sent") : null,
      lookAt: now + MINUTE,
    };
    const walked = walk(definition, place, facts, now);
    passed.push(...walked.passed);
    if (walked.at === "finished") return { passed, waits, sends };
    const { send, dueAt, ...next } = walked.at;
    assert.ok(dueAt >= now, "nobody is due in the past");
    if (next.stepId === stepId && steps[at]?.kind === "wait") waits.push(dueAt - next.arrivedAt);
    place = send ? { ...next, isActed: true } : next;
    if (send) sends.push(next.stepId);
    now += (fate.gaps[turn % fate.gaps.length] ?? 1) * MINUTE;
  }
  throw new Error("A walk does not end.");
}

describe("walk", () => {
  it("goes through the same steps as a plain reading, however often it is looked at", () =>
    fc.assert(
      fc.property(someSteps, fates, (steps, fate) => {
        const { passed } = play(steps, fate);
        assert.deepEqual(
          passed.map(({ stepId, did }) => [stepId, did]),
          expected(steps, fate),
        );
      }),
      { numRuns: 500 },
    ));

  it("makes each message once, at the steps that were gone through", () =>
    fc.assert(
      fc.property(someSteps, fates, (steps, fate) => {
        const { passed, sends } = play(steps, fate);
        const through = passed.filter(({ stepId }) => steps[placeOf(stepId)]?.kind === "send");
        assert.deepEqual(
          sends,
          through.map(({ stepId }) => stepId),
        );
      }),
      { numRuns: 500 },
    ));

  it("waits for exactly as long as a step says, from the arrival on", () =>
    fc.assert(
      fc.property(someSteps, fates, (steps, fate) => {
        for (const waited of play(steps, fate).waits)
          assert.ok(waited % MINUTE === 0 && waited <= 90 * MINUTE);
      }),
      { numRuns: 200 },
    ));

  const pause: Step = { id: "pause", kind: "wait", for: { amount: 1, unit: "minutes" } };
  const nothing: Facts = { meets: () => true, arm: null, waitEnd, outcome: null, reason: null, lookAt: NOW };
  const at = (stepId: string): Place => ({ stepId, arrivedAt: NOW, isActed: false });

  it("goes on from a step that is gone where the change says, and is over where that is the end", () => {
    const gone = (moves: Record<string, string>) =>
      walk({ ...RULES, steps: [pause], moves }, at("gone"), nothing, NOW);
    const passed = [{ stepId: "gone", did: "moved", reason: null, at: NOW }];
    assert.deepEqual(gone({ gone: "end" }), { passed, at: "finished" });
    assert.deepEqual(gone({}), { passed, at: "finished" });
    assert.deepEqual(gone({ gone: "pause" }), {
      passed,
      at: { ...at("pause"), dueAt: NOW + MINUTE, send: false },
    });
  });

  it("ends a wait by the event that it is for, and by no other", () => {
    const steps: Step[] = [
      { ...pause, orEvent: { event: "paid" } },
      { id: "last", kind: "end" },
    ];
    const goOn = (stepId: string, name: string) =>
      goOnBy({ ...RULES, steps }, { stepId }, ({ event }) => event === name, NOW);
    assert.deepEqual(goOn("pause", "paid"), {
      passed: [{ stepId: "pause", did: "happened", reason: null, at: NOW }],
      at: { ...at("last"), dueAt: NOW, send: false },
    });
    for (const [stepId, name] of [
      ["pause", "other"],
      ["last", "paid"],
      ["gone", "paid"],
    ] as const)
      assert.equal(goOn(stepId, name), null);
  });

  it("waits for a date for a year, looks whether there is one, and leaves without", () => {
    const dated: Step = { id: "a", kind: "wait", date: { trait: "due", days: 0, at: "09:00", zone: "user" } };
    const definition: Definition = { ...RULES, steps: [dated, pause] };
    const play = (end: { at: number | null }, now: number) =>
      walk(definition, at("a"), { ...nothing, waitEnd: () => ({ ...end, lookAt: now + 60 * MINUTE }) }, now);
    const year = NOW + 365 * 24 * 60 * MINUTE;
    const dueAt = (end: { at: number | null }, now: number) => Object(play(end, now).at).dueAt;
    assert.equal(dueAt({ at: null }, NOW), NOW + 60 * MINUTE);
    assert.equal(dueAt({ at: NOW + MINUTE }, NOW), NOW + MINUTE);
    assert.equal(dueAt({ at: null }, year - MINUTE), year);
    for (const late of [null, year + MINUTE])
      assert.deepEqual(play({ at: late }, year), {
        passed: [{ stepId: "a", did: "skipped", reason: "no_date", at: year }],
        at: "finished",
      });
    assert.deepEqual(play({ at: year }, year).passed[0]?.did, "waited");
  });
});
