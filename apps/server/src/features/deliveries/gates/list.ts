import { type RawBuilder, sql } from "kysely";
import { z } from "zod";
import type { Setting, SettingSet } from "../../../platform/settings/setting.ts";
import { type AnyGate, reasonShape, type Stage } from "./gate.ts";

type Parameter<F> = F extends (given: infer Given) => unknown ? Given : unknown;
/** What functions of each of these types can take together. */
type Together<F> = [F] extends [(given: infer Given) => void] ? Given : never;

type FactsOf<G extends AnyGate> = Parameter<G["passes"]> &
  Parameter<G["reason"]> &
  Parameter<G["until"]> &
  Parameter<G["terms"]> &
  Parameter<G["remark"]>;
type FindingsOf<G extends AnyGate> = Parameter<G["passes"]> &
  Parameter<G["reason"]> &
  Parameter<G["applies"]> &
  Parameter<G["skipped"]> &
  Parameter<G["note"]> &
  Parameter<G["details"]>;

type Judges<G, At extends Stage> = G extends AnyGate
  ? [Extract<G["stages"][number], At>] extends [never]
    ? never
    : (facts: FactsOf<G>) => void
  : never;
type Sets<G> = G extends { settings: infer Own } ? (own: Own) => void : never;
type Counted<G> = G extends { bucket: string }
  ? G
  : G extends AnyGate
    ? [G["reasons"][number]] extends [never]
      ? never
      : G
    : never;
type Explains<G> = G extends AnyGate ? (found: FindingsOf<G>) => void : never;
type Counts<G> = G extends AnyGate ? (scope: Parameter<G["sql"]>) => void : never;

type List = readonly AnyGate[];

/** All that the gates of a list need to judge at a stage: a caller without one of these facts does not compile. */
export type FactsAt<Gates extends List, At extends Stage> = Together<Judges<Gates[number], At>>;
/** All that the gates of a list need to explain themselves. */
export type Findings<Gates extends List> = Together<Explains<Gates[number]>>;
/** All that the SQL of a list's gates is made from. */
export type Scope<Gates extends List> = Together<Counts<Gates[number]>>;
/** The settings that the gates of a list judge by; none where no gate has any. */
export type SettingsOf<Gates extends List> =
  Together<Sets<Gates[number]>> extends infer Own extends SettingSet ? Own : Record<never, Setting>;
/** Why the gates of a list do not let a user be reached. */
export type ReasonOf<Gates extends List> = Gates[number]["reasons"][number];
/** What the gates of a list answer. */
export type AnswerOf<Gates extends List> = z.output<Gates[number]["schema"]>;

/** A gate that judges by these facts. */
export type Judge<Facts> = Pick<AnyGate, "gate" | "bucket" | "withholds" | "reasons"> & {
  passes(facts: Facts): boolean;
  reason?(facts: Facts): string;
  until?(facts: Facts): number | null;
  terms?(facts: Facts): string | null;
  remark?(facts: Facts): string | null;
};

/** The gates of a list that are asked at one of these stages, in their order. */
export const gatesAt = <const Gates extends List, const At extends Stage>(
  gates: Gates,
  ...at: readonly At[]
): readonly Judge<FactsAt<Gates, At>>[] =>
  // A filter does not tell the compiler which gates are left, and what these judge by.
  gates.filter(({ stages }) =>
    at.some((stage) => stages.includes(stage)),
  ) as readonly unknown[] as readonly Judge<FactsAt<Gates, At>>[];

/** The settings that the gates of a list judge by. */
export const settingsOf = <const Gates extends List>(gates: Gates): SettingsOf<Gates> =>
  Object.assign({}, ...gates.map(({ settings }) => settings));

/** The gates of a list before one of them. */
export const gatesBefore = <const Gates extends List>(gates: Gates, gate: Gates[number]): Gates[number][] =>
  gates.slice(0, gates.indexOf(gate));

/** The first gate at which a user stops; null where all pass. */
export function stopOf<Facts>(gates: readonly Judge<Facts>[], facts: Facts): Judge<Facts> | null {
  for (const gate of gates) if (!gate.passes(facts)) return gate;
  return null;
}

/** What is decided about a user who gets a delivery, or from whom it is withheld: the variant, and the campaign's epoch. */
export type DeliveryDecision = { variantId: string; epoch: number; heldOut: boolean };

/** The decision about a user who stops at no gate, or at one that withholds. */
export const decisionOf = (
  stop: Pick<AnyGate, "withholds"> | null,
  variant: { id: string },
  { epoch }: { epoch: number },
): DeliveryDecision => ({ variantId: variant.id, epoch, heldOut: stop?.withholds === true });

/** Why a user who stops at a gate cannot be reached; null where the gate has no such reasons. */
export const reasonAt = <Facts>(gate: Judge<Facts>, facts: Facts): string | null =>
  gate.reason?.(facts) ?? gate.reasons[0] ?? null;

/** The gates of a list at which a census counts the users whom a plan would leave out. */
export const countedGates = <const Gates extends List>(
  gates: Gates,
): readonly Judge<Together<Judges<Counted<Gates[number]>, "plan">>>[] =>
  gatesAt(gates, "plan").filter(({ bucket, reasons }) => bucket !== undefined || reasons.length > 0);

/** What a census counts a user as, by the gates of `countedGates`. */
export function bucketOf<Facts>(counted: readonly Judge<Facts>[], facts: Facts): string {
  const stop = stopOf(counted, facts);
  if (stop === null) return "will_receive";
  const bucket = stop.bucket ?? reasonAt(stop, facts);
  if (bucket === null) throw new Error(`A census counts nothing at the gate ${stop.gate}.`);
  return bucket;
}

/** SQL: the same of the user `u`, by the gates of a list that say it in SQL. */
export function bucketSql<const Gates extends List>(gates: Gates, scope: Scope<Gates>): RawBuilder<string> {
  const branches = gates.flatMap((gate) => gate.sql?.(scope as never) ?? []);
  const cases = branches.map(
    ({ when, bucket }) => sql`when ${when} then ${typeof bucket === "string" ? sql.lit(bucket) : bucket}`,
  );
  return cases.length === 0
    ? sql<string>`'will_receive'`
    : sql<string>`case ${sql.join(cases, sql` `)} else 'will_receive' end`;
}

/** Why users cannot be reached, in the order in which a plan finds out. */
export const reasonsOf = <const Gates extends List>(gates: Gates): ReasonOf<Gates>[] => [
  ...new Set(gates.flatMap(({ stages, reasons }) => (stages.includes("plan") ? reasons : []))),
];

/** The shapes of what gates answer, one for each name: gates of one name differ in their reasons alone. */
export function schemasOf<const Gates extends readonly [AnyGate, ...AnyGate[]]>(gates: Gates) {
  const [first, ...more] = [...Map.groupBy(gates, ({ gate }) => gate).values()].map((same) =>
    z.strictObject({ ...same[0]?.schema.shape, ...reasonShape(reasonsOf(same)) }),
  );
  return [first, ...more] as readonly unknown[] as [Gates[number]["schema"], ...Gates[number]["schema"][]];
}

/** What the gates of a list say of a user, in their order. */
export function explainGates<const Gates extends List>(
  gates: Gates,
  findings: Findings<Gates>,
): AnswerOf<Gates>[] {
  const found = findings as never;
  return gates.flatMap((gate) => {
    if (gate.applies?.(found) === false) return [];
    const skipped = gate.skipped?.(found) ?? null;
    const passes = skipped === null ? gate.passes(found) : null;
    const reason =
      gate.reasons.length === 0 ? {} : { reason: passes === false ? reasonAt<never>(gate, found) : null };
    const answer = {
      gate: gate.gate,
      passes,
      note: skipped ?? gate.note(found),
      ...reason,
      ...gate.details?.(found),
    };
    return [answer as AnswerOf<Gates>];
  });
}
