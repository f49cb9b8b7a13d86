import type { z } from "zod";
import { pairLines } from "../../../platform/cli/command.ts";
import { operationCommand } from "../../../platform/cli/operation-command.ts";
import { type RunsVerified, verifyAgentRuns } from "../chain/verify-agent-runs.ts";

type Verified = z.output<typeof RunsVerified>;

const HELP = `
Each run has the hash of the one before it, so that a run which was changed, taken out or slipped in shows. Keep number and hash of the
head somewhere else: only then does it show as well when the end of the chain was cut off, or all of it was written anew.

Exit codes:
  0  nothing is broken
  1  something is broken, or could not be looked at`;

const lineOf = ({ seq, runId, fault }: NonNullable<Verified["firstBreak"]>): string =>
  `Broken at ${[seq === null ? "" : `number ${seq}`, runId ?? ""].filter((part) => part !== "").join(", ")}: ${fault}.`;

/** `tidings agent verify`. */
export const verifyCommand = operationCommand<Verified>({
  words: "agent verify",
  operation: verifyAgentRuns,
  description: "compute the hashes of a project's runs and transcripts again, and find what is broken",
  help: HELP,
  says({ runs, transcripts, headSeq, headHash, firstBreak }) {
    const head = { "head number": headSeq, "head hash": headHash === "" ? "-" : headHash };
    const found = firstBreak === null ? "Nothing is broken." : lineOf(firstBreak);
    return `${pairLines({ runs, transcripts, ...head })}\n\n${found}`;
  },
  json: ({ at: _, ...found }, { project }) => ({ projectId: project?.id, ...found }),
  fails: ({ firstBreak }) => firstBreak !== null,
});
