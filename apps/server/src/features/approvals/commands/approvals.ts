import { type Command, InvalidArgumentError } from "commander";
import { apiId, uuidFor } from "../../../domain/ids.ts";
import {
  type AddCommands,
  nameOption,
  operatingUser,
  printable,
  say,
  withDatabase,
} from "../../../platform/cli/command.ts";
import { commandGroup } from "../../../platform/cli/command-group.ts";
import { ConfigError } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/db.ts";
import { atOneInstant } from "../../../platform/db/transactions/at-one-instant.ts";
import { rolesThere } from "../../../platform/loops/processes.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../access/public.ts";
import {
  applyVerdict,
  listProposals,
  type ProposalVerdict,
  readAtWork,
  viewProposal,
} from "../../agent/evaluations/public.ts";
import { type AgentAtWork, type AgentProposal, ProposalStatus } from "../../agent/evaluations/schema.ts";
import { decideCampaign } from "../decide-campaign.ts";
import { listWaitingDrafts, type WaitingCampaignRow } from "../store.ts";
import { isCampaign } from "./page.ts";

type Within = { db: Db; projectId: string; now: number };

const LISTED = 100;

const instant = (at: number): string => new Date(at).toISOString();

const line = ({ id, state, campaignId, createdAt, mutation }: AgentProposal): string =>
  `${id}  ${state.padEnd(8)}  ${instant(createdAt)}  ${campaignId}  ${
    mutation.type === "status" ? mutation.action : mutation.type === "journey" ? "steps" : "change"
  }`;

const toWaiting = ({ id, approvedBy, ...campaign }: WaitingCampaignRow) => ({
  id: apiId("cmp", id),
  ...campaign,
  status: approvedBy === null ? "pending" : "approved",
  approvedBy,
});

const waitingLine = (campaign: WaitingCampaignRow): string => {
  const { id, status, createdAt, name } = toWaiting(campaign);
  return printable(`${id}   ${status.padEnd(8)}  ${instant(createdAt)}  launches by itself: ${name}`);
};

type ListOptions = ProjectOptions & { status?: ProposalStatus };
type DecideOptions = ProjectOptions & {
  by?: string;
  reason?: string;
  forGood?: true;
  hash?: string;
  revision?: string;
};

const statusOption = (typed: string): ProposalStatus => {
  const parsed = ProposalStatus.safeParse(typed);
  if (!parsed.success) throw new InvalidArgumentError("must be pending, approved or rejected.");
  return parsed.data;
};

const reasonOption = (typed: string): string => {
  if (typed.length > 500) throw new InvalidArgumentError("must be at most 500 characters.");
  return typed;
};

const hashOption = (typed: string): string => {
  if (!/^[0-9a-f]{6,64}$/.test(typed))
    throw new InvalidArgumentError("must be the first 6 to 64 characters of the hash.");
  return typed;
};

/** Runs `read` on the chosen project, all of it at one instant. */
const reading = (
  { project }: ProjectOptions,
  read: (within: Within) => Promise<string | object>,
): Promise<void> =>
  withDatabase(async ({ database: { kysely } }) => {
    const { id: projectId } = await chosenProject(kysely, project);
    say(await atOneInstant(kysely, (db) => read({ db, projectId, now: Date.now() })));
  });

/** What becomes of a decision, in the two forms in which it is printed. */
type Outcome = { json: unknown; text: string };

/** The sentence that says what applies an approved change, and when; or what to start. */
function applierText({ by, isPaused, hasPolicy, programAt }: AgentAtWork): string {
  if (isPaused)
    return "Nobody applies it now: the project's agents are paused (safety.loopPaused). Once they go on, it is applied.";
  if (by === "process") return "It is applied within a minute.";
  if (by === "program" && programAt !== null)
    return `A program of yours applies it. It last took up an evaluation at ${instant(programAt)}.`;
  return hasPolicy
    ? "Nobody will apply it: no process has the role agent. Start one: ROLES=api,worker,agent npm start"
    : "Nobody will apply it: agent.policy is not set, and no program with the agent key is at work. See docs/agent.md";
}

async function decideProposal(
  within: Within,
  id: string,
  { by = operatingUser(), reason, forGood, hash, revision }: DecideOptions,
  status: ProposalVerdict["status"],
): Promise<Outcome> {
  if (revision !== undefined) throw new ConfigError("--revision is for campaigns: a proposal has a --hash.");
  const verdict = {
    status,
    by,
    reason: reason ?? null,
    forGood: forGood === true,
    hashPrefix: hash ?? null,
  };
  const decided = await applyVerdict(within, uuidFor("prop", id), verdict);
  if ("refusal" in decided) throw new ConfigError(decided.refusal.message);
  const proposal = await viewProposal(within, decided.proposal);
  const text = `${proposal.id} ${proposal.status} by ${printable(by)}`;
  if (status === "rejected") return { json: proposal, text };
  const atWork = await readAtWork(within);
  return { json: { ...proposal, atWork }, text: `${text}\n${applierText(atWork)}` };
}

const NO_WORKER =
  "It does not launch by itself before a process has the role worker, and none has: ROLES=api,worker npm start";

async function decideLaunch(
  within: Within,
  id: string,
  { by = operatingUser(), reason, forGood, hash, revision }: DecideOptions,
  status: ProposalVerdict["status"],
): Promise<Outcome> {
  if (hash !== undefined || forGood !== undefined)
    throw new ConfigError("--hash and --for-good are for proposals: a campaign has a --revision.");
  const verdict = { status, by, reason: reason ?? null, revisionPrefix: revision ?? null };
  const decided = await decideCampaign(within, uuidFor("cmp", id), verdict);
  if ("refusal" in decided) throw new ConfigError(decided.refusal.message);
  const text = `${id} ${status} by ${printable(by)}`;
  const willWait = status === "approved" && !(await rolesThere(within.db)).worker;
  return {
    json: { id, status, decidedBy: by, revision: decided.revision },
    text: willWait ? `${text}\n${NO_WORKER}` : text,
  };
}

/** Decides in the name of a person about a proposal or a campaign, and says what became of it. */
const deciding = (id: string, options: DecideOptions, status: ProposalVerdict["status"]): Promise<void> =>
  withDatabase(async ({ database: { kysely } }) => {
    const { id: projectId } = await chosenProject(kysely, options.project);
    const outcome = await kysely.transaction().execute((db) => {
      const within = { db, projectId, now: Date.now() };
      return (isCampaign(id) ? decideLaunch : decideProposal)(within, id, options, status);
    });
    say(options.json ? outcome.json : outcome.text);
  });

function decisionCommand(approvals: Command, name: "approve" | "reject", description: string): Command {
  return approvals
    .command(name)
    .description(description)
    .argument("<id>", "the proposal or campaign")
    .addOption(projectOption())
    .option("--by <name>", "who decides; by default the user of this computer", nameOption)
    .option("--reason <reason>", "why, for people who read it later", reasonOption)
    .option(
      "--hash <prefix>",
      "of a proposal, the beginning of the hash that you have seen: refuses any other change",
      hashOption,
    )
    .option(
      "--revision <prefix>",
      "of a campaign, the beginning of the revision that you have seen: refuses it as anything else",
      hashOption,
    )
    .option("--json", "print JSON");
}

/** `tidings approvals`: what agents propose and which campaigns may launch by themselves, and what people decide about it. */
export const approvalCommands: AddCommands = (program) => {
  const approvals = commandGroup(program, "approvals");
  approvals
    .command("list")
    .description("list proposals, then drafts that wait for changes of code, newest first")
    .addOption(projectOption())
    .option("--status <status>", "only those that are pending, approved or rejected", statusOption)
    .option("--json", "print JSON")
    .action((options: ListOptions) =>
      reading(options, async (within) => {
        const filter = { campaignId: undefined, status: options.status, now: within.now };
        const { rows } = await listProposals(within.db, within.projectId, filter, {
          offset: 0,
          limit: LISTED,
        });
        const proposals: AgentProposal[] = [];
        for (const row of rows) proposals.push(await viewProposal(within, row));
        const campaigns = (await listWaitingDrafts(within.db, within.projectId, LISTED)).filter(
          ({ approvedBy }) =>
            options.status === undefined || options.status === (approvedBy === null ? "pending" : "approved"),
        );
        if (options.json) return [...proposals, ...campaigns.map(toWaiting)];
        const lines = [...proposals.map(line), ...campaigns.map(waitingLine)];
        return lines.length === 0 ? "There are no proposals." : lines.join("\n");
      }),
    );
  decisionCommand(
    approvals,
    "approve",
    "let the agent apply exactly this, once, or a campaign launch by itself",
  ).action((id: string, options: DecideOptions) => deciding(id, options, "approved"));
  decisionCommand(
    approvals,
    "reject",
    "keep the agent from applying this, or a campaign from launching by itself",
  )
    .option("--for-good", "also in every later evaluation of the campaign")
    .action((id: string, options: DecideOptions) => deciding(id, options, "rejected"));
};
