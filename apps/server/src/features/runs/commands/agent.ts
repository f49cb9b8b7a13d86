import { commandGroup } from "../../../domain/command-groups.ts";
import { type AddCommands, pairLines, say, withDatabase } from "../../../platform/cli/command.ts";
import { atOneInstant } from "../../../platform/db/at-one-instant.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../access/public.ts";
import { type Break, verifyProject } from "../verify.ts";

const EXIT_BROKEN = 1;

const HELP = `
Each run has the hash of the one before it, so that a run which was changed, taken out or slipped in shows. Keep number and hash of the
head somewhere else: only then does it show as well when the end of the chain was cut off, or all of it was written anew.

Exit codes:
  0  nothing is broken
  1  something is broken, or could not be looked at`;

const lineOf = ({ seq, runId, fault }: Break): string =>
  `Broken at ${[seq === null ? "" : `number ${seq}`, runId ?? ""].filter((part) => part !== "").join(", ")}: ${fault}.`;

async function verify({ project, json }: ProjectOptions): Promise<void> {
  await withDatabase(async ({ database: { kysely } }) => {
    const { id: projectId } = await chosenProject(kysely, project);
    const found = await atOneInstant(kysely, (tx) => verifyProject(tx, projectId));
    const { runs, transcripts, headSeq, headHash, firstBreak } = found;
    if (firstBreak !== null) process.exitCode = EXIT_BROKEN;
    if (json) return say({ projectId, ...found });
    const lines = {
      runs,
      transcripts,
      "head number": headSeq,
      "head hash": headHash === "" ? "-" : headHash,
    };
    say(`${pairLines(lines)}\n\n${firstBreak === null ? "Nothing is broken." : lineOf(firstBreak)}`);
  });
}

/** `tidings agent verify`. */
export const agentCommands: AddCommands = (program) => {
  commandGroup(program, "agent")
    .command("verify")
    .description("compute the hashes of a project's runs and transcripts again, and find what is broken")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(verify);
};
