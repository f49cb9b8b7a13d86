import {
  isOrganizationKey,
  type KeptSettings,
  type NewValues,
  type Setting,
  type SettingFault,
  type SettingGroup,
  type SettingValue,
  type TypedSettings,
} from "../../platform/settings/setting.ts";

/** The settings of some groups by key, in their order. */
export const settingsByKey = (groups: readonly SettingGroup[]): ReadonlyMap<string, Setting> =>
  new Map(groups.flatMap(({ settings }) => Object.entries(settings)));

const UNKNOWN = 'is not a setting: "tidings settings get" lists them';

/** The values of typed texts by key; an empty text clears to the default. */
export function readChanges(
  groups: readonly SettingGroup[],
  changes: TypedSettings,
): NewValues | SettingFault {
  const settings = settingsByKey(groups);
  const values = new Map<string, SettingValue>();
  for (const [key, text] of Object.entries(changes)) {
    const setting = settings.get(key);
    // A mistyped argument may be a password: only what looks like a key is repeated.
    if (setting === undefined)
      return { fault: `${/^[a-z]{1,20}\.[A-Za-z]{1,30}$/.test(key) ? key : "What is given"} ${UNKNOWN}` };
    if (text === "") {
      values.set(key, null);
      continue;
    }
    const parsed = setting.parse.safeParse(text);
    if (!parsed.success) return { fault: `${key} ${parsed.error.issues[0]?.message ?? "is not usable"}` };
    values.set(key, parsed.data);
  }
  return values;
}

/** New values that fit each other and what is kept, by the rules of their groups, or the first fault. */
export function fitTogether(
  groups: readonly SettingGroup[],
  values: NewValues,
  kept: KeptSettings,
): NewValues | SettingFault {
  let fitted = values;
  for (const { fit } of groups) {
    if (fit === undefined) continue;
    const next = fit(fitted, kept);
    if ("fault" in next) return next;
    fitted = next;
  }
  return fitted;
}

/** Refuses keys that belong to the other one: to a project, or to the organization. */
export function misplaced(
  groups: readonly SettingGroup[],
  keys: readonly string[],
  owner: "project" | "organization",
): SettingFault | null {
  const settings = settingsByKey(groups);
  for (const key of keys) {
    if (!settings.has(key) || isOrganizationKey(key) === (owner === "organization")) continue;
    const where =
      owner === "project" ? "the organization: change it under All projects" : "a project: change it there";
    return { fault: `${key} belongs to ${where}` };
  }
  return null;
}
