import { readdir, readFile } from "node:fs/promises";
import { join } from "node:path";
import { SECRETS_FILE } from "./secrets-of-the-run.ts";

/** What no log may say, whichever process wrote it. */
const PATTERNS: readonly [string, RegExp][] = [
  ["a key", /\bpk_(?:agent_|pub_|send_)?[\w-]{16,}/g],
  ["an Authorization header", /\b(?:Bearer|Basic)\s+[\w+/=-]{8,}/g],
  [
    "a header with a secret",
    /"(?:authorization|cookie|x-user-hash|x-service-installation-capability)"\s*:/gi,
  ],
  ["a private key", /-----BEGIN [A-Z ]*PRIVATE KEY/g],
  ["a password in an address", /\b[a-z][a-z+]*:\/\/[^\s/:@"\\]*:[^\s/@"\\]+@/gi],
  ["a query with a secret", /[?&](?:userHash|token|key|capability|secret|signature)=[^\s&"]/gi],
];

/** A secret that a log contains, masked. */
export type Found = { file: string; line: number; what: string };

const masked = (text: string): string => `${text.slice(0, 3)}… (${text.length} characters)`;

/** A secret in the forms that a log may give it; a text of several lines by each of them. */
const formsOf = (secret: string): string[] =>
  secret
    .split(/\r?\n|\\n/)
    .filter((line) => line.length >= 7 && !line.startsWith("-----"))
    .flatMap((line) => [line, JSON.stringify(line).slice(1, -1), encodeURIComponent(line)])
    .map((text) => Buffer.from(text).toString("latin1"));

const START = 7;

/** Finds any of many texts in a long one: their first characters decide where it is worth looking. */
function createSearch(texts: Iterable<string>): (text: string) => [number, string][] {
  const byStart = Map.groupBy(new Set(texts), (text) => text.slice(0, START));
  const begins = new Uint8Array(1 << 16);
  const pairAt = (text: string, at: number): number => (text.charCodeAt(at) << 8) | text.charCodeAt(at + 1);
  for (const start of byStart.keys()) begins[pairAt(start, 0)] = 1;
  return (text) => {
    const found: [number, string][] = [];
    for (let at = 0; at + START <= text.length; at++) {
      if (begins[pairAt(text, at)] === 0) continue;
      for (const each of byStart.get(text.slice(at, at + START)) ?? [])
        if (text.startsWith(each, at)) found.push([at, each]);
    }
    return found;
  };
}

async function secretsOf(folder: string): Promise<string[]> {
  const text = await readFile(join(folder, SECRETS_FILE), "utf8").catch(() => "");
  return text
    .split("\n")
    .filter((line) => line !== "")
    .map((line) => JSON.parse(line) as string);
}

const lineOf = (text: string, at: number): number => text.slice(0, at).split("\n").length;

/** Searches the logs of a run for every secret of the run, and for whatever looks like one. Each secret is reported once per file. */
export async function findSecrets(
  folder: string,
): Promise<{ found: Found[]; secrets: number; bytes: number }> {
  const secrets = await secretsOf(folder);
  const search = createSearch(secrets.flatMap(formsOf));
  const found: Found[] = [];
  let bytes = 0;
  for (const file of (await readdir(folder)).sort()) {
    if (file === SECRETS_FILE) continue;
    const text = await readFile(join(folder, file), "latin1");
    bytes += text.length;
    const hits = new Map<string, number>();
    for (const [at, secret] of search(text)) if (!hits.has(masked(secret))) hits.set(masked(secret), at);
    for (const [what, pattern] of PATTERNS) {
      const [first] = text.matchAll(pattern);
      if (first !== undefined) hits.set(`${what}: ${masked(first[0])}`, first.index);
    }
    for (const [what, at] of hits) found.push({ file, line: lineOf(text, at), what });
  }
  return { found, secrets: secrets.length, bytes };
}
