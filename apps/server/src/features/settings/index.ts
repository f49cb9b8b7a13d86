import type { Feature } from "../../domain/feature.ts";
import { plug } from "../../platform/runtime.ts";
import { logIdentitySecret } from "../access/public.ts";
import { changePeopleSettings } from "./change-people-settings.ts";
import { countUnexplainedAcrossProjects } from "./check-store.ts";
import { settingsCommands } from "./commands/settings.ts";
import { listPeopleSettings } from "./list-people-settings.ts";
import { listSettingLog } from "./list-setting-log.ts";
import { logIdentity } from "./log-identity.ts";
import { tables } from "./tables.pure.ts";

export const settings: Feature = {
  room: "settings",
  tables,
  endpoints: [listPeopleSettings, changePeopleSettings, listSettingLog],
  commands: [settingsCommands],
  plugs: [plug(logIdentitySecret, logIdentity)],
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
