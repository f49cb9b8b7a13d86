import type { Decided, Decision, Policy } from "../policy.ts";
import type { Snapshot, SnapshotVariant } from "../snapshot.ts";

/**
 * The policy `statistical@1`. It never changes: runs name it, and are replayed with it. What should be decided otherwise is a new policy
 * beside this one. It decides from the snapshot alone, without chance, so that the same snapshot gives the same bytes.
 */

const DAY_MS = 86_400_000;
const CONTROL_FLOOR = 0.2;
const FLOOR = 0.05;
/** Weights move when one of them would move by so many points. */
const LEAST_MOVE = 5;
/** From so many conversions on, traffic is divided by what they say. */
const LEAST_CONVERSIONS = 20;

type Compared = SnapshotVariant & { comparison: NonNullable<SnapshotVariant["comparison"]> };

/** A share as the least whole per cent that is not below it, whatever its last digit is. */
const wholePercent = (share: number): number => Math.ceil(Number((100 * share).toPrecision(12)));

/**
 * Weights in whole per cent by the chance to be the best, the control's chance first: the control has at least 20 (or what its goal
 * asks for), every other 5 (or an equal part of what the control leaves), and the rest is divided by the chances. What is left by rounding
 * goes to the largest remainders; the control is never rounded below its floor.
 */
export function allocate(chances: readonly number[], controlFloor = CONTROL_FLOOR): number[] {
  const ofControl = Math.max(CONTROL_FLOOR, controlFloor);
  const ofOthers = Math.min(FLOOR, (1 - ofControl) / (chances.length - 1));
  const floorOf = (index: number): number => (index === 0 ? ofControl : ofOthers);
  const free = Math.max(0, 1 - chances.reduce((sum, _, index) => sum + floorOf(index), 0));
  const total = chances.reduce((sum, chance) => sum + chance, 0);
  const exact = chances.map((chance, index) => 100 * (floorOf(index) + (free * chance) / total));
  const whole = exact.map(Math.floor);
  const left = 100 - whole.reduce((sum, weight) => sum + weight, 0);
  const byRemainder = exact
    .map((weight, index) => ({ index, remainder: weight - Math.floor(weight) }))
    .sort((a, b) => b.remainder - a.remainder || a.index - b.index);
  const raised = new Set(byRemainder.slice(0, left).map(({ index }) => index));
  const rounded = whole.map((weight, index) => weight + (raised.has(index) ? 1 : 0));
  const missing = wholePercent(ofControl) - (rounded[0] ?? 0);
  const largest = rounded.indexOf(Math.max(...rounded.slice(1)), 1);
  return rounded.map((weight, index) => {
    if (missing <= 0) return weight;
    return index === 0 ? weight + missing : index === largest ? weight - missing : weight;
  });
}

const nothing = (reason: string): Decision => ({ action: "nothing", mutation: null, reason });

const change = (action: string, weights: ReadonlyMap<string, number>, reason: string): Decision => ({
  action,
  mutation: { type: "update", variants: [...weights].map(([id, weight]) => ({ id, weight })) },
  reason,
});

/** Whether a difference may be acted on: the goal's error budget refused it lately until its evidence has grown. */
const isEnough = ({ comparison: { eValue, eValueNeeded } }: Compared): boolean =>
  eValueNeeded === null || eValue >= eValueNeeded;

const points = (share: number): string => `${(100 * share).toFixed(1)} %`;
const list = (ids: readonly string[]): string => ids.join(", ");

function retire(worse: readonly Compared[]): Decision {
  const names = list(worse.map(({ id }) => id));
  return change(
    "retire",
    new Map(worse.map(({ id }) => [id, 0])),
    `Worse than the control, whenever one looks: ${names}. It gets no users any more.`,
  );
}

function ship(best: Compared, snapshot: Snapshot): Decision {
  // A goal may keep part of the users for the control; the better variant gets the others.
  const share = wholePercent(snapshot.goal.limits.minControlShare ?? 0);
  if (share >= 100) return nothing(`${best.id} is better, but the goal keeps all users for the control.`);
  const weights = snapshot.variants
    .map(({ id, isControl, weight }) => ({
      id,
      before: weight,
      after: id === best.id ? 100 - share : isControl ? share : 0,
    }))
    .filter(({ before, after }) => before !== after);
  if (weights.length === 0) return nothing(`${best.id} is better, and has all users that it may have.`);
  return change(
    "ship",
    new Map(weights.map(({ id, after }) => [id, after])),
    `${best.id} is better than the control, by at least ${points(best.comparison.lower)}, whenever one looks. It gets ${share === 0 ? "all users" : `${100 - share} % of the users, the control what its goal keeps for it`}.`,
  );
}

function reallocate(snapshot: Snapshot, control: SnapshotVariant, others: readonly Compared[]): Decision {
  const live = [control, ...others];
  const conversions = live.reduce((sum, { matured }) => sum + (matured?.convertedUsers ?? 0), 0);
  if (conversions < LEAST_CONVERSIONS)
    return nothing(
      `${conversions} conversions have matured; traffic is divided by them from ${LEAST_CONVERSIONS} on.`,
    );
  const { lastAllocatedAt, takenAt } = snapshot;
  if (lastAllocatedAt !== null && takenAt - lastAllocatedAt < DAY_MS)
    return nothing("It was decided within the last 24 hours how traffic is divided.");
  const chances = others.map(({ comparison }) => comparison.bestChance);
  const ofControl = Math.max(
    0,
    chances.reduce((left, chance) => left - chance, 1),
  );
  const total = live.reduce((sum, { weight }) => sum + weight, 0);
  const after = allocate([ofControl, ...chances], snapshot.goal.limits.minControlShare);
  // Taking all users from a variant would be a verdict about it.
  if (after.includes(0))
    return nothing("The goal keeps too many users for the control to divide the others.");
  const moved = live.some(
    ({ weight }, index) => Math.abs((after[index] ?? 0) - (100 * weight) / total) >= LEAST_MOVE,
  );
  if (!moved) return nothing(`No weight would move by ${LEAST_MOVE} points.`);
  const words = live.map(
    ({ id, weight }, index) => `${id} ${Math.round((100 * weight) / total)} -> ${after[index]}`,
  );
  return change(
    "allocate",
    new Map(live.map(({ id }, index) => [id, after[index] ?? 0])),
    `Users in per cent, by the chance to be the best: ${list(words)}.`,
  );
}

/** What `statistical@1` does about a snapshot; the first rule that applies. It never launches, and writes no text. */
export function decideStatistically(snapshot: Snapshot): Decision {
  const { variants, sampleRatio, status, proposals, evaluationAt, appliedHashes } = snapshot;
  if (status !== "running") return nothing(`The campaign is ${status}.`);
  if (appliedHashes.length > 0 || proposals.some((each) => each.evaluationAt === evaluationAt))
    return nothing("In this evaluation, something was decided already.");
  if (sampleRatio === null) return nothing("The goal counts no event.");
  if (sampleRatio.mismatch)
    return nothing("Users are not split as the weights say, so no number of them is to be believed.");
  const control = variants.find(({ isControl, weight }) => isControl && weight > 0);
  const others = variants.filter(
    (each): each is Compared => !each.isControl && each.weight > 0 && each.comparison !== null,
  );
  if (control === undefined || others.length === 0)
    return nothing("There is nothing to compare: one variant has all users.");
  const worse = others.filter((each) => each.comparison.verdict === "worse" && isEnough(each));
  if (worse.length > 0) return retire(worse);
  const [best] = others
    .filter((each) => each.comparison.verdict === "better" && isEnough(each))
    .sort((a, b) => b.comparison.lower - a.comparison.lower || (a.id < b.id ? -1 : 1));
  if (best !== undefined) return ship(best, snapshot);
  return reallocate(snapshot, control, others);
}

/** The model-free policy: it decides from what was counted, costs nothing, and can be computed again. */
export const statistical1: Policy = {
  name: "statistical@1",
  usesModel: false,
  launches: false,
  maxSeconds: 60,
  decide: async ({ snapshot }): Promise<Decided> => ({
    decision: decideStatistically(snapshot),
    usage: null,
    transcript: [],
  }),
};
