import type { Answer } from "@tidings/client";
import { words } from "./words.ts";

export type Intake = Answer<"getIntake">["intake"];
export type IntakeProblem = Intake["problems"][number];

/** How many hours back the page looks, as its address may say. */
export const BACK = ["24", "168", "720"] as const;
export type Back = (typeof BACK)[number];
export const USUAL_BACK: Back = "168";

/** How far back an address asks for: a week where it says nothing that there is. */
export const backIn = ({ hours = "" }: Readonly<Record<string, string>>): Back =>
  BACK.find((each) => each === hours) ?? USUAL_BACK;

/** What tells a problem from all others of an answer. */
export const idOfProblem = ({ library, call, reason }: IntakeProblem): string =>
  JSON.stringify([library, call, reason]);

/** What a library is called; those that say nothing, and those beyond the first fifty, have a name of ours. */
export const libraryName = (library: string): string =>
  library === "unknown" ? words.unknownLibrary : library === "other" ? words.otherLibraries : library;

export const callName = (call: IntakeProblem["call"]): string =>
  call === "unknown" ? words.unknownCall : call;
