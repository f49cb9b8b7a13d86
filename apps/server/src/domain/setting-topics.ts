import type { SettingGroup } from "../platform/settings/setting.ts";

/** The headings under which people find settings, in their order. */
export const SETTING_TOPICS = {
  email: "Email",
  visitors: "Who your visitors are",
  data: "Users and their data",
  launch: "Launching",
  agent: "The agent",
  organization: "Cost and billing",
} as const;

const topics = Object.keys(SETTING_TOPICS);

/** Groups of settings as people read them: by topic, and within one as they were. */
export const byTopic = (groups: readonly SettingGroup[]): readonly SettingGroup[] =>
  groups.toSorted((one, other) => topics.indexOf(one.topic) - topics.indexOf(other.topic));
