import { numberOf } from "../../../platform/figures.ts";
import { type Journey, stepTitle } from "../rules.ts";
import { words } from "../words.ts";
import { useStepNames } from "./step-names.ts";

/** The titles of a journey's steps by their ids, with their places; of one that is gone, that it is. */
export function useStepTitles(scope: string, { id, steps }: Journey): (stepId: string) => string {
  const nameOf = useStepNames(scope, id);
  const titles = new Map(
    steps.map((each, index) => [each.id, words.nth(numberOf(index + 1), stepTitle(each, nameOf))]),
  );
  return (stepId) => titles.get(stepId) ?? words.goneStep(stepId);
}
