import { numberOf } from "../../../platform/figures.ts";
import { type StepDraft, waitBody } from "../draft.ts";
import { messageTitle, waitInWords } from "../rules.ts";
import { words } from "../words.ts";

type NameOf = (campaignId: string) => string | null;

function titleOf(step: StepDraft, nameOf: NameOf): string {
  if (step.kind === "wait") return words.titles.wait(waitInWords(waitBody(step)));
  if (step.kind !== "send") return words.titles[step.kind];
  const written = step.campaignId === null ? step.name : (nameOf(step.campaignId) ?? step.id);
  return written === null || written.trim() === "" ? words.form.noName : messageTitle(step.channel, written);
}

/** What a step of the form is called where another part of it names it: by its place, and by what is written in it. */
export const draftTitle = (step: StepDraft, steps: readonly StepDraft[], nameOf: NameOf): string =>
  words.nth(numberOf(steps.indexOf(step) + 1), titleOf(step, nameOf));
