import { beginningOf } from "@tidings/client/text";
import { type HttpAnswer, sendRequest } from "../../../platform/net/http-request.ts";
import { lookupOf } from "../../../platform/net/public-host.ts";
import { type Failure, fail, type Remote, resolvePublic } from "../git/public.ts";

const SECOND_MS = 1_000;
const DEADLINE_MS = 30 * SECOND_MS;
const MOST_BYTES = 16 * 1_024 * 1_024;
const REDIRECT = 300;

/** A repository at GitHub, or at a server that has its API. */
export type Repository = Pick<Remote, "allowPrivate" | "dnsServer"> & {
  /** Such as `https://api.github.com/repos/acme/web`. */
  api: string;
  /** Null reads what is public. */
  token: string | null;
};

/** The API of a repository by its address; null for an address that is not one of such a host. */
export function apiOf(url: string): string | null {
  const { protocol, origin, host, pathname } = new URL(url);
  const [, owner, name] = /^\/([^/]+)\/([^/]+?)(?:\.git)?\/?$/.exec(pathname) ?? [];
  if (owner === undefined || name === undefined || !/^https?:$/.test(protocol)) return null;
  return host === "github.com"
    ? `https://api.github.com/repos/${owner}/${name}`
    : `${origin}/api/v3/repos/${owner}/${name}`;
}

/** Why an answer is none, in words for people. */
function failureOf({ status, headers }: HttpAnswer): Failure {
  if (status === 429 || headers["x-ratelimit-remaining"] === "0")
    return fail("unavailable", "GitHub has no more requests left for this credential until later.");
  if (status === 401 || status === 403) return fail("auth", `GitHub refuses the credential (${status}).`);
  if (status === 404)
    return fail("not_found", "GitHub knows no such repository, or hides it from this credential.");
  if (status >= REDIRECT && status < 400)
    return fail("not_found", "GitHub says that the repository has another address now.");
  return fail("unavailable", `GitHub answered ${status}.`);
}

/**
 * Reads from the API of a repository; follows no redirect, so that the token goes nowhere else. `path` is below the repository, with its
 * query.
 */
export async function getJson(
  { api, token, allowPrivate, dnsServer = null }: Repository,
  path: string,
  signal: AbortSignal,
): Promise<{ ok: true; value: unknown } | Failure> {
  const url = new URL(`${api}${path}`);
  const found = allowPrivate ? null : await resolvePublic(url.hostname, { dnsServer });
  if (found !== null && "ok" in found) return found;
  const headers = {
    accept: "application/vnd.github+json",
    "user-agent": "tidings",
    "x-github-api-version": "2022-11-28",
    ...(token === null ? {} : { authorization: `Bearer ${token}` }),
  };
  const deadline = AbortSignal.any([signal, AbortSignal.timeout(DEADLINE_MS)]);
  try {
    const lookup = found === null ? {} : { lookup: lookupOf(found) };
    const answer = await sendRequest(url, { headers, signal: deadline, mostBytes: MOST_BYTES, ...lookup });
    if (answer.status !== 200) return failureOf(answer);
    return { ok: true, value: JSON.parse(answer.body.toString()) as unknown };
  } catch (cause) {
    if (deadline.aborted && !signal.aborted) return fail("timeout", "GitHub did not answer in time.");
    const words = cause instanceof Error ? cause.message : String(cause);
    return fail("unavailable", `GitHub cannot be read: ${beginningOf(words, 200)}`);
  }
}
