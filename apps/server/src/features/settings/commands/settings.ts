import type { Command } from "commander";
import {
  type AddCommands,
  countOption,
  nameOption,
  operatingUser,
  say,
  withDatabase,
} from "../../../platform/cli/command.ts";
import { readStdin } from "../../../platform/cli/read-text.ts";
import { ConfigError } from "../../../platform/config.ts";
import { secretsOnUse } from "../../../platform/secrets/secrets.ts";
import { orConfigError } from "../../../platform/settings/or-config-error.ts";
import { type SettingGroup, type SettingValue, typedText } from "../../../platform/settings/setting.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../access/public.ts";
import { changeSettings } from "../change.ts";
import { houseSettings } from "../house-settings.ts";
import { listSettingChanges, listSettings, type ShownChange, type ShownSetting } from "../read.ts";

const valueText = (value: SettingValue): string => (value === null ? "-" : typedText(value));

function settingLines(settings: readonly ShownSetting[]): string {
  const width = Math.max(...settings.map(({ key }) => key.length));
  return settings
    .map(({ key, value, isDefault, meaning }) => {
      const mark = isDefault ? " (default)" : "";
      return `${key.padEnd(width)}  ${valueText(value)}${mark}\n${" ".repeat(width)}  ${meaning}`;
    })
    .join("\n");
}

/** The line that describes a change, without the value of a secret. Null is the default. */
const changeText = ({ key, before, after }: Pick<ShownChange, "key" | "before" | "after">): string => {
  const side = (value: SettingValue): string => (value === null ? "default" : typedText(value));
  return `${key}  ${side(before)} -> ${side(after)}`;
};

const logLine = (change: ShownChange): string =>
  `${new Date(change.at).toISOString()}  ${change.by}  ${changeText(change)}`;

/** `key=value` pairs by key; `key=-` takes the value from standard input. Refusals never repeat a text: it may be a password. */
async function readPairs(pairs: readonly string[]): Promise<Record<string, string>> {
  const changes = new Map<string, string>();
  for (const [index, pair] of pairs.entries()) {
    const at = pair.indexOf("=");
    const key = pair.slice(0, at);
    if (at < 1) throw new ConfigError(`Argument ${index + 1} is not key=value.`);
    if (changes.has(key)) throw new ConfigError(`Argument ${index + 1} sets its key a second time.`);
    changes.set(key, pair.slice(at + 1));
  }
  const piped = [...changes.keys()].filter((key) => changes.get(key) === "-");
  if (piped.length > 1) throw new ConfigError("Only one value can come from standard input.");
  for (const key of piped) {
    const value = (await readStdin()).replace(/\r?\n$/, "");
    // A failed pipe must not clear the value.
    if (value === "") throw new ConfigError("Standard input is empty.");
    changes.set(key, value);
  }
  return Object.fromEntries(changes);
}

function addGet(settings: Command, groups: readonly SettingGroup[]): void {
  settings
    .command("get")
    .description("show settings with their value and meaning; of a secret only whether it is set")
    .argument("[keys...]", "only these")
    .addOption(projectOption())
    .option("--json", "print JSON, by key")
    .action((keys: readonly string[], { project: wanted, json }: ProjectOptions) =>
      withDatabase(async ({ database }) => {
        const { id: project } = await chosenProject(database.kysely, wanted);
        const all = await listSettings(database.kysely, groups, project);
        if (keys.some((key) => all.every((setting) => setting.key !== key)))
          throw new ConfigError('There is no such setting: "tidings settings get" lists them.');
        const shown = keys.length === 0 ? all : all.filter(({ key }) => keys.includes(key));
        say(json ? Object.fromEntries(shown.map(({ key, ...rest }) => [key, rest])) : settingLines(shown));
      }),
    );
}

function addSet(settings: Command, groups: readonly SettingGroup[]): void {
  settings
    .command("set")
    .description("change settings, all or none; key= goes back to the default, key=- reads standard input")
    .argument("<pairs...>", "key=value")
    .addOption(projectOption())
    .option("--by <name>", "who decides this, for the log", nameOption)
    .option("--json", "print what changed as JSON")
    .action(async (pairs: readonly string[], options: ProjectOptions & { by?: string }) => {
      const { by = operatingUser(), json } = options;
      const changes = await readPairs(pairs);
      await withDatabase(async ({ database }, config) => {
        const { id: project } = await chosenProject(database.kysely, options.project);
        const transaction = database.kysely
          .transaction()
          .execute((tx) =>
            changeSettings(tx, secretsOnUse(config), project, changes, { groups, by, now: Date.now() }),
          );
        const changed = await orConfigError(transaction);
        if (json) say(changed);
        else {
          const lines = changed.length === 0 ? ["Nothing changed."] : changed.map(changeText);
          for (const { remark } of groups) {
            const remarked = (await remark?.(database.kysely, changes)) ?? null;
            if (remarked !== null) lines.push(remarked);
          }
          say(lines.join("\n"));
        }
      });
    });
}

function addLog(settings: Command): void {
  settings
    .command("log")
    .description("show who changed what, newest first")
    .addOption(projectOption())
    .option("--limit <n>", "how many at most", countOption, 100)
    .option("--json", "print JSON")
    .action(({ project: wanted, limit, json }: ProjectOptions & { limit: number }) =>
      withDatabase(async ({ database }) => {
        const { id: project } = await chosenProject(database.kysely, wanted);
        const log = await listSettingChanges(database.kysely, project, limit);
        if (json) say(log);
        else if (log.length === 0) say("No setting was ever changed.");
        else say(log.map(logLine).join("\n"));
      }),
    );
}

/** `tidings settings`: what people decide, from the command line. No API key can do any of this. */
export const settingsCommands: AddCommands = (program, ports) => {
  const groups = ports.ask(houseSettings)();
  const settings = program
    .command("settings")
    .description("read and change what people decide for a project");
  for (const add of [addGet, addSet, addLog]) add(settings, groups);
};
