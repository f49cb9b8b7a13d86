import type { Feature } from "../../platform/feature.ts";
import { keyCommand } from "./commands/key.ts";
import { projectCommands, renameCommand } from "./commands/project.ts";
import { createKey } from "./create-key.ts";
import { createProject } from "./create-project.ts";
import { listKeys } from "./list-keys.ts";
import { renameProject } from "./rename-project.ts";
import { revokeKey } from "./revoke-key.ts";
import { rotateKey } from "./rotate-key.ts";

export const access: Feature = {
  endpoints: [createProject, renameProject, listKeys, createKey, rotateKey, revokeKey],
  commands: [projectCommands, renameCommand, keyCommand],
};
