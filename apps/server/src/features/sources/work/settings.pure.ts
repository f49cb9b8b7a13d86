import type { SettingGroup, SettingSet, Settings } from "../../../platform/settings/setting.ts";
import { choice, line } from "../../../platform/settings/typed.ts";

/** What is drafted before it is merged. */
export const draftSettings = {
  "drafts.pullRequests": {
    parse: choice("members", "everyone"),
    fallback: "members",
    label: "Pull requests that are drafted before they are merged",
    meaning:
      "whose open pull requests are drafted before they are merged: of people of the repository, or of everyone; each costs a run of the day",
  },
  "drafts.pullRequestLabel": {
    parse: line(100),
    fallback: null,
    label: "Label with which others are drafted as well",
    meaning: "a label at GitHub with which a pull request of others is drafted as well",
  },
} as const satisfies SettingSet;

export type DraftSettings = Settings<typeof draftSettings>;

export const draftSettingGroup: SettingGroup = { settings: draftSettings, topic: "launch" };
