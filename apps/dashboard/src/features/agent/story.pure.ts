/** What a run is read from: any program with a key may have logged it, so each part of it is looked at before it is believed. */
type Logged = { input: unknown; output: unknown };

/** A variant as the agent saw it, and which share of the users it has before and after what was decided. */
export type SeenVariant = {
  id: string;
  isControl: boolean;
  /** Parts of 1; `after` is the same where no weight changes. */
  share: { before: number; after: number };
  /** Users whose window is over and who of them converted, and users whose window is open. Null where the goal counted no event. */
  counts: { users: number; converted: number; pending: number } | null;
  /** Null for the control, and where there was nothing to compare. */
  verdict: string | null;
  /** Whether it gets another text. */
  isRewritten: boolean;
};

/** What an agent of Tidings saw and decided. Instants in epoch milliseconds. */
export type DecisionStory = {
  policy: string;
  action: string;
  takenAt: number | null;
  targetEvent: string | null;
  attributionDays: number | null;
  /** Whether users were split otherwise than the weights say. */
  isSplitBroken: boolean;
  variants: readonly SeenVariant[];
};

type Fields = Readonly<Record<string, unknown>>;

const fieldsOf = (value: unknown): Fields | null =>
  typeof value === "object" && value !== null && !Array.isArray(value) ? { ...value } : null;
const listIn = (value: unknown): readonly Fields[] =>
  Array.isArray(value) ? value.map(fieldsOf).filter((each) => each !== null) : [];
const textIn = (value: unknown): string | null => (typeof value === "string" ? value : null);
const numberIn = (value: unknown): number | null => (typeof value === "number" ? value : null);
const countIn = (outcome: unknown, name: string): number => numberIn(fieldsOf(outcome)?.[name]) ?? 0;

function countsOf({ matured, pending }: Fields): SeenVariant["counts"] {
  if (fieldsOf(matured) === null) return null;
  return {
    users: countIn(matured, "exposedUsers"),
    converted: countIn(matured, "convertedUsers"),
    pending: countIn(pending, "exposedUsers"),
  };
}

/** The variants of a snapshot beside what a change says of them. */
function variantsOf(snapshot: Fields, mutation: Fields | null): SeenVariant[] {
  const changes = new Map(listIn(mutation?.variants).map((change) => [textIn(change.id), change]));
  const seen = listIn(snapshot.variants).flatMap((variant) => {
    const [id, before] = [textIn(variant.id), numberIn(variant.weight)];
    if (id === null || before === null) return [];
    const change = changes.get(id);
    return [{ id, variant, before, after: numberIn(change?.weight) ?? before, change }];
  });
  const total = (weights: readonly number[]): number => weights.reduce((sum, weight) => sum + weight, 0) || 1;
  const [allBefore, allAfter] = [
    total(seen.map(({ before }) => before)),
    total(seen.map(({ after }) => after)),
  ];
  const all = seen.map(({ id, variant, before, after, change }) => ({
    id,
    isControl: variant.isControl === true,
    share: { before: before / allBefore, after: after / allAfter },
    counts: countsOf(variant),
    verdict: textIn(fieldsOf(variant.comparison)?.verdict),
    isRewritten: change?.message !== undefined,
  }));
  return all.filter((each) => each.isControl || hasUsers(each));
}

/** Whether users get a variant, got it as far as that is known, or will get it. One that was taken out before that says nothing. */
const hasUsers = ({ share, counts }: SeenVariant): boolean =>
  share.before + share.after > 0 || counts === null || counts.users + counts.pending > 0;

/** What a run of Tidings' own agent tells; null where another program logged the run, or the run is no decision. */
export function storyOf({ input, output }: Logged): DecisionStory | null {
  const snapshot = fieldsOf(fieldsOf(input)?.snapshot);
  const decision = fieldsOf(fieldsOf(output)?.decision);
  const [policy, action] = [textIn(fieldsOf(input)?.policy), textIn(decision?.action)];
  if (snapshot === null || policy === null || action === null) return null;
  const goal = fieldsOf(snapshot.goal);
  return {
    policy,
    action,
    takenAt: numberIn(snapshot.takenAt),
    targetEvent: textIn(goal?.targetEvent),
    attributionDays: numberIn(goal?.attributionDays),
    isSplitBroken: fieldsOf(snapshot.sampleRatio)?.mismatch === true,
    variants: variantsOf(snapshot, fieldsOf(decision?.mutation)),
  };
}
