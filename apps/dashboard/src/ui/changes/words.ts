import { nameOfPath } from "../../platform/faults.ts";
import { onceWords } from "../campaigns/once-words.ts";

/** What a change names, and no form has a field for. */
const FIELDS: Readonly<Record<string, string>> = {
  once: onceWords.field,
  "goal.targetEvent": "Event of the goal",
  "goal.attributionDays": "Days of the goal",
  status: "Status",
  "journey.version": "Version of the journey",
  "journey.status": "Status of the journey",
  "": "Message",
};

export const words = {
  nothing: "nothing",
  everyPage: "every page",
  yes: "yes",
  no: "no",
  becomes: "→",
  legend: "What is there now is struck through where yours differs; what you wrote is underlined.",
  newVariant: "New variant",
  variant: (name: string) => `Variant ${name}`,
  /** The name of a field of a campaign or message by its path. */
  fieldOf: (path: string): string => FIELDS[path] ?? nameOfPath(path),
} as const;
