import type { Feature } from "../../domain/feature.ts";
import { identityCommand } from "./commands/identity.ts";
import { createKeyCommand, rotateKeyCommand } from "./commands/key.ts";
import { projectCommands, renameCommand } from "./commands/project.ts";
import { createKey } from "./keys/create-key.ts";
import { listKeys } from "./keys/list-keys.ts";
import { revokeKey } from "./keys/revoke-key.ts";
import { rotateKey } from "./keys/rotate-key.ts";
import { perimeterSettingGroup } from "./perimeter/settings.ts";
import { showIdentitySecret } from "./perimeter/show-identity-secret.ts";
import { createProject } from "./projects/create-project.ts";
import { renameProject } from "./projects/rename-project.ts";
import { tables } from "./tables.pure.ts";

export const access: Feature = {
  room: "access",
  tables,
  endpoints: [createProject, renameProject, listKeys, createKey, rotateKey, revokeKey, showIdentitySecret],
  settings: [perimeterSettingGroup],
  commandGroups: {
    key: "make and replace keys",
    identity: "the secret that user hashes are made with",
    project: "make, list, show, rename and delete projects",
  },
  commands: [projectCommands, renameCommand, createKeyCommand, rotateKeyCommand, identityCommand],
  tags: {
    Projects: "What is kept apart from everything else: users, campaigns, keys.",
    Keys: "What programs and pages prove themselves with.",
  },
};
