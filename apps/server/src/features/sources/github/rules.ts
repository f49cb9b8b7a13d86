import type { HostStatus, Pull } from "./schema.ts";

/** A pull request into one branch, as its host says. */
export type PullRequest = {
  number: number;
  state: "open" | "draft" | "closed" | "merged";
  headSha: string;
  mergeSha: string | null;
};

/** A pull request as it is kept; one into another branch counts as closed. */
export function toPullRequest(pull: Pull, branch: string): PullRequest {
  const { number, head, base, state, draft, merged_at: mergedAt, merge_commit_sha: mergeSha } = pull;
  const known = { number, headSha: head.sha, mergeSha: null };
  if (base.ref !== branch) return { ...known, state: "closed" };
  if (mergedAt !== null) return { ...known, state: "merged", mergeSha: mergeSha ?? null };
  if (state === "closed") return { ...known, state: "closed" };
  return { ...known, state: draft === true ? "draft" : "open" };
}

/** What a deployment came to. `url` is a page about it. */
export type Outcome = { status: "pending" | "success" | "failure"; at: number; url: string | null };

/** The pages that people may open. */
const pageOf = ({ environment_url: page, log_url: log }: HostStatus): string | null =>
  [page, log].find((url) => typeof url === "string" && /^https?:\/\//.test(url) && url.length <= 2_048) ??
  null;

/**
 * What the statuses of a deployment, newest first, say that it came to. One that succeeded was live from its first success on, whatever
 * GitHub says later: `inactive` is that another one followed it.
 */
export function outcomeOf(statuses: readonly HostStatus[], createdAt: number): Outcome {
  const success = statuses.findLast(({ state }) => state === "success" || state === "inactive");
  if (success !== undefined) return { status: "success", at: success.created_at, url: pageOf(success) };
  const [newest] = statuses;
  if (newest !== undefined && ["failure", "error"].includes(newest.state))
    return { status: "failure", at: newest.created_at, url: pageOf(newest) };
  return { status: "pending", at: createdAt, url: newest === undefined ? null : pageOf(newest) };
}
