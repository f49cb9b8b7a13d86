import { beginningOf } from "@tidings/client/text";
import type { App } from "../../../../platform/runtime.ts";
import { HOUR_MS } from "../../../../platform/time/clock.ts";
import { isFarAhead } from "../../../../platform/time/far-ahead.ts";
import { newUuid } from "../../../../platform/uuid.ts";
import { type Failure, fail } from "../../git/public.ts";
import {
  apiOf,
  type Repository,
  readDeployments,
  readOutcome,
  readPull,
  readPulls,
} from "../../github/public.ts";
import { type HostedPullRequest, unsettled } from "../../github/rules.ts";
import { openCredential } from "../credential.ts";
import { listKnownDeployments } from "../deployments/deployment-store.ts";
import { report } from "../deployments/report.ts";
import type { MappingRow, SourceRow } from "../store.ts";
import { listUnreadPulls, putPulls } from "./pull-store.ts";
import { mayBePrivate } from "./remote.ts";

/** The provider of deployments that were read from GitHub. */
const PROVIDER = "github";
/** The most pull requests and deployments that one look reads one by one. */
const MOST_SINGLE = 20;

function repositoryOf({ config, secrets }: App, source: SourceRow): Repository | null {
  const api = apiOf(source.url);
  if (api === null) return null;
  const credential = openCredential(secrets, source.projectId, source);
  const token = credential?.kind === "basic" ? credential.password : null;
  return { api, token, allowPrivate: mayBePrivate(config, source), dnsServer: config.dnsServer };
}

async function pollPulls(
  app: App,
  repository: Repository,
  source: SourceRow,
  signal: AbortSignal,
): Promise<{ ok: true; hasChanged: boolean } | Failure> {
  const { kysely } = app.database;
  const { branch, pullsReadUntil } = source;
  const now = app.clock();
  // GitHub's clock is not this one. What a clock that was ahead wrote would hide all changes up to then.
  const isFar = pullsReadUntil !== null && isFarAhead(pullsReadUntil, now, HOUR_MS);
  const since = isFar ? null : pullsReadUntil;
  const read = await readPulls(repository, { branch, since, now }, signal);
  if (!read.ok) return read;
  let hasChanged = await putPulls(kysely, source, read.pulls, read.readUntil);
  for (const number of await listUnreadPulls(kysely, source, MOST_SINGLE)) {
    const single = await readPull(repository, number, branch, signal);
    if (!single.ok) return single;
    // One that is not there is remembered as closed, so that it is not looked for again.
    const missing: HostedPullRequest = {
      number,
      state: "closed",
      headSha: "0".repeat(40),
      mergeSha: null,
      byMember: false,
      labels: [],
    };
    if (await putPulls(kysely, source, [single.pull ?? missing], null)) hasChanged = true;
  }
  return { ok: true, hasChanged };
}

async function pollDeployments(
  app: App,
  repository: Repository,
  source: SourceRow,
  mappings: readonly MappingRow[],
  signal: AbortSignal,
): Promise<{ ok: true } | Failure> {
  const { kysely } = app.database;
  const { projectId, id: sourceId } = source;
  const environments = new Set(mappings.map(({ environment }) => environment));
  if (environments.size === 0) return { ok: true };
  const read = await readDeployments(repository, signal);
  if (!read.ok) return read;
  const keys = read.deployments.map(({ id }) => String(id));
  const known = await listKnownDeployments(kysely, projectId, sourceId, PROVIDER, keys);
  const mapped = read.deployments.filter(({ environment }) => environments.has(environment));
  const wanted = unsettled(mapped, known);
  for (const deployment of wanted.slice(0, MOST_SINGLE)) {
    const answer = await readOutcome(repository, deployment, signal);
    if (!answer.ok) return answer;
    const { status, at: deployedAt, url } = answer.outcome;
    const { id, sha, environment, ref } = deployment;
    const now = app.clock();
    const given = {
      sha,
      status,
      deployedAt,
      url: url ?? undefined,
      label: beginningOf(ref ?? "", 200) || undefined,
    };
    const row = {
      id: newUuid(now),
      projectId,
      sourceId,
      environment,
      sha,
      status,
      provider: PROVIDER,
      deploymentKey: String(id),
      deployedAt,
      reportedAt: now,
      url: given.url ?? null,
      label: given.label ?? null,
    };
    await kysely.transaction().execute((db) => report(db, row, given, now, { isOpenAfterFailure: true }));
  }
  return { ok: true };
}

/** Reads pull requests and deployments of a source from GitHub; `hasChanged` where a pull request is not as it was. */
export async function pollGithub(
  app: App,
  source: SourceRow,
  mappings: readonly MappingRow[],
  signal: AbortSignal,
): Promise<{ ok: true; hasChanged: boolean } | Failure> {
  const repository = repositoryOf(app, source);
  if (repository === null) return fail("not_found", "Its address is not one of a repository at GitHub.");
  const pulls = await pollPulls(app, repository, source, signal);
  if (!pulls.ok) return pulls;
  const deployments = await pollDeployments(app, repository, source, mappings, signal);
  return deployments.ok ? pulls : deployments;
}
