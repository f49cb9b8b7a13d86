import { fieldName, type Warning, warningText } from "../../ui/findings/rules.pure.ts";
import { words } from "../../ui/findings/words.ts";
import { type JourneyStep, nthTitle } from "../../ui/journey-steps/titles.ts";

/** The place of the step, and the field of its message, that a warning of a launch is about. */
const PLACE = /^\/steps\/(\d+)\/variants\/\d+\/content\/(.+)$/;

/** A warning with the step and the field that it is about: `2. Email “Reminder”, Subject: …`; by itself where it is about none. */
export function stepWarning(warning: Warning, steps: readonly JourneyStep[]): string {
  const [, place = "", field = ""] = PLACE.exec(warning.path) ?? [];
  const step = steps[Number(place)];
  const text = warningText(warning);
  return field === "" || step === undefined
    ? text
    : words.at(nthTitle(step, Number(place)), fieldName(field.replaceAll("/", "."))) + text;
}
