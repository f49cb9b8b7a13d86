import type { Feature } from "../../platform/feature.ts";
import { changePeopleSettings } from "./change-people-settings.ts";
import { countUnexplainedAcrossProjects } from "./check-store.ts";
import { emailDomainCommands } from "./commands/email-domain.ts";
import { identityCommand } from "./commands/identity.ts";
import { secretKeyCommands } from "./commands/secret-key.ts";
import { settingsCommands } from "./commands/settings.ts";
import { listPeopleSettings } from "./list-people-settings.ts";
import { listSettingLog } from "./list-setting-log.ts";
import { showIdentitySecret } from "./show-identity-secret.ts";

export const settings: Feature = {
  endpoints: [listPeopleSettings, changePeopleSettings, listSettingLog, showIdentitySecret],
  commands: [secretKeyCommands, settingsCommands, identityCommand, emailDomainCommands],
  checks: [
    {
      name: "settings: each is what its last change left",
      invariant: 8,
      compares: "facts",
      countDifferences: countUnexplainedAcrossProjects,
    },
  ],
  tags: { Settings: "What people decide for a project or its organization." },
};
