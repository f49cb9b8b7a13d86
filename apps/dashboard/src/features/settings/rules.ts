import type { Answer, Input } from "@tidings/client";
import { timeOf } from "../../platform/times.ts";
import { prefixes } from "./generated/declared.ts";
import { words } from "./words.ts";

export type ListedSettings = Answer<"listPeopleSettings">;
export type Setting = ListedSettings["settings"][number];
export type SettingValue = Setting["value"];

/** What a person has typed, by key; an empty text goes back to the default. */
export type Drafts = Readonly<Record<string, string>>;

/** What settings are about, in the order of the page. */
export type GroupName = keyof typeof prefixes | "other";

const groupNames = Object.keys(prefixes) as (keyof typeof prefixes)[];

export const settingGroup = (key: string): GroupName => {
  const first = key.split(".")[0];
  return groupNames.find((name) => prefixes[name].some((each) => each === first)) ?? "other";
};

/** Made, shown and replaced beside the settings of its group, and found as one of them. */
export const IDENTITY_SECRET = "identity.secret";

type Grouped = { name: GroupName; settings: Setting[]; hasSecret: boolean };

/** The settings by what they are about, and the identity secret where it or another one of its group is found, without groups that have nothing. */
export function grouped(settings: readonly Setting[], isSecretFound: boolean): Grouped[] {
  const names: GroupName[] = [...groupNames, "other"];
  return names
    .map((name) => {
      const own = settings.filter(({ key }) => settingGroup(key) === name);
      const hasSecret = name === settingGroup(IDENTITY_SECRET) && (isSecretFound || own.length > 0);
      return { name, settings: own, hasSecret };
    })
    .filter(({ settings: found, hasSecret }) => found.length > 0 || hasSecret);
}

/** The settings in which a text occurs: in the key, the label or the meaning. */
export function found(
  settings: readonly Setting[],
  q: string,
  labelOf: (key: string) => string,
): readonly Setting[] {
  return settings.filter(({ key, meaning }) => occursIn(q, [key, labelOf(key), meaning]));
}

/** Whether what is searched for occurs in one of some texts; nothing occurs everywhere. */
export function occursIn(q: string, texts: readonly string[]): boolean {
  const wanted = q.trim().toLowerCase();
  return texts.some((text) => text.toLowerCase().includes(wanted));
}

/** A value as a person types it. */
export const typedOf = (value: SettingValue): string => (value === null ? "" : String(value));

/** What a field shows: what was typed, else what is stored; nothing for a secret. */
export function shownIn({ key, value, isSecret }: Setting, drafts: Drafts): string {
  return drafts[key] ?? (isSecret ? "" : typedOf(value));
}

/** The drafts after a person typed: what is typed as it is stored is no change. */
export function typedInto(
  drafts: Drafts,
  { key, value, isSecret, isDefault }: Setting,
  text: string,
): Drafts {
  const { [key]: _, ...others } = drafts;
  const isSame = isSecret ? text === "" && isDefault : text === typedOf(value);
  return isSame ? others : { ...others, [key]: text };
}

/** The drafts after a person asked for the default. */
export const cleared = (drafts: Drafts, { key }: Setting): Drafts => ({ ...drafts, [key]: "" });

export function undone(drafts: Drafts, { key }: Setting): Drafts {
  const { [key]: _, ...others } = drafts;
  return others;
}

export type SettingChange = { setting: Setting; before: SettingValue; after: SettingValue };

/** What drafts change, in the order of the settings. Null after is the default; of a secret, `set`. */
export function settingChanges(settings: readonly Setting[], drafts: Drafts): SettingChange[] {
  return settings.flatMap((setting) => {
    const draft = drafts[setting.key];
    if (draft === undefined) return [];
    const { value: before, fallback, isSecret } = setting;
    return [{ setting, before, after: draft === "" ? fallback : isSecret ? "set" : draft }];
  });
}

/** The setting that a refusal is about, which begins with its key; null where it names none. */
export function refusedKey(message: string, settings: readonly Setting[]): string | null {
  const [first] = message.split(" ");
  return settings.find(({ key }) => key === first)?.key ?? null;
}

/** A meaning as a sentence of its own. */
export const sentence = (meaning: string): string =>
  `${meaning.charAt(0).toUpperCase()}${meaning.slice(1)}${/[.!?]$/.test(meaning) ? "" : "."}`;

/** A value as a person reads it. */
export function settingText(
  { control }: Pick<Setting, "control">,
  value: SettingValue,
  words: { none: string; on: string; off: string },
): string {
  if (value === null || value === "") return words.none;
  if (control.kind === "flag") return String(value) === "true" ? words.on : words.off;
  return String(value);
}

/** The settings that say when messages leave, of those that a person has typed. */
export const typedTiming = (drafts: Drafts): Input<"previewTiming">["body"]["settings"] =>
  Object.fromEntries(Object.entries(drafts).filter(([key]) => settingGroup(key) === "time"));

/** What settings would have done with the messages of the last week, in sentences. */
export function lastWeekSentences({
  since,
  messages,
  quiet,
  pressure,
  readers,
}: Answer<"previewTiming">): string[] {
  const { lastWeek } = words;
  if (messages === 0) return [lastWeek.none(timeOf(since))];
  return [
    lastWeek.left(messages, timeOf(since)),
    quiet === 0 ? lastWeek.noQuiet : lastWeek.quiet(quiet),
    pressure === 0 ? lastWeek.noPressure : lastWeek.pressure(pressure, readers),
  ];
}
