import { numberOf } from "../../../platform/figures.ts";
import { messageTitle, waitInWords } from "../../../ui/journey-steps/titles.ts";
import { words as stepWords } from "../../../ui/journey-steps/words.ts";
import { type StepDraft, waitBody } from "../draft.ts";
import { words } from "../words.ts";

function titleOf(step: StepDraft): string {
  if (step.kind === "wait") return stepWords.titles.wait(waitInWords(waitBody(step)));
  if (step.kind !== "send") return stepWords.titles[step.kind];
  return step.name.trim() === "" ? words.form.noName : messageTitle(step.channel, step.name);
}

/** What a step of the form is called where another part of it names it: by its place, and by what is written in it. */
export const draftTitle = (step: StepDraft, steps: readonly StepDraft[]): string =>
  stepWords.nth(numberOf(steps.indexOf(step) + 1), titleOf(step));
