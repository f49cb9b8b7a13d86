import { commandGroup } from "../../../domain/command-groups.ts";
import { type AddCommands, pairLines, say, withDatabase } from "../../../platform/cli/command.ts";
import { atOneInstant } from "../../../platform/db/at-one-instant.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../access/public.ts";
import { type Break, walkChain } from "../verify.ts";

const EXIT_BROKEN = 1;

const HELP = `
Each run has the hash of the one before it, so that a run which was changed, taken out or slipped in shows. Keep number and hash of the
head somewhere else: only then does it show as well when the end of the chain was cut off, or all of it was written anew.

Exit codes:
  0  the chain is whole
  1  it is broken, or could not be looked at`;

const lineOf = ({ seq, runId, fault }: Break): string =>
  `Broken at number ${seq}${runId === null ? "" : `, ${runId}`}: ${fault}.`;

async function verify({ project, json }: ProjectOptions): Promise<void> {
  await withDatabase(async ({ database: { kysely } }) => {
    const { id: projectId } = await chosenProject(kysely, project);
    const breaks: Break[] = [];
    const chain = await atOneInstant(kysely, (tx) =>
      walkChain(tx, projectId, (found) => {
        if (breaks.length === 0) breaks.push(found);
      }),
    );
    const [first] = breaks;
    if (first !== undefined) process.exitCode = EXIT_BROKEN;
    if (json) return say({ projectId, ...chain, firstBreak: first ?? null });
    const { runs, headSeq, headHash } = chain;
    const lines = { runs, "head number": headSeq, "head hash": headHash === "" ? "-" : headHash };
    say(`${pairLines(lines)}\n\n${first === undefined ? "The chain is whole." : lineOf(first)}`);
  });
}

/** `tidings agent verify`. */
export const agentCommands: AddCommands = (program) => {
  commandGroup(program, "agent")
    .command("verify")
    .description("compute the hashes of a project's runs again, and find where their chain is broken")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(verify);
};
