import { counted } from "@tidings/client/text";
import type { Command } from "commander";
import { chosenProject } from "../features/access/public.ts";
import { examine } from "../features/system/public.ts";
import type { CheckFinding } from "../platform/checks.ts";
import { say } from "../platform/cli/command.ts";
import { refusalOf } from "../platform/cli/refusal.ts";
import { WRONG_KEY } from "../platform/secrets/canary.ts";
import { withHouse } from "./with-house.ts";

const EXIT = { differences: 1, notLooked: 2 } as const;

const HELP = `
Each line says how many rows differ, in how many milliseconds that was found, and what was checked. All checks look at one snapshot,
so that a server may run meanwhile; nothing is written. docs/self-hosting.md lists the checks and says what a difference means.

Exit codes:
  0  nothing differs
  1  something differs
  2  nobody knows: the database cannot be asked, or there is no such project`;

/** What to do about a difference, by what the check compares. */
const ADVICE: Readonly<Record<CheckFinding["compares"], string>> = {
  derived:
    "A number that is kept differs from the facts it counts. The facts are right: they are what was acknowledged.",
  facts: "Rows contradict each other. Keep a copy of the database as it is before anything is changed.",
  key: WRONG_KEY,
  service:
    "A push provider refuses a credential: its devices wait, and keep their tokens. The page Push of the dashboard says which one, since when and why; put another one.",
};

/** A line about a check. */
export const lineOf = ({ differences, milliseconds, name }: CheckFinding): string =>
  `${String(differences).padStart(8)}  ${String(milliseconds).padStart(7)} ms  ${name}`;

/** The last lines of the output: the sum, and advice where it is needed. */
export function summary(found: readonly CheckFinding[]): string {
  const differences = found.reduce((sum, each) => sum + each.differences, 0);
  const seconds = found.reduce((sum, { milliseconds }) => sum + milliseconds, 0) / 1_000;
  const kinds = new Set(found.filter((each) => each.differences > 0).map(({ compares }) => compares));
  return [
    `${counted(differences, "difference")} in ${counted(found.length, "check")}, ${seconds.toFixed(1)} s`,
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
  await withHouse(async (app) => {
    const projectId = wanted === null ? null : (await chosenProject(app.database.kysely, wanted)).id;
    const found: CheckFinding[] = [];
    for await (const finding of examine(app, app.database.background.kysely, projectId)) {
      found.push(finding);
      differences += finding.differences;
      if (!json) say(lineOf(finding));
    }
    say(json ? { differences, checks: found } : summary(found));
  });
  return differences;
}
