import { isDeepStrictEqual } from "node:util";
import { counted, cutAfter } from "@tidings/client/text";
import { type Command, InvalidArgumentError } from "commander";
import { apiId, uuidFor } from "../../../domain/ids.ts";
import {
  type AddCommands,
  named,
  operatingUser,
  pairLines,
  printable,
  say,
  withDatabase,
} from "../../../platform/cli/command.ts";
import { ConfigError } from "../../../platform/config.ts";
import { atOneInstant } from "../../../platform/db/at-one-instant.ts";
import type { Db } from "../../../platform/db/db.ts";
import { rolesThere } from "../../../platform/processes.ts";
import { chosenProject, type ProjectOptions, projectOption } from "../../access/public.ts";
import {
  decide,
  findProposal,
  listProposals,
  readAtWork,
  reviewOf,
  type Verdict,
  viewProposal,
} from "../../agent/evaluations/public.ts";
import {
  type AgentAtWork,
  type AgentProposal,
  type ProposalReview,
  ProposalStatus,
} from "../../agent/evaluations/schema.ts";
import { viewCampaignDetail } from "../../campaigns/authoring/public.ts";
import type { Restart } from "../../statistics/schema.ts";
import { decideCampaign } from "../decide-campaign.ts";
import { measuredOf } from "../measured.ts";
import { listWaiting, type WaitingCampaign } from "../store.ts";
import { campaignPage } from "./campaign-page.ts";

type Rendered = ProposalReview["rendered"][number];
type Within = { db: Db; projectId: string; now: number };

const LISTED = 100;

const instant = (at: number): string => new Date(at).toISOString();

/** A value of a change for a person: short, and on one line. */
function shown(value: unknown): string {
  const text = printable(
    typeof value === "string" ? JSON.stringify(value) : (JSON.stringify(value) ?? "none"),
  );
  return cutAfter(text, 200);
}

const line = ({ id, state, campaignId, createdAt, mutation }: AgentProposal): string =>
  `${id}  ${state.padEnd(8)}  ${instant(createdAt)}  ${campaignId}  ${
    mutation.type === "status" ? mutation.action : "change"
  }`;

/** A text with what goes in [-…-] and what comes in {+…+}, as version control shows words. */
const marked = ({ ops }: ProposalReview["texts"][number]): string => {
  const shownAs = { keep: ["", ""], delete: ["[-", "-]"], insert: ["{+", "+}"] } as const;
  return printable(ops.map(({ op, words }) => shownAs[op].join(words)).join(""));
};

type Names = ReadonlyMap<string, string>;

const readAs = (lead: string, texts: Rendered["after"]): string[] =>
  texts.map(({ field, text }) => `  ${lead}, ${field}: ${shown(text)}`);

/** A variant by its name and its id. */
const nameOf = (variantId: string, names: Names): string =>
  printable(`${names.get(variantId) ?? ""} (${variantId})`);

/** What users read of a variant: once where the text stays. */
function variantLines({ variantId, before, after }: Rendered, names: Names): string[] {
  const name = nameOf(variantId, names);
  if (before === null || isDeepStrictEqual(before, after)) return readAs(name, after);
  return [...readAs(`${name} before`, before), ...readAs(`${name} after`, after)];
}

/** What users read of each variant that it is about, each text on a line of its own. */
const renderedLines = ({ rendered }: ProposalReview, names: Names): string[] =>
  rendered.length === 0 ? [] : ["what users read", ...rendered.flatMap((each) => variantLines(each, names))];

/** A limit, or what there is, as a person writes it. */
const figure = (key: string, value: number): string =>
  key === "quietUntil" ? instant(value) : String(Number(value.toPrecision(4)));

/** Links of a change to hosts that the campaign has not used. */
const newHostLines = ({ newHosts }: ProposalReview): string[] =>
  newHosts.length === 0
    ? []
    : [
        "links to hosts that this campaign has not used",
        ...newHosts.map(({ variantId, field, host }) => `  ${host}  in ${variantId}, ${field}`),
      ];

/** For which variants counting begins anew, and what counts no more then. */
const restartLines = (restarts: readonly Restart[], names: Names): string[] =>
  restarts.length === 0
    ? []
    : [
        "counting begins anew",
        ...restarts.map(({ variantId, exposedUsers, verdict }) => {
          const claim = verdict === null || verdict === "undecided" ? "" : ` and the verdict "${verdict}"`;
          const users = counted(exposedUsers, "user");
          return `  ${nameOf(variantId, names)}: no longer counts ${users}${claim}`;
        }),
      ];

function guardrailLines({ guardrails }: ProposalReview): string[] {
  const lines = guardrails.map(({ key, limit, observed }) => {
    const allowed = limit === null ? "cannot be read" : `limit ${figure(key, limit)}`;
    return `  ${printable(key)}: ${allowed}${observed === null ? "" : `, now ${figure(key, observed)}`}`;
  });
  return lines.length === 0 ? [] : ["guardrails", ...lines];
}

/** What it means for a proposal that the campaign was changed since. */
function hintOf({ state, status }: AgentProposal): { note?: string } {
  if (state === "pending") return { note: "the campaign was changed since: it can only be rejected" };
  const hasLapsed = state === "expired" && status === "approved";
  return hasLapsed ? { note: "the campaign was changed since it was approved: it is not applied" } : {};
}

function page(
  proposal: AgentProposal,
  review: ProposalReview,
  { names, restarts }: { names: Names; restarts: readonly Restart[] },
): string {
  const head = {
    proposal: proposal.id,
    campaign: proposal.campaignId,
    state: proposal.state,
    hash: proposal.payloadHash,
    proposed: instant(proposal.createdAt),
    expires: instant(proposal.expiresAt),
    ...(proposal.decidedBy === null ? {} : { "decided by": printable(proposal.decidedBy) }),
    audience: printable(review.audience.summary),
    matched: review.audience.matched,
    delivered: review.audience.delivered,
    left: review.audience.left,
    ...(review.evidence?.rationale ? { why: printable(review.evidence.rationale) } : {}),
    ...(review.isStale ? hintOf(proposal) : {}),
  };
  const texts = new Map(review.texts.map((text) => [text.path, text]));
  const changes = review.changes.map(({ path, before, after }) => {
    const text = texts.get(path);
    return text === undefined
      ? `  ${path}: ${shown(before)} -> ${shown(after)}`
      : `  ${path}: ${marked(text)}`;
  });
  return [
    pairLines(head),
    ...newHostLines(review),
    "changes",
    ...changes,
    ...renderedLines(review, names),
    ...restartLines(restarts, names),
    ...guardrailLines(review),
  ].join("\n");
}

async function requireProposal(within: Within, id: string) {
  const row = await findProposal(within.db, within.projectId, uuidFor("prop", id));
  if (row === null) throw new ConfigError(`There is no proposal ${printable(id)} in this project.`);
  return row;
}

const isCampaign = (id: string): boolean => id.startsWith("cmp_");

const toWaiting = ({ id, approvedBy, ...campaign }: WaitingCampaign) => ({
  id: apiId("cmp", id),
  ...campaign,
  status: approvedBy === null ? "pending" : "approved",
  approvedBy,
});

const waitingLine = (campaign: WaitingCampaign): string => {
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
  status: Verdict["status"],
): Promise<Outcome> {
  if (revision !== undefined) throw new ConfigError("--revision is for campaigns: a proposal has a --hash.");
  const verdict = {
    ...{ status, by, reason: reason ?? null, forGood: forGood === true },
    hashPrefix: hash ?? null,
  };
  const decided = await decide(within, uuidFor("prop", id), verdict);
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
  status: Verdict["status"],
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
const deciding = (id: string, options: DecideOptions, status: Verdict["status"]): Promise<void> =>
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
    .option("--by <name>", "who decides; by default the user of this computer", named)
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
  const approvals = program
    .command("approvals")
    .description("what agents propose, which campaigns may launch by themselves, and what people decide");
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
        const campaigns = (await listWaiting(within.db, within.projectId, LISTED)).filter(
          ({ approvedBy }) =>
            options.status === undefined || options.status === (approvedBy === null ? "pending" : "approved"),
        );
        if (options.json) return [...proposals, ...campaigns.map(toWaiting)];
        const lines = [...proposals.map(line), ...campaigns.map(waitingLine)];
        return lines.length === 0 ? "There are no proposals." : lines.join("\n");
      }),
    );
  approvals
    .command("show")
    .description("show exactly what would be applied, or launched")
    .argument("<id>", "the proposal or campaign")
    .addOption(projectOption())
    .option("--json", "print JSON")
    .action((id: string, options: ProjectOptions) =>
      reading(options, async (within) => {
        if (isCampaign(id)) return campaignPage(within, id, options.json === true);
        const row = await requireProposal(within, id);
        const proposal = await viewProposal(within, row);
        const review = await reviewOf(within, row);
        if (options.json) return { proposal, review };
        const campaign = await viewCampaignDetail(within.db, within.projectId, row.campaignId, within.now);
        const variants = campaign?.variants ?? [];
        const question = { isOpen: proposal.state === "pending", claims: 0, variants };
        const { restarts } = await measuredOf(within, row, question);
        const names: Names = new Map(variants.map((variant) => [variant.id, variant.name]));
        return page(proposal, review, { names, restarts });
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
