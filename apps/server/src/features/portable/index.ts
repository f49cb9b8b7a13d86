import type { Feature } from "../../platform/feature.ts";
import { exportImportCommands } from "./commands/export-import.ts";
import { projectCommands } from "./commands/project.ts";

export const portable: Feature = { commands: [projectCommands, exportImportCommands] };
