import { apiId, uuidOf } from "../../../../domain/ids.ts";
import {
  type AddCommands,
  pairLines,
  printable,
  say,
  withDatabase,
} from "../../../../platform/cli/command.ts";
import { commandGroup } from "../../../../platform/cli/command-group.ts";
import { ConfigError } from "../../../../platform/config.ts";
import type { Db } from "../../../../platform/db/db.ts";
import { atOneInstant } from "../../../../platform/db/transactions/at-one-instant.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../../access/public.ts";
import { findRun, listRuns } from "../../../runs/public.ts";
import type { AgentRun } from "../../../runs/schema.ts";
import { replayRun } from "../replay-run.ts";

const EXIT_DIFFERENT = 1;
const PAGE = 100;

const HELP = `
Without a run, all evaluations of the project are replayed. statistical@1 computes each decision again from its snapshot; model@1 is fed with
the transcript, and no model is asked. Runs that other programs logged are not counted. An
imported run of model@1 speaks of ids that are no more, so only its hashes are compared.

Exit codes:
  0  every decision is the one that was logged
  1  one is not, or could not be looked at`;

/** A run whose replay is not as it was logged. */
type Difference = { runId: string; policy: string; fault: string };

/**
 * How many runs of each policy were replayed, of how many imported ones only the hashes could be compared, and what differs.
 */
type Found = { replayed: Record<string, number>; onlyHashes: number; differences: Difference[] };

async function replayInto(db: Db, projectId: string, run: AgentRun, found: Found): Promise<void> {
  const result = await replayRun(db, projectId, run);
  if (result === null) return;
  const { policy, fault, onlyHashes = false } = result;
  if (onlyHashes) found.onlyHashes += 1;
  else found.replayed[policy] = (found.replayed[policy] ?? 0) + 1;
  if (fault !== null) found.differences.push({ runId: run.id, policy, fault });
}

async function replayAll(db: Db, projectId: string, found: Found): Promise<void> {
  const filter = { kind: "evaluate", goalId: undefined, campaignId: undefined };
  for (let offset = 0; ; offset += PAGE) {
    const { runs } = await listRuns(db, projectId, filter, { offset, limit: PAGE });
    for (const run of runs) await replayInto(db, projectId, run, found);
    if (runs.length < PAGE) return;
  }
}

async function replayOne(db: Db, projectId: string, runId: string, found: Found): Promise<void> {
  const uuid = uuidOf("run", runId);
  const run = uuid === null ? null : await findRun(db, projectId, uuid);
  if (run === null) throw new ConfigError(`This project has no run ${printable(runId)}.`);
  await replayInto(db, projectId, run, found);
  if (Object.keys(found.replayed).length + found.onlyHashes === 0)
    throw new ConfigError(`${apiId("run", uuid ?? "")} is no decision of Tidings' own agent.`);
}

async function replayCommand(runId: string | undefined, { project, json }: ProjectOptions): Promise<void> {
  await withDatabase(async ({ database: { kysely } }) => {
    const { id: projectId } = await chosenProject(kysely, project);
    const found: Found = { replayed: {}, onlyHashes: 0, differences: [] };
    await atOneInstant(kysely, (tx) =>
      runId === undefined ? replayAll(tx, projectId, found) : replayOne(tx, projectId, runId, found),
    );
    if (found.differences.length > 0) process.exitCode = EXIT_DIFFERENT;
    if (json) return say({ projectId, ...found });
    const replayed = Object.keys(found.replayed).length === 0 ? { replayed: 0 } : found.replayed;
    const counts = {
      ...replayed,
      ...(found.onlyHashes === 0 ? {} : { "imported, only hashes compared": found.onlyHashes }),
    };
    const lines = found.differences.map((each) => `${each.runId}: ${printable(each.fault)}.`);
    say([pairLines(counts), "", ...(lines.length === 0 ? ["Nothing is different."] : lines)].join("\n"));
  });
}

/** `tidings agent replay`. */
export const replayCommands: AddCommands = (program) => {
  commandGroup(program, "agent")
    .command("replay")
    .description("make a logged decision again from what it was made from, and compare")
    .argument("[run]", "one run; without it, every evaluation of the project")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .addHelpText("after", HELP)
    .action(replayCommand);
};
