import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { after, describe, it } from "node:test";
import { apiOf, readDeployments } from "./public.ts";
import { outcomeOf, toPullRequest } from "./rules.ts";
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
      ...{ ok: false, reason: "unavailable" },
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
  ...{ number: 1, state: "open", draft: false, merged_at: null, merge_commit_sha: sha },
  ...{ head: { sha }, base: { ref: "main" }, updated_at: 1 },
  ...more,
});

describe("a pull request", () => {
  it("is ready, a draft, closed or merged; the merge commit of one that is open is a trial", () => {
    const of = (more: Partial<Pull>) => {
      const { state, mergeSha } = toPullRequest(pull(more), "main");
      return [state, mergeSha];
    };
    assert.deepEqual(of({}), ["open", null]);
    assert.deepEqual(of({ draft: true }), ["draft", null]);
    assert.deepEqual(of({ state: "closed" }), ["closed", null]);
    assert.deepEqual(of({ state: "closed", draft: true }), ["closed", null]);
    assert.deepEqual(of({ state: "closed", merged_at: "2026-01-01T00:00:00Z" }), ["merged", sha]);
    assert.deepEqual(of({ base: { ref: "release" } }), ["closed", null]);
    assert.deepEqual(of({ base: { ref: "release" }, merged_at: "2026-01-01T00:00:00Z" }), ["closed", null]);
  });
});

describe("a deployment", () => {
  const status = (state: string, at: number, url: string | null = null) => ({
    ...{ state, created_at: at, environment_url: url, log_url: null },
  });
  it("was live from its first success on, whatever is said of it later", () => {
    const cases: [statuses: Parameters<typeof outcomeOf>[0], outcome: [string, number, string | null]][] = [
      [[], ["pending", 1, null]],
      [[status("queued", 2)], ["pending", 1, null]],
      [
        [status("success", 4, "https://acme.example"), status("in_progress", 3)],
        ["success", 4, "https://acme.example"],
      ],
      [
        [status("inactive", 9), status("success", 4), status("queued", 2)],
        ["success", 4, null],
      ],
      [
        [status("failure", 5), status("success", 4)],
        ["success", 4, null],
      ],
      [
        [status("error", 5), status("queued", 2)],
        ["failure", 5, null],
      ],
      [
        [status("queued", 6), status("failure", 5)],
        ["pending", 1, null],
      ],
      [[status("success", 4, "javascript:alert(1)")], ["success", 4, null]],
    ];
    for (const [statuses, [state, at, url]] of cases)
      assert.deepEqual(outcomeOf(statuses, 1), { status: state, at, url });
  });
});
