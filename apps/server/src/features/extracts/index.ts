import type { Feature } from "../../platform/feature.ts";
import { extractCommands } from "./commands/extract.ts";
import { lists } from "./lists.ts";

export const extracts: Feature = {
  endpoints: lists.map(({ endpoint }) => endpoint),
  commands: [extractCommands],
  tags: { Lists: "What a project has, as files: for spreadsheets and for programs." },
};
