import type { PagePlace } from "../../platform/pages.ts";
import { words } from "./words.ts";

/** The parts of the agent's page that the palette finds. */
export const places: readonly PagePlace[] = [
  { label: words.views.campaigns, also: "agent evaluations next look plan", search: { view: "campaigns" } },
  { label: words.views.runs, also: "agent log history decisions", search: { view: "runs" } },
  { label: words.views.chain, also: "agent verify tamper proof log", search: { view: "chain" } },
  { label: words.views.usage, also: "agent ai cost tokens models", search: { view: "usage" } },
];
