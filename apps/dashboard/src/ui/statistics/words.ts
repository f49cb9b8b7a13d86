import { counted, numberOf } from "../../platform/figures.ts";

/** What counts no more: users, a claim, or both. */
function lost(users: number, claim: string | null): string {
  if (users === 0) return claim === null ? "Nothing is lost" : `The verdict “${claim}” no longer counts`;
  if (claim !== null) return `${counted(users, "user")} and the verdict “${claim}” no longer count`;
  return counted(users, "user no longer counts", "users no longer count");
}

export const words = {
  broken: "–, the split is broken",
  unknown: "–",
  claimed: { better: "better", worse: "worse", similar: "similar" },
  beginsAnew: (name: string, isCompared: boolean) =>
    `The ${isCompared ? "comparison" : "count"} of ${name} begins anew`,
  lost: {
    text: (users: number, claim: string | null) => `${lost(users, claim)}.`,
    control_text: (users: number, claim: string | null) =>
      `${lost(users, claim)}, because the control gets another text.`,
    other_control: (users: number, claim: string | null) =>
      users === 0
        ? `${lost(users, claim)}, because it is compared with another control. Its users still count.`
        : `${lost(users, claim)}, because it is compared with another control.`,
  },
  lostStays: "What was found so far stays to be read in the results, under “Earlier text”.",
  rateOf: (rate: string, users: number) => `${rate} of ${counted(users, "user")} converted`,
  splitBroken:
    "Users are split otherwise than the weights say, so these rates may not be compared. Something loses users of one variant: find it first.",
  noUserYet: "No user has had it yet.",
  pending: (users: number) =>
    `${numberOf(users)} more ${users === 1 ? "waits for its" : "wait for their"} window`,
  between: (low: string, high: string) => `${low} to ${high}`,
  atLeast: (low: string) => `at least ${low}, the upper end is open yet`,
  noRate: "no users yet",
  holdout: "With and without messages",
  users: "Users",
  exposed: "How many",
  rate: "Convert",
  difference: "Difference",
  served: "Got messages",
  withheld: "Held out",
  verdicts: {
    better: (lift: string) => `Messages bring conversions: at least ${lift} more.`,
    worse: (lift: string) => `Messages cost conversions: at most ${lift}.`,
    similar: "Messages make no difference that matters.",
    undecided: "It is open whether messages make a difference.",
  },
  mismatch: "Do not believe it yet",
  mismatchAbout:
    "Another share of users was held out than the goal asks for. Something loses users on one side. Find it first.",
} as const;
