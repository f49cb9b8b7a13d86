import { appendFileSync } from "node:fs";
import { join } from "node:path";
import { settingGroups } from "../../src/features.ts";

/** Where the processes of a run leave their whole logs, and what must not be in them; null outside of `npm test`. */
const folder = process.env.TIDINGS_TEST_LOGS ?? null;

/** The file of the secrets of a run: one JSON string in each line. */
export const SECRETS_FILE = "secrets.jsonl";

/** `LOG_FILE` of a server under test: every line of its log, whatever level the test wants to see. */
export const logFile = (): string | undefined =>
  folder === null ? undefined : join(folder, `log-${process.pid}.jsonl`);

/** Keeps what a process said of its own accord beside its log. */
export function keepStderr(text: string): void {
  if (folder !== null && text !== "") appendFileSync(join(folder, `stderr-${process.pid}.txt`), `${text}\n`);
}

/** Shorter ones are words of which a log is full. */
const MIN_LENGTH = 7;

const known = new Set<string>();

/** Says that no log of the run may contain these: the run fails where one does. */
export function keepSecrets(...secrets: readonly unknown[]): void {
  if (folder === null) return;
  for (const secret of secrets) {
    if (typeof secret !== "string" || secret.length < MIN_LENGTH || known.has(secret)) continue;
    known.add(secret);
    appendFileSync(join(folder, SECRETS_FILE), `${JSON.stringify(secret)}\n`);
  }
}

const passwordOf = (url: string): string =>
  URL.canParse(url) ? decodeURIComponent(new URL(url).password) : "";

/** The settings that are kept sealed. */
const secretKeys = new Set(
  settingGroups
    .flatMap(({ settings }) => Object.entries(settings))
    .flatMap(([key, { secret }]) => (secret === true ? key : [])),
);

/** Of what people set for a project: what is sealed. Of the address of a mail server, its password. */
export function keepSecretSettings(changes: Readonly<Record<string, string>>): void {
  for (const [key, value] of Object.entries(changes)) {
    if (secretKeys.has(key)) keepSecrets(URL.canParse(value) ? passwordOf(value) : value);
  }
}

/** Of what a process is started with: its keys, passwords in addresses, settings that are sealed. */
export function keepSecretsOfStart(
  env: Readonly<Record<string, string>>,
  args: readonly string[],
  input: string,
): void {
  keepSecrets(
    env.SECRET_KEY ?? null,
    ...[env.DATABASE_URL, env.SMTP_URL].map((url) => passwordOf(url ?? "")),
  );
  const pairs = args.flatMap((argument) => {
    const [, key = "", value = ""] = /^([\w.]+)=(.*)$/s.exec(argument) ?? [];
    return key === "" ? [] : [[key, value === "-" ? input.trim() : value]];
  });
  keepSecretSettings(Object.fromEntries(pairs) as Record<string, string>);
}
