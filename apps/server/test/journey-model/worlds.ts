import fc from "fast-check";

/** Numbers of which a world is made: whatever they are, they are a journey, and things that can be done to it. */
const number = fc.nat({ max: 999 });

const StepDraw = fc.record({ kind: fc.nat({ max: 15 }), a: number, b: number });
export type Happening = typeof Happening extends fc.Arbitrary<infer Drawn> ? Drawn : never;
export type StepDraw = typeof StepDraw extends fc.Arbitrary<infer Drawn> ? Drawn : never;

const Happening = fc.record({ user: number, event: number, isLate: fc.integer({ min: 0, max: 7 }) });

/** An arm of a split: its weight, and where it leads. */
const ArmDraw = fc.record({ weight: fc.nat({ max: 3 }), to: number });
export type ArmDraw = typeof ArmDraw extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Something that is done in an hour. */
const Act = fc.oneof(
  {
    weight: 12,
    arbitrary: fc.record({
      act: fc.constant("events" as const),
      events: fc.array(Happening, { minLength: 1, maxLength: 8 }),
    }),
  },
  {
    weight: 7,
    arbitrary: fc.record({
      act: fc.constant("let in" as const),
      users: fc.uniqueArray(fc.nat({ max: 12 }), { minLength: 1, maxLength: 6 }),
    }),
  },
  {
    weight: 3,
    arbitrary: fc.record({ act: fc.constant("traits" as const), user: number, plan: number, seats: number }),
  },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("take out" as const), user: number }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("erase" as const), user: number }) },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("add" as const), at: number, step: StepDraw }) },
  {
    weight: 6,
    arbitrary: fc.record({
      act: fc.constant("cut" as const),
      at: number,
      to: number,
      saysMoves: fc.integer({ min: 0, max: 3 }),
    }),
  },
  {
    weight: 4,
    arbitrary: fc.record({ act: fc.constant("alter" as const), at: number, a: number, b: number }),
  },
  {
    weight: 1,
    arbitrary: fc.record({
      act: fc.constant("terms" as const),
      exits: number,
      again: number,
      admits: number,
    }),
  },
  { weight: 3, arbitrary: fc.record({ act: fc.constant("arms" as const), at: number, arm: ArmDraw }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("pause" as const) }) },
  { weight: 4, arbitrary: fc.record({ act: fc.constant("launch" as const) }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("pause step" as const), at: number }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("launch step" as const), at: number }) },
  { weight: 1, arbitrary: fc.record({ act: fc.constant("goal" as const), event: number, holdout: number }) },
  { weight: 2, arbitrary: fc.record({ act: fc.constant("rest" as const) }) },
);
export type Act = typeof Act extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** A journey, its users by what is drawn of each, and what is done in each hour that is played. */
export const World = fc.record({
  steps: fc.array(StepDraw, { minLength: 1, maxLength: 8 }),
  /** The arms of the split with which it begins; one of two begins without. */
  arms: fc.oneof(fc.constant<ArmDraw[]>([]), fc.array(ArmDraw, { minLength: 2, maxLength: 4 })),
  entersOn: fc.nat({ max: 3 }),
  admits: number,
  again: number,
  exits: number,
  onGoal: fc.nat({ max: 3 }),
  holdout: fc.nat({ max: 2 }),
  people: fc.array(fc.record({ address: fc.nat({ max: 9 }), plan: number, seats: number }), {
    minLength: 12,
    maxLength: 12,
  }),
  acts: fc.array(Act, { minLength: 24, maxLength: 24 }),
  /** What users do in the same hour right after that. */
  thens: fc.array(fc.oneof(fc.constant([]), fc.array(Happening, { minLength: 1, maxLength: 5 })), {
    minLength: 24,
    maxLength: 24,
  }),
  ends: fc.nat({ max: 3 }),
});
export type World = typeof World extends fc.Arbitrary<infer Drawn> ? Drawn : never;

/** Hours between what is done, for all worlds that are played together. */
export const Gaps = fc.array(fc.oneof(fc.integer({ min: 1, max: 3 }), fc.integer({ min: 4, max: 30 })), {
  minLength: 24,
  maxLength: 24,
});
