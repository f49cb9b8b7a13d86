import { rolesThere } from "../../../platform/loops/processes.ts";
import type { SettingGroup } from "../../../platform/settings/setting.ts";
import { agentSettings, checkModelKey, safetySettings } from "./settings.pure.ts";

const NO_AGENT =
  "No process has the role agent, so nothing looks after campaigns before one has: ROLES=api,worker,agent npm start";

export const agentSettingGroup: SettingGroup = {
  settings: { ...safetySettings, ...agentSettings },
  topic: "agent",
  fit: checkModelKey,
  // Otherwise the setting alone looks as if an agent were at work now.
  remark: async (db, { "agent.policy": policy = "" }) =>
    policy === "" || (await rolesThere(db)).agent ? null : NO_AGENT,
};
