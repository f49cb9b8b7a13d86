import type { SettingGroup } from "../platform/settings/setting.ts";

/** The headings under which people find settings, in their order. `first`: the beginning of the keys that people look for first there. */
export const SETTING_TOPICS: Readonly<Record<string, { title: string; first?: string }>> = {
  email: { title: "Email" },
  time: { title: "When messages leave", first: "time." },
  visitors: { title: "Who your visitors are" },
  data: { title: "Users and their data" },
  launch: { title: "Launching", first: "launch." },
  agent: { title: "The agent", first: "safety." },
  organization: { title: "Cost and billing" },
};

const topics = Object.keys(SETTING_TOPICS);

function isFirst({ topic, settings }: SettingGroup): boolean {
  const first = SETTING_TOPICS[topic]?.first;
  return first !== undefined && Object.keys(settings).some((key) => key.startsWith(first));
}

/** Groups of settings as people read them: by topic, and within one what they look for first, then the others as they were. */
export const byTopic = (groups: readonly SettingGroup[]): readonly SettingGroup[] =>
  groups.toSorted(
    (one, other) =>
      topics.indexOf(one.topic) - topics.indexOf(other.topic) ||
      Number(isFirst(other)) - Number(isFirst(one)),
  );
