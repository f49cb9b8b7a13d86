import type { Feature } from "../../platform/feature.ts";
import { keyCommand } from "./commands/key.ts";
import { projectCommands, renameCommand } from "./commands/project.ts";
import { createKey } from "./keys/create-key.ts";
import { listKeys } from "./keys/list-keys.ts";
import { revokeKey } from "./keys/revoke-key.ts";
import { rotateKey } from "./keys/rotate-key.ts";
import { createProject } from "./projects/create-project.ts";
import { renameProject } from "./projects/rename-project.ts";

export const access: Feature = {
  endpoints: [createProject, renameProject, listKeys, createKey, rotateKey, revokeKey],
  commands: [projectCommands, renameCommand, keyCommand],
  tags: {
    Projects: "What is kept apart from everything else: users, campaigns, keys.",
    Keys: "What programs and pages prove themselves with.",
  },
};
