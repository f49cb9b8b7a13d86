import { isDeepStrictEqual } from "node:util";
import { counted } from "@tidings/client/text";
import { uuidFor } from "../../../domain/ids.ts";
import { pairLines, printable } from "../../../platform/cli/command.ts";
import { ConfigError } from "../../../platform/config.ts";
import type { Db } from "../../../platform/db/db.ts";
import { findProposal, reviewOf, viewProposal } from "../../agent/evaluations/public.ts";
import type { AgentProposal, ProposalReview } from "../../agent/evaluations/schema.ts";
import { viewCampaignDetail } from "../../campaigns/authoring/public.ts";
import type { Restart } from "../../statistics/schema.ts";
import { measuredOf } from "../measured.ts";
import { campaignPage } from "./campaign-page.ts";
import { journeyLines } from "./journey-lines.ts";
import { readAs, shown } from "./shown.ts";

type Rendered = ProposalReview["rendered"][number];
type Within = { db: Db; projectId: string; now: number };

const instant = (at: number): string => new Date(at).toISOString();

/** Whether an id is that of a campaign that may launch by itself, and not of a proposal. */
export const isCampaign = (id: string): boolean => id.startsWith("cmp_");

/** A text with what goes in [-…-] and what comes in {+…+}, as version control shows words. */
const marked = ({ ops }: ProposalReview["texts"][number]): string => {
  const shownAs = { keep: ["", ""], delete: ["[-", "-]"], insert: ["{+", "+}"] } as const;
  return printable(ops.map(({ op, words }) => shownAs[op].join(words)).join(""));
};

type Names = ReadonlyMap<string, string>;

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
    ...(review.journey === null ? ["changes", ...changes] : journeyLines(review.journey)),
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

/** What a person has to see before they decide a proposal or a campaign: a page, or JSON. @throws ConfigError where there is none */
export async function approvalPage(within: Within, id: string, json: boolean): Promise<string | object> {
  if (isCampaign(id)) return campaignPage(within, id, json);
  const row = await requireProposal(within, id);
  const proposal = await viewProposal(within, row);
  const review = await reviewOf(within, row);
  if (json) return { proposal, review };
  const campaign = await viewCampaignDetail(within.db, within.projectId, row.campaignId, within.now);
  const variants = campaign?.variants ?? [];
  const question = { isOpen: proposal.state === "pending", claims: 0, variants };
  const { restarts } = await measuredOf(within, row, question);
  const names: Names = new Map(variants.map((variant) => [variant.id, variant.name]));
  return page(proposal, review, { names, restarts });
}
