import type { Setup } from "../../ui/reach/rules.ts";

/** What a first day needs, in the order in which one does it; the last one only where mail is wanted. */
export const STEPS = ["page", "user", "event", "goal", "campaign", "sender"] as const;
export type SetupStep = (typeof STEPS)[number];

const FACTS = {
  page: "hasPageView",
  user: "hasUser",
  event: "hasEvent",
  goal: "hasGoal",
  campaign: "hasCampaign",
  sender: "hasSender",
} as const satisfies Record<SetupStep, keyof Setup>;

export const isDone = (setup: Setup, step: SetupStep): boolean => setup[FACTS[step]];

/** The steps that are wanted and not done, in their order. @param skipped names of steps that a person does not want */
export const openSteps = (setup: Setup, skipped: readonly string[]): SetupStep[] =>
  STEPS.filter((step) => !isDone(setup, step) && !skipped.includes(step));

/** The text of a mail to the person who changes the pages. @param overview the address of the page that shows when it works */
export const mailOf = (lines: string, overview: string): string =>
  [
    "Please put these lines into every page of our product, right before the end of its body:",
    lines,
    'In place of "ada" comes the id that our own system has for the user who is signed in, and in place of the plan whatever we know of them. Where nobody is signed in, leave out the second script.',
    `Then open one of the pages. It works once the first line of the list here has its tick: ${overview}`,
  ].join("\n\n");

/** The address that opens a mail with a subject and a text, without a recipient. */
export const mailtoOf = (subject: string, body: string): string =>
  `mailto:?subject=${encodeURIComponent(subject)}&body=${encodeURIComponent(body)}`;
