import { nthTitle } from "../../../ui/journey-steps/titles.ts";
import type { Journey } from "../rules.ts";
import { words } from "../words.ts";

/** The titles of a journey's steps by their ids, with their places; of one that is gone, that it is. */
export function titlesOf({ steps }: Pick<Journey, "steps">): (stepId: string) => string {
  const titles = new Map(steps.map((each, index) => [each.id, nthTitle(each, index)]));
  return (stepId) => titles.get(stepId) ?? words.goneStep(stepId);
}
