/**
 * Campaigns without a difference that visitors meet in a browser, whose variants decide how many of them sign in. Some of these persons have had
 * the campaign on another device, as a user, in a variant that was drawn by itself.
 */

/** A person who met the campaign as a visitor. */
export type Met = {
  /** The variant of the visitor, and that of the same person as a user on another device; null where the user has not had the campaign. */
  variant: number;
  users: number | null;
  signsIn: boolean;
  /** Whether the person converts in that browser before, or after, the instant at which they sign in or would have. */
  before: boolean;
  after: boolean;
};

/** A unit that statistics count: the variant that it was shown, and whether it converted. */
export type CountedUnit = { variant: number; isConverted: boolean };

export type MergingWorld = {
  /** The share of visitors who sign in, by variant. */
  signIn: readonly number[];
  /** The share of visitors who had the campaign on another device. */
  known: number;
  /** Shares of those who convert: persons who sign in often, and the others. */
  keen: number;
  others: number;
};

const KEEN = 0.4;
/** Persons who convert more sign in more, by these factors, which leave the share of all as it is. */
const KEEN_SIGN_IN = 1.4;
const OTHERS_SIGN_IN = (1 - KEEN * KEEN_SIGN_IN) / (1 - KEEN);
/** The share of conversions after the instant of signing in. */
const LATER = 0.7;

/** The share of visitors who sign in where nothing depends on the variant, or 20 points apart. */
export const ARM_DECIDES: MergingWorld = { signIn: [0.3, 0.5], known: 0.6, keen: 0.12, others: 0.03 };
export const ARM_DECIDES_NOTHING: MergingWorld = { ...ARM_DECIDES, signIn: [0.4, 0.4] };

/** Draws one person; what they do does not depend on the variant, but for signing in. */
export function meet(random: () => number, { signIn, known, keen, others }: MergingWorld): Met {
  const variant = random() < 0.5 ? 0 : 1;
  const isKeen = random() < KEEN;
  const converts = random() < (isKeen ? keen : others);
  const isLater = random() < LATER;
  return {
    variant,
    users: random() < known ? (random() < 0.5 ? 0 : 1) : null,
    signsIn: random() < (signIn[variant] ?? 0) * (isKeen ? KEEN_SIGN_IN : OTHERS_SIGN_IN),
    before: converts && !isLater,
    after: converts && isLater,
  };
}

/** How a person's units may be counted. */
export type UnitRule = (met: Met) => CountedUnit[];

const users = (met: Met, isConverted: boolean): CountedUnit[] =>
  met.users === null ? [] : [{ variant: met.users, isConverted }];

/** The rules by which visitors who sign in may be counted: ours, and those that are put beside it. */
export const unitRules = {
  /** What the person does counts for both units, and neither goes. */
  "both units, for which the person counts": (met) => [
    { variant: met.variant, isConverted: met.before || met.after },
    ...users(met, met.signsIn && (met.before || met.after)),
  ],
  "persons of two variants are left out": (met) => {
    if (met.signsIn && met.users !== null && met.users !== met.variant) return [];
    if (met.signsIn && met.users === met.variant)
      return [{ variant: met.variant, isConverted: met.before || met.after }];
    return [{ variant: met.variant, isConverted: met.before || met.after }, ...users(met, false)];
  },
  "one unit each: the user's": (met) =>
    met.signsIn && met.users !== null
      ? users(met, met.before || met.after)
      : [{ variant: met.variant, isConverted: met.before || met.after }, ...users(met, false)],
  "the visitor's unit ends": (met) => [
    { variant: met.variant, isConverted: met.before || (met.after && !met.signsIn) },
    ...users(met, met.signsIn && met.after),
  ],
} satisfies Record<string, UnitRule>;
