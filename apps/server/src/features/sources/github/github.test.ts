import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { apiOf, readDeployments } from "./public.ts";
import { deploymentOutcome, toPullRequest, unsettled } from "./rules.ts";
import type { Pull } from "./schema.ts";

const { signal } = new AbortController();

/** A server on loopback that answers everything so; answers its address and the requests that it got. */
async function startServer(status: number, body: string, headers: Record<string, string> = {}) {
  const requests: string[] = [];
  const server = createServer((request, reply) => {
    requests.push(request.headers.authorization ?? "");
    reply.writeHead(status, headers).end(body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => server.close());
  return { origin: `http://127.0.0.1:${(server.address() as AddressInfo).port}`, requests };
}

describe("the API of a repository", () => {
  it("is at GitHub, or at the host of the repository", () => {
    for (const [url, api] of [
      ["https://github.com/acme/web.git", "https://api.github.com/repos/acme/web"],
      ["https://github.com/acme/web", "https://api.github.com/repos/acme/web"],
      ["https://git.acme.example/team/web.js/", "https://git.acme.example/api/v3/repos/team/web.js"],
      ["http://127.0.0.1:8080/acme/web", "http://127.0.0.1:8080/api/v3/repos/acme/web"],
      ["https://github.com/acme", null],
      ["https://github.com/acme/web/tree/main", null],
      ["file:///srv/web.git", null],
      ["ssh://git@github.com/acme/web.git", null],
    ] as const)
      assert.equal(apiOf(url), api, url);
  });

  it("is not asked in private networks where sources must not lie there", async () => {
    const { origin, requests } = await startServer(200, "[]");
    const repository = { api: `${origin}/api/v3/repos/acme/web`, token: "secret", allowPrivate: false };
    assert.deepEqual(await readDeployments(repository, signal), {
      ok: false,
      reason: "unavailable",
      detail: "Its address is not one of the public internet.",
    });
    assert.deepEqual(requests, []);
    assert.deepEqual(await readDeployments({ ...repository, allowPrivate: true }, signal), {
      ok: true,
      deployments: [],
    });
    assert.deepEqual(requests, ["Bearer secret"]);
  });

  it("takes its token nowhere else, and understands what is no answer", async () => {
    const other = await startServer(200, "[]");
    const cases: [status: number, body: string, reason: string][] = [
      [302, "", "not_found"],
      [200, "nonsense", "unavailable"],
      [200, '{"message": "Hello"}', "unavailable"],
      [200, '[{"id": "one"}]', "unavailable"],
      [200, "x".repeat(17 * 1_024 * 1_024), "unavailable"],
      [429, "", "unavailable"],
      [403, "", "auth"],
    ];
    for (const [status, body, reason] of cases) {
      const { origin } = await startServer(status, body, { location: `${other.origin}/` });
      const repository = { api: `${origin}/api/v3/repos/acme/web`, token: "secret", allowPrivate: true };
      const answer = await readDeployments(repository, signal);
      assert.ok(!answer.ok);
      assert.deepEqual([answer.reason, answer.detail.includes("secret")], [reason, false], body.slice(0, 40));
    }
    assert.deepEqual(other.requests, []);
  });
});

const sha = "a".repeat(40);
const pull = (more: Partial<Pull>): Pull => ({
  number: 1,
  state: "open",
  draft: false,
  merged_at: null,
  merge_commit_sha: sha,
  head: { sha },
  base: { ref: "main" },
  updated_at: 1,
  ...more,
});

describe("a pull request", () => {
  it("is ready, a draft, closed or merged; the merge commit of one that is open is a trial", () => {
    const read = (more: Partial<Pull>) => {
      const { state, mergeSha } = toPullRequest(pull(more), "main");
      return [state, mergeSha];
    };
    assert.deepEqual(read({}), ["open", null]);
    assert.deepEqual(read({ draft: true }), ["draft", null]);
    assert.deepEqual(read({ state: "closed" }), ["closed", null]);
    assert.deepEqual(read({ state: "closed", draft: true }), ["closed", null]);
    assert.deepEqual(read({ state: "closed", merged_at: "2026-01-01T00:00:00Z" }), ["merged", sha]);
    assert.deepEqual(read({ base: { ref: "release" } }), ["closed", null]);
    assert.deepEqual(read({ base: { ref: "release" }, merged_at: "2026-01-01T00:00:00Z" }), ["closed", null]);
  });
});

describe("a deployment", () => {
  const PAGE = "https://acme.example";
  /** Statuses as they were made, at 2, 3, 4, …; the successes have a page. GitHub lists the newest first. */
  const made = (...states: string[]): Parameters<typeof deploymentOutcome>[0] =>
    states
      .map((state, index) => ({
        state,
        created_at: index + 2,
        log_url: null,
        environment_url: state === "success" ? PAGE : null,
      }))
      .toReversed();

  it("was live where a status says success, from the first one on, and nowhere else", () => {
    const cases: [states: string[], status: string, at: number][] = [
      [[], "pending", 1],
      [["queued"], "pending", 1],
      [["waiting"], "pending", 1],
      [["a state of next year"], "pending", 1],
      [["queued", "in_progress", "pending"], "pending", 1],
      [["success"], "success", 2],
      [["queued", "in_progress", "success"], "success", 4],
      // Another one went live, or its environment was for a time only.
      [["queued", "success", "inactive"], "success", 3],
      [["success", "inactive", "success"], "success", 2],
      [["success", "success", "success"], "success", 2],
      [["success", "failure"], "success", 2],
      [["success", "error", "inactive"], "success", 2],
      [["success", "in_progress"], "success", 2],
      // It was run again.
      [["failure", "success"], "success", 3],
      [["failure", "in_progress"], "pending", 1],
      [["inactive", "queued"], "pending", 1],
      [["failure", "in_progress", "error"], "failure", 4],
      [["queued", "failure"], "failure", 3],
      [["queued", "error"], "failure", 3],
      // It was put away, and was never live.
      [["inactive"], "failure", 2],
      [["queued", "inactive"], "failure", 3],
      [["in_progress", "failure", "inactive"], "failure", 3],
      [["in_progress", "error", "inactive", "inactive"], "failure", 3],
      [["in_progress", "inactive"], "failure", 3],
      [["pending", "inactive", "inactive"], "failure", 4],
    ];
    for (const [states, status, at] of cases) {
      const url = status === "success" ? PAGE : null;
      assert.deepEqual(deploymentOutcome(made(...states), 1), { status, at, url }, states.join());
    }
  });

  it("is not over where its first statuses were not read, unless a success was", () => {
    assert.equal(deploymentOutcome(made("failure", "inactive"), 1, false).status, "pending");
    assert.equal(deploymentOutcome(made("success", "inactive"), 1, false).status, "success");
  });

  it("has a page that people may open, or none", () => {
    const [status] = made("success");
    assert.ok(status !== undefined);
    const outcome = deploymentOutcome([{ ...status, environment_url: "javascript:alert(1)" }], 1);
    assert.deepEqual(outcome, { status: "success", at: 2, url: null });
  });

  it("is read again until it has ended, and where it failed as long as it is the newest of its environment", () => {
    const listed = [6, 5, 4, 3, 2, 1].map((id) => ({
      id,
      sha,
      created_at: id,
      environment: id % 2 === 0 ? "production" : "staging",
    }));
    const known = new Map([
      ["production 6", "failure"],
      ["production 4", "failure"],
      ["staging 5", "success"],
      ["staging 3", "pending"],
      ["staging 1", "failure"],
    ] as const);
    assert.deepEqual(
      unsettled(listed, known).map(({ id }) => id),
      [6, 3, 2],
    );
  });
});
