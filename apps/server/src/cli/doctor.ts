import type { Command } from "commander";
import { createTidings } from "../app.ts";
import { chosenProject } from "../features/access/public.ts";
import { isSameKey, WRONG_KEY } from "../platform/canary.ts";
import type { Finding } from "../platform/checks.ts";
import { say, withDatabase } from "../platform/cli/command.ts";
import { refusalOf } from "../platform/cli/refusal.ts";
import type { Config } from "../platform/config.ts";
import type { Database } from "../platform/db/db.ts";
import { hasKeyFile, secretsOnUse } from "../platform/secrets.ts";

const EXIT = { differences: 1, notLooked: 2 } as const;

const HELP = `
Each line says how many rows differ, in how many milliseconds that was found, and what was checked. All checks look at one snapshot,
so that a server may run meanwhile; nothing is written. docs/self-hosting.md lists the checks and says what a difference means.

Exit codes:
  0  nothing differs
  1  something differs
  2  nobody knows: the database cannot be asked, or there is no such project`;

/** What to do about a difference, by what the check compares. */
const ADVICE: Readonly<Record<Finding["compares"], string>> = {
  derived:
    "A number that is kept differs from the facts it counts. The facts are right: they are what was acknowledged.",
  facts: "Rows contradict each other. Keep a copy of the database as it is before anything is changed.",
  key: WRONG_KEY,
};

const KEY_CHECK = "secret key: it opens what this database has sealed";

const lineOf = ({ differences, milliseconds, name }: Finding): string =>
  `${String(differences).padStart(8)}  ${String(milliseconds).padStart(7)} ms  ${name}`;

/** The last lines of the output: the sum, and advice where it is needed. */
function summary(found: readonly Finding[], differences: number): string {
  const seconds = found.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000;
  const kinds = new Set(found.filter((each) => each.differences > 0).map(({ compares }) => compares));
  return [
    `${differences} ${differences === 1 ? "difference" : "differences"} in ${found.length} checks, ${seconds.toFixed(1)} s`,
    ...[...kinds].map((kind) => ADVICE[kind]),
    ...(kinds.has("derived") || kinds.has("facts")
      ? ['Please report it, with the output of "tidings doctor --json".']
      : []),
  ].join("\n");
}

/** Adds `doctor` to the command. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("recount every counter and check every invariant")
    .option("--project <project>", "only this project (by id or name), and its organization")
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    // A mistyped option must not end with the exit code that means a difference.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT.notLooked))
    .action(async ({ project, json }: { project?: string; json?: true }) => {
      try {
        const differences = await diagnose(project ?? null, json === true);
        if (differences > 0) process.exitCode = EXIT.differences;
      } catch (error) {
        // An error must not end with that exit code either.
        process.exitCode = EXIT.notLooked;
        console.error(refusalOf(error) ?? error);
      }
    });
}

/** Runs the checks and prints what they find; answers how many rows differ. */
async function diagnose(wanted: string | null, json: boolean): Promise<number> {
  let differences = 0;
  await withDatabase(async ({ database }, config, log) => {
    const projectId = wanted === null ? null : (await chosenProject(database.kysely, wanted)).id;
    const found: Finding[] = [];
    const tidings = createTidings({ config, database, log, secrets: secretsOnUse(config) });
    for await (const finding of tidings.check(projectId)) {
      found.push(finding);
      differences += finding.differences;
      if (!json) say(lineOf(finding));
    }
    const key = await lookAtKey(database, config);
    if (key !== null) {
      found.push(key);
      differences += key.differences;
      if (!json) say(lineOf(key));
    }
    say(json ? { differences, checks: found } : summary(found, differences));
  });
  return differences;
}

/** Whether the secret key is the one that the database was used with; null where this command is not given one, or none was used yet. */
async function lookAtKey({ kysely }: Database, config: Config): Promise<Finding | null> {
  const startedAt = performance.now();
  if (config.databaseUrl !== null && config.secretKey === null) return null;
  const isThere = config.secretKey !== null || hasKeyFile(config);
  const isSame = isThere ? await isSameKey(kysely, secretsOnUse(config)) : false;
  if (isSame === null) return null;
  const milliseconds = Math.round(performance.now() - startedAt);
  return { name: KEY_CHECK, invariant: 10, compares: "key", differences: isSame ? 0 : 1, milliseconds };
}
