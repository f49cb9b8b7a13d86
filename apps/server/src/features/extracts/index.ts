import type { Feature } from "../../domain/feature.ts";
import { extractCommands } from "./commands/extract.ts";
import { lists } from "./lists.ts";

export const extracts: Feature = {
  room: "extracts",
  endpoints: lists.map(({ endpoint }) => endpoint),
  commands: [extractCommands],
  tags: { Lists: "What a project has, as files: for spreadsheets and for programs." },
};
