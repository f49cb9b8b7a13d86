import type { StepDraft } from "../draft.ts";

/** What the fields of a step take. */
export type StepOf<Step extends StepDraft> = {
  scope: string;
  step: Step;
  /** What the server says of it, without its place; null where it is about another part. */
  fault: string | null;
  change: (step: Step) => void;
};
