import type { z } from "zod";
import type { Db } from "../db/db.ts";

/** A value as it is kept and shown. */
export type SettingValue = string | number | boolean | null;

/** A setting that people own: how a typed text becomes its value, its default, and what people read of it. */
export type Setting = {
  parse: z.ZodType<SettingValue, string>;
  fallback: SettingValue;
  /** Kept sealed, and never shown again. */
  secret?: true;
  /** The host in a value, where the server itself connects to it: one in the server's own network takes an operator. */
  hostIn?: (value: string) => string | null;
  /** What people call it. */
  label: string;
  /** One line for people. */
  meaning: string;
};

/** Settings by key. Keys under `org.` belong to the organization, all others to a project. */
export type SettingSet = Readonly<Record<string, Setting>>;

type ValueOf<Kind extends Setting> = z.output<Kind["parse"]> | Widened<Kind["fallback"]>;
type Widened<Value> = Value extends string
  ? never
  : Value extends number
    ? number
    : Value extends boolean
      ? boolean
      : Value;

/** The values of a set, all of them, defaults filled in and secrets in clear: never log or answer them. */
export type Settings<Own extends SettingSet> = { readonly [Key in keyof Own]: ValueOf<Own[Key]> };

/** Values by key; null stands for the default. */
export type NewValues = ReadonlyMap<string, SettingValue>;

/** What is stored, by key: settings without an entry have their default, and the `value` of a sealed one is null. */
export type KeptSettings = ReadonlyMap<string, { value: unknown }>;

/** The fault of typed texts: one line that names key and rule, never the value. */
export type SettingFault = { fault: string };

/** Texts as people type them, by the keys of settings; an empty one goes back to the default. */
export type TypedSettings = Readonly<Record<string, string>>;

/** A change by a person who is no operator, in the transaction that has locked the settings of the project. */
export type OwnerChange = {
  db: Db;
  projectId: string;
  typed: TypedSettings;
  /** The values of `typed`, as they fit together. */
  values: NewValues;
  kept: KeptSettings;
};

/** The settings of a room, and the rules among them. A room lists it under `settings` in its index. */
export type SettingGroup = {
  settings: SettingSet;
  /** One of `SETTING_TOPICS`: the heading under which people find them. */
  topic: string;
  /** Makes new values fit each other and what is kept, or says why they do not. */
  fit?: (values: NewValues, kept: KeptSettings) => NewValues | SettingFault;
  /** Refuses new values for what the database says. Needs the lock of the settings. */
  check?: (tx: Db, projectId: string, values: NewValues) => Promise<SettingFault | null>;
  /** Refuses what takes an operator, or answers what else has to change with it. @throws ApiError that begins with the key */
  limitOwner?: (change: OwnerChange) => Promise<TypedSettings>;
  /** What a person at the command line has to know after a change, in a line; null for nothing. */
  remark?: (db: Db, typed: TypedSettings) => Promise<string | null>;
};

export const isOrganizationKey = (key: string): key is `org.${string}` => key.startsWith("org.");

/** A value as a person would type it. */
export const typedText = (value: SettingValue): string =>
  value === null ? "" : String(value).replaceAll("\n", "\\n");

/** A setting that is refused, or cannot be read. `message` is one line that names it and never repeats a value. */
export class SettingError extends Error {}
