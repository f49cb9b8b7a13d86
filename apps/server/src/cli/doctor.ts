import type { Command } from "commander";
import { createTidings } from "../app.ts";
import { listProjectsAcrossProjects } from "../features/access/public.ts";
import type { Finding } from "../platform/checks.ts";
import { ConfigError } from "../platform/config.ts";
import { secretsOnUse } from "../platform/secrets.ts";
import { say, uuid, withDatabase } from "./command.ts";

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
};

const lineOf = ({ differences, milliseconds, name }: Finding): string =>
  `${String(differences).padStart(8)}  ${String(milliseconds).padStart(7)} ms  ${name}`;

/** What follows the lines: the sum, and advice where it is needed. */
function summary(found: readonly Finding[], differences: number): string {
  const seconds = found.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000;
  const kinds = new Set(found.filter((each) => each.differences > 0).map(({ compares }) => compares));
  return [
    `${differences} ${differences === 1 ? "difference" : "differences"} in ${found.length} checks, ${seconds.toFixed(1)} s`,
    ...[...kinds].map((kind) => ADVICE[kind]),
    ...(differences > 0 ? ['Please report it, with the output of "tidings doctor --json".'] : []),
  ].join("\n");
}

/** Adds `doctor` to the command. */
export function addDoctorCommand(program: Command): void {
  program
    .command("doctor")
    .description("recount every counter and check every invariant")
    .option("--project <id>", "only this project, and its organization", uuid)
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    // What is mistyped must not look like a difference either.
    .exitOverride(({ exitCode }) => process.exit(exitCode === 0 ? 0 : EXIT.notLooked))
    .action(async ({ project, json }: { project?: string; json?: true }) => {
      try {
        const differences = await diagnose(project ?? null, json === true);
        if (differences > 0) process.exitCode = EXIT.differences;
      } catch (error) {
        // Nor must anything that went wrong.
        process.exitCode = EXIT.notLooked;
        console.error(error instanceof ConfigError ? error.message : error);
      }
    });
}

/** Runs the checks and prints what they find; answers how many rows differ. */
async function diagnose(projectId: string | null, json: boolean): Promise<number> {
  let differences = 0;
  await withDatabase(async ({ database }, config, log) => {
    if (projectId !== null) {
      const projects = await listProjectsAcrossProjects(database.kysely);
      if (!projects.some(({ id }) => id === projectId))
        throw new ConfigError(`There is no project ${projectId}.`);
    }
    const found: Finding[] = [];
    const tidings = createTidings({ config, database, log, secrets: secretsOnUse(config) });
    for await (const finding of tidings.check(projectId)) {
      found.push(finding);
      differences += finding.differences;
      if (!json) say(lineOf(finding));
    }
    say(json ? { differences, checks: found } : summary(found, differences));
  });
  return differences;
}
