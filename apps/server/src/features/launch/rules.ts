import { beginningOf } from "@tidings/client/text";
import { Blocker, type SourceChange } from "../campaigns/authoring/schema.ts";
import type { CoverageState, DeploymentEvidence, LaunchMode } from "./schema.ts";

/** What is known of a declared change in one environment. Ids are those of the API. */
export type CoveragePair = {
  mappingId: string;
  mappingLabel: string;
  state: CoverageState;
  /** Whether the change is on the source's branch; null where that is not known. */
  onBranch: boolean | null;
  reason: string | null;
  evidence: DeploymentEvidence | null;
};

/** A declared change with its environments. */
export type RequiredChange = { id: string; change: SourceChange; pairs: readonly CoveragePair[] };

/** What is known of a source; null where the project has none of that id. */
export type KnownSource = {
  enabled: boolean;
  paused: boolean;
  state: "pending" | "ok" | "unavailable";
  reason: string | null;
} | null;

/** That a person allowed a campaign to launch by itself. Instants are epoch milliseconds. */
export type LaunchApproval = {
  by: string;
  at: number;
  /** Whether what would launch is what they saw; `less`: they allowed it while goal, window and push settings were no part of that. */
  covers: "all" | "changed" | "less";
  /** The last person who changed it since, where one did. */
  changedBy: { name: string; at: number } | null;
};

/** All that decides whether a campaign launches by itself. */
export type LaunchFacts = {
  isInitial: boolean;
  mode: LaunchMode;
  /** Null where no person allowed it. */
  approval: LaunchApproval | null;
  /** Whether only what was allowed launches by itself. */
  approvedContent: boolean;
  /** Whether the project launches nothing by itself. */
  isPaused: boolean;
  isOver: boolean;
  /** Whether all that commits brought to it was taken back. */
  isWithdrawn: boolean;
  /** Why the channel or a guardrail is not ready; null where they are. */
  notReady: string | null;
  sources: ReadonlyMap<string, KnownSource>;
  required: readonly RequiredChange[];
};

/** The order in which blockers are listed. */
const ORDER: readonly Blocker["code"][] = Blocker.shape.code.options;

const inOrder = (blockers: readonly Blocker[]): Blocker[] =>
  blockers.toSorted((a, b) => ORDER.indexOf(a.code) - ORDER.indexOf(b.code));

/** The most characters of a detail. */
const MOST_DETAIL = 1_000;
const detailed = (detail: string | null) =>
  detail === null ? {} : { detail: beginningOf(detail, MOST_DETAIL) };

const NOT_ON_BRANCH = "This change is not on the branch of its source.";

/** What keeps one declared change from counting as live. */
function blockersOf({ id, change, pairs }: RequiredChange, source: KnownSource): Blocker[] {
  const about = { sourceId: change.sourceId, requirementId: id };
  if (pairs.length === 0) {
    const missing =
      source === null
        ? "The project has no source of this id: connect it (Sources in the dashboard, or tidings source add)."
        : "No environment is mapped to this source: add one (Sources in the dashboard, or tidings mapping add).";
    return [{ code: "mapping", ...about, detail: missing }];
  }
  const blockers: Blocker[] = [];
  const isMissing = pairs.some(({ state }) => state === "absent" || state === "pending");
  if (isMissing && pairs.some(({ onBranch }) => onBranch === false))
    blockers.push({ code: "source_pending", ...about, detail: NOT_ON_BRANCH });
  for (const { mappingId, mappingLabel, state, reason } of pairs) {
    const where = { ...about, mappingId };
    switch (state) {
      case "present":
        break;
      case "pending":
        blockers.push({
          code: "deployment",
          ...where,
          detail: `Nothing was deployed to ${mappingLabel} yet.`,
        });
        break;
      case "absent":
        blockers.push({ code: "deployment", ...where, detail: `It is not in what ${mappingLabel} runs.` });
        break;
      case "reverted":
        blockers.push({
          code: "reverted",
          ...where,
          detail: `It was taken back in what ${mappingLabel} runs.`,
        });
        break;
      case "unknown":
        blockers.push({ code: "evidence_unknown", ...where, ...detailed(reason) });
    }
  }
  return blockers;
}

/** The declared changes that are not live, and where: what refuses every launch. In the order of the contract; none where all are live. */
export const coverageBlockers = ({
  required,
  sources,
}: Pick<LaunchFacts, "required" | "sources">): Blocker[] =>
  inOrder(required.flatMap((each) => blockersOf(each, sources.get(each.change.sourceId) ?? null)));

/** What keeps sources from launching anything: each once. */
function sourceBlockers({ sources }: LaunchFacts): Blocker[] {
  const blockers: Blocker[] = [];
  for (const [sourceId, source] of sources) {
    if (source === null) continue;
    if (source.paused || !source.enabled)
      blockers.push({
        code: "source_paused",
        sourceId,
        detail: source.enabled ? "The source is paused." : "The source is switched off.",
      });
    if (source.state === "unavailable")
      blockers.push({ code: "source_unavailable", sourceId, ...detailed(source.reason) });
  }
  return blockers;
}

/** Whether a person allowed it, and that counts for what would launch now. */
export const isApproved = ({
  approval,
  approvedContent,
}: Pick<LaunchFacts, "approval" | "approvedContent">): boolean =>
  approval !== null && (!approvedContent || approval.covers === "all");

const ALLOW = "(Approvals in the dashboard, or tidings approvals approve)";

/** Why an approval is missing, or does not count. */
function missingApproval({ approval }: Pick<LaunchFacts, "approval">): string {
  if (approval === null) return `A person has to allow it ${ALLOW}.`;
  const { by, covers, changedBy } = approval;
  const why =
    covers === "less"
      ? `${by} allowed it before goal, delivery window and push settings were part of that`
      : `It was changed since it was allowed by ${by}`;
  const last =
    changedBy === null ? "" : `, last by ${changedBy.name} at ${new Date(changedBy.at).toISOString()}`;
  return `${why}${last}: a person has to allow it again ${ALLOW}.`;
}

/** Whether a campaign launches by itself now, or everything that it waits for, in the order of the contract. */
export function assess(facts: LaunchFacts): {
  state: "not_initial" | "waiting" | "eligible";
  blockers: Blocker[];
} {
  if (!facts.isInitial) return { state: "not_initial", blockers: [] };
  const blockers: Blocker[] = [...coverageBlockers(facts), ...sourceBlockers(facts)];
  const add = (isSo: boolean, code: Blocker["code"], detail: string | null = null) => {
    if (isSo) blockers.push({ code, ...detailed(detail) });
  };
  add(facts.mode === "manual", "manual");
  add(!isApproved(facts), "approval", missingApproval(facts));
  add(facts.required.length === 0, "no_sources", "The campaign declares no changes (sourceChanges).");
  add(
    facts.isPaused,
    "project_paused",
    "Nothing of the project launches by itself until people allow it again (Approvals in the dashboard, or tidings launch resume).",
  );
  add(facts.isWithdrawn, "withdrawn", "The commits that it was drafted from were taken back.");
  add(facts.isOver, "expired", "The delivery window is over: move deliverUntil.");
  add(facts.notReady !== null, "readiness", facts.notReady);
  return { state: blockers.length === 0 ? "eligible" : "waiting", blockers: inOrder(blockers) };
}

/** What is missing that only people can do about a draft, and that keeps nothing else from being done. */
const OF_PEOPLE = new Set(["manual", "approval"]);
/** What makes a launch pointless. */
const IS_OVER = new Set(["withdrawn", "expired"]);

/** What people do about a draft that announces changes; null where it waits for something else. */
export type LaunchStep = "approve" | "launch" | null;

/**
 * What a draft that announces changes waits for people to do: to allow that it launches by itself, or, where campaigns are launched by
 * people, to launch it once its changes are live. Null where it waits for something else.
 */
export function launchStep(facts: LaunchFacts): LaunchStep {
  const { state, blockers } = assess(facts);
  if (state === "not_initial" || blockers.some(({ code }) => IS_OVER.has(code))) return null;
  if (facts.mode === "automatic") return isApproved(facts) ? null : "approve";
  return blockers.every(({ code }) => OF_PEOPLE.has(code)) ? "launch" : null;
}

/** What people call a declared change. */
export const labelOf = (change: SourceChange): string =>
  change.kind === "commit" ? `commit ${change.sha.slice(0, 12)}` : `pull request #${change.number}`;

/** Why a launched campaign is warned about when a change of it was present and is so no more; null where nothing is sure. */
export function warningOf(wasPresent: boolean, now: CoverageState): "rollback" | "revert" | null {
  if (!wasPresent) return null;
  if (now === "absent") return "rollback";
  return now === "reverted" ? "revert" : null;
}

/** Whether the last state that was sure was present, after a further one. */
export const isPresentAfter = (wasPresent: boolean, state: CoverageState): boolean =>
  state === "unknown" || state === "pending" ? wasPresent : state === "present";
