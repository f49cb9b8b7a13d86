import { wordFor } from "@tidings/client/text";
import { counted } from "../../platform/figures.ts";

const usersOf = (users: number): string => counted(users, "user");

/** What is said where sides are compared with a control, whatever they are. */
export const comparisonWords = {
  findings: {
    mismatch: "Do not believe a winner yet",
    better: (name: string) => `${name} is better than the control`,
    betterAbout: (lift: string) =>
      `Users convert at least ${lift} more often. It stays true however often you look.`,
    control: "Keep the control",
    undecided: "Nothing may be claimed yet",
    undecidedAbout: "What you see so far may be chance. Looking again later is free.",
  },
  plan: (perDay: number, rate: string, lift: string, days: number) =>
    `At ${usersOf(perDay)} a day and a rate of ${rate}, a lift of ${lift} shows within about ${counted(days, "day")}.`,
  planTooLong: (perDay: number, rate: string, lift: string, way: string) =>
    `At ${usersOf(perDay)} a day and a rate of ${rate}, even a lift of ${lift} takes more than a year to show: ${way}.`,
  weight: "Weight",
  users: "Users",
  converted: "Converted users",
  rate: "Convert",
  lift: "Against the control",
  verdict: "Verdict",
  control: "Control",
  lowest: (figure: string) => `${figure}, at least`,
  highest: (figure: string) => `${figure}, at most`,
  evidence: (chance: string) => `By chance in at most 1 of ${chance}`,
  verdicts: { better: "Better", worse: "Worse", similar: "Similar", undecided: "Open" },
  sideBySide: (side: string, control: string) =>
    `The users of both came in different shares over time. Of those who came at the same time ${side} convert, and ${control} with the control: compare these.`,
  split: "Split of users",
  splitFine: "Users are split as the weights say.",
  expected: "As the weights say",
  unknownAllocation: (users: number) =>
    `${counted(users, "user is", "users are")} in no comparison, because nobody knows ${wordFor(users, "the weights of that time", "their weights")} any more.`,
} as const;

/** What differs by what is compared: variants of a campaign, or paths of a journey. */
export type SideWords = {
  side: string;
  /** Users who are counted, in the table of a split that is broken. */
  got: string;
  mismatchAbout: string;
  controlAbout: string;
  alone: string;
  aloneAbout: string;
  /** What to do where even a large lift takes too long to show. */
  sooner: string;
};

export const variantWords: SideWords = {
  side: "Variant",
  got: "Were exposed",
  mismatchAbout:
    "Users are split otherwise than the weights say. Something loses users of one variant: a slow page, a blocked script, a redirect. Find it first.",
  controlAbout: "No other variant that users get is better by as much as matters to you.",
  alone: "One variant, so there is nothing to compare",
  aloneAbout: "Add a second one to learn which text does better.",
  sooner: "reach more users, or try texts that differ more",
};

export const pathWords: SideWords = {
  side: "Path",
  got: "Entered",
  mismatchAbout:
    "Users are split otherwise than the weights say. Something loses users of one path, such as code of yours that lets users in by what they do on it. Find it first.",
  controlAbout: "No other path that users go is better by as much as matters to you.",
  alone: "Users go one path, so there is nothing to compare",
  aloneAbout: "Give the control and another path weight to learn which does better.",
  sooner: "let more users in, or try paths that differ more",
};
