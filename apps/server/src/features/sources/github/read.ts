import { z } from "zod";
import { type Failure, fail } from "../git/public.ts";
import { getJson, type Repository } from "./rest.ts";
import { type DeploymentOutcome, deploymentOutcome, type HostedPullRequest, toPullRequest } from "./rules.ts";
import { HostDeployment, HostStatus, Pull } from "./schema.ts";

const PAGE = 100;
/** Clocks differ: what changed so long before the first look is read once more with the next one. */
const CLOCKS_DIFFER_MS = 3_600_000;
/** The most pages of pull requests that one look reads: what is beyond has not changed for long. */
const MOST_PAGES = 10;
/** The most pages of statuses that are read of one deployment. */
const MOST_STATUS_PAGES = 10;

/** Reads what has a shape. */
async function read<Shape extends z.ZodType>(
  repository: Repository,
  path: string,
  shape: Shape,
  signal: AbortSignal,
): Promise<{ ok: true; value: z.output<Shape> } | Failure> {
  const answer = await getJson(repository, path, signal);
  if (!answer.ok) return answer;
  const parsed = shape.safeParse(answer.value);
  return parsed.success
    ? { ok: true, value: parsed.data }
    : fail("unavailable", "GitHub answers in another form than its API has.");
}

/** Pull requests that have changed, and until when that was read (epoch ms). */
export type PullsRead = { ok: true; pulls: HostedPullRequest[]; readUntil: number };

/** Pull requests of a branch that have changed since an instant (epoch ms); with null those that are open. */
export async function readPulls(
  repository: Repository,
  { branch, since, now }: { branch: string; since: number | null; now: number },
  signal: AbortSignal,
): Promise<PullsRead | Failure> {
  const found: Pull[] = [];
  for (let page = 1; page <= MOST_PAGES; page++) {
    const state = since === null ? "open" : "all";
    const path = `/pulls?state=${state}&sort=updated&direction=desc&per_page=${PAGE}&page=${page}`;
    const answer = await read(repository, path, z.array(Pull).max(PAGE), signal);
    if (!answer.ok) return answer;
    found.push(...answer.value);
    const last = answer.value.at(-1);
    // One that changed at that very instant may not have been there then.
    if (answer.value.length < PAGE || (since !== null && (last?.updated_at ?? 0) < since)) break;
  }
  const newest = Math.max(since ?? 0, ...found.map((pull) => pull.updated_at));
  const changed = since === null ? found : found.filter((pull) => pull.updated_at >= since);
  return {
    ok: true,
    pulls: changed.map((pull) => toPullRequest(pull, branch)),
    readUntil: found.length === 0 ? (since ?? now - CLOCKS_DIFFER_MS) : newest,
  };
}

/** One pull request; null where there is none of that number. */
export async function readPull(
  repository: Repository,
  number: number,
  branch: string,
  signal: AbortSignal,
): Promise<{ ok: true; pull: HostedPullRequest | null } | Failure> {
  const answer = await read(repository, `/pulls/${number}`, Pull, signal);
  if (!answer.ok) return answer.reason === "not_found" ? { ok: true, pull: null } : answer;
  return { ok: true, pull: toPullRequest(answer.value, branch) };
}

/** The newest deployments, newest first. */
export async function readDeployments(
  repository: Repository,
  signal: AbortSignal,
): Promise<{ ok: true; deployments: HostDeployment[] } | Failure> {
  const answer = await read(
    repository,
    `/deployments?per_page=${PAGE}`,
    z.array(HostDeployment).max(PAGE),
    signal,
  );
  return answer.ok ? { ok: true, deployments: answer.value } : answer;
}

/** What a deployment came to. Its first success may stand on the last page of its statuses. */
export async function readOutcome(
  repository: Repository,
  { id, created_at: createdAt }: HostDeployment,
  signal: AbortSignal,
): Promise<{ ok: true; outcome: DeploymentOutcome } | Failure> {
  const statuses: HostStatus[] = [];
  for (let page = 1; page <= MOST_STATUS_PAGES; page++) {
    const path = `/deployments/${id}/statuses?per_page=${PAGE}&page=${page}`;
    const answer = await read(repository, path, z.array(HostStatus).max(PAGE), signal);
    if (!answer.ok) return answer;
    statuses.push(...answer.value);
    if (answer.value.length < PAGE) return { ok: true, outcome: deploymentOutcome(statuses, createdAt) };
  }
  return { ok: true, outcome: deploymentOutcome(statuses, createdAt, false) };
}
