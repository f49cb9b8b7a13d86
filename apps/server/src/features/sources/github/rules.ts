import type { HostDeployment, HostStatus, Pull } from "./schema.ts";

/** A pull request into one branch, as its host says. */
export type HostedPullRequest = {
  number: number;
  state: "open" | "draft" | "closed" | "merged";
  headSha: string;
  mergeSha: string | null;
  /** Whether it is one of the people of the repository: its author belongs to it, or its branch lies in it, which takes leave to write there. */
  byMember: boolean;
  /** Only people of the repository give these. */
  labels: string[];
};

const MEMBERS: ReadonlySet<string> = new Set(["OWNER", "MEMBER", "COLLABORATOR"]);
/** The most labels that a pull request has at GitHub. */
const MOST_LABELS = 100;

function isByMember({ head, base, author_association: association }: Pull): boolean {
  const from = head.repo?.full_name;
  return MEMBERS.has(association ?? "") || (from !== undefined && from === base.repo?.full_name);
}

/** A pull request as it is kept; one into another branch counts as closed. */
export function toPullRequest(pull: Pull, branch: string): HostedPullRequest {
  const { number, head, base, state, draft, merged_at: mergedAt, merge_commit_sha: mergeSha } = pull;
  const labels = (pull.labels ?? []).slice(0, MOST_LABELS).map(({ name }) => name);
  const known = { number, headSha: head.sha, mergeSha: null, byMember: isByMember(pull), labels };
  if (base.ref !== branch) return { ...known, state: "closed" };
  if (mergedAt !== null) return { ...known, state: "merged", mergeSha: mergeSha ?? null };
  if (state === "closed") return { ...known, state: "closed" };
  return { ...known, state: draft === true ? "draft" : "open" };
}

/** What a deployment came to. `url` is a page about it. */
export type DeploymentOutcome = { status: "pending" | "success" | "failure"; at: number; url: string | null };

/** The pages that people may open. */
const pageOf = ({ environment_url: page, log_url: log }: HostStatus): string | null =>
  [page, log].find((url) => typeof url === "string" && /^https?:\/\//.test(url) && url.length <= 2_048) ??
  null;

/** What ends a deployment that was not live. */
const ENDED: ReadonlySet<string> = new Set(["failure", "error", "inactive"]);

/**
 * What the statuses of a deployment, newest first, say that it came to. Live is what a `success` says, and nothing else: `inactive` says that
 * it is not live now, not that it ever was. One that succeeded counts from its first success on, whatever is said of it later: what was live
 * again, or is no more, is another deployment. `isWhole`: whether these are all of its statuses.
 */
export function deploymentOutcome(
  statuses: readonly HostStatus[],
  createdAt: number,
  isWhole = true,
): DeploymentOutcome {
  const success = statuses
    .filter(({ state }) => state === "success")
    .reduce<HostStatus | null>(
      (first, each) => (first === null || each.created_at <= first.created_at ? each : first),
      null,
    );
  if (success !== null) return { status: "success", at: success.created_at, url: pageOf(success) };
  const [newest] = statuses;
  // What becomes of one that is run again is open, and so is one whose first statuses were not read.
  if (newest === undefined || !isWhole || !ENDED.has(newest.state))
    return { status: "pending", at: createdAt, url: newest === undefined ? null : pageOf(newest) };
  const failed = statuses.find(({ state }) => state === "failure" || state === "error") ?? newest;
  return { status: "failure", at: failed.created_at, url: pageOf(failed) };
}

/**
 * The deployments, of some that are listed newest first, of which there may be more to know: those that have not ended, and the newest of an
 * environment where it has failed, since a failed one is run again under its id. `known` is how they ended, by environment and id, with a
 * blank between.
 */
export function unsettled(
  newestFirst: readonly HostDeployment[],
  known: ReadonlyMap<string, DeploymentOutcome["status"]>,
): HostDeployment[] {
  const seen = new Set<string>();
  return newestFirst.filter(({ id, environment }) => {
    const isNewest = !seen.has(environment);
    seen.add(environment);
    const status = known.get(`${environment} ${id}`) ?? "pending";
    return status === "pending" || (status === "failure" && isNewest);
  });
}
