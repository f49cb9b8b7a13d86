import type { Feature } from "../../domain/feature.ts";
import { aloneLoop } from "../../platform/loops/alone-loop.ts";
import { SECOND_MS } from "../../platform/time/clock.ts";
import { exportImportCommands } from "./commands/export-import.ts";
import { projectCommands } from "./commands/project.ts";
import { deleteClosedProjects } from "./delete-project.ts";
import { removeProject } from "./remove-project.ts";

const deleteClosed = aloneLoop({
  name: "delete the rows of deleted projects",
  everyMs: 10 * SECOND_MS,
  turn: (app, signal) => deleteClosedProjects(app, signal),
});

export const portable: Feature = {
  room: "portable",
  endpoints: [removeProject],
  loops: [deleteClosed],
  commands: [projectCommands, exportImportCommands],
};
