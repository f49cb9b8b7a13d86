import type { SettingGroup, SettingSet } from "../../../platform/settings/setting.ts";
import { flag } from "../../../platform/settings/typed.ts";

/** What is kept of a consent. */
export const consentSettings = {
  "consent.keepIp": {
    parse: flag,
    fallback: false,
    label: "Keep the address of who consents",
    meaning:
      "true keeps the network address with what a reader confirms or chooses on their page; some laws are read so that it is wanted, others so that it is not",
  },
} as const satisfies SettingSet;

export const consentSettingGroup: SettingGroup = { settings: consentSettings, topic: "data" };
