import type { Feature } from "../../platform/feature.ts";
import { keyCommands } from "./commands/key.ts";
import { projectCommands } from "./commands/project.ts";

export const access: Feature = { commands: [projectCommands, keyCommands] };
