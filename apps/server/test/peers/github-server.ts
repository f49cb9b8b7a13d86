import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { basename, dirname } from "node:path";
import { answerByGit } from "./git-server.ts";
import type { Repository } from "./repository.ts";

/** A pull request, as GitHub shows it in lists. */
type HostPull = {
  number: number;
  state: "open" | "closed";
  draft: boolean;
  merged_at: string | null;
  merge_commit_sha: string | null;
  head: { sha: string; repo: { full_name: string } | null };
  base: { ref: string; repo: { full_name: string } };
  author_association: string;
  labels: { name: string }[];
  updated_at: string;
};

type HostStatus = { state: string; created_at: string; environment_url: string };
type HostDeployment = { id: number; sha: string; ref: string; environment: string; created_at: string };

/** A server that has a repository, its pull requests and deployments, in the shapes of GitHub's API. */
export type GithubServer = {
  /** As a source names it. */
  url: string;
  /** Paths of the API that were requested, without their queries. */
  requests: string[];
  /** Opens a pull request, or changes it. Its branch lies in the repository, or in `fork`. */
  pull(
    number: number,
    change: Partial<Omit<HostPull, "head" | "number">> & { head: string; fork?: string },
  ): void;
  /** Makes a deployment, or adds a status to the one of that id. */
  deploy(id: number, sha: string, state: string | null, environment?: string): void;
  /** Answers every request of the API with this status from now on; null answers them again. */
  failWith(status: number | null, headers?: Record<string, string>): void;
  close(): Promise<void>;
};

/** Starts a server of a repository on loopback. It demands the token, as password of git and as bearer of the API. */
export async function startGithubServer(
  repository: Repository,
  token: string,
  now: () => number,
): Promise<GithubServer> {
  const pulls = new Map<number, HostPull>();
  const deployments = new Map<number, HostDeployment & { statuses: HostStatus[] }>();
  const requests: string[] = [];
  let failure: { status: number; headers: Record<string, string> } | null = null;
  const name = basename(repository.folder);
  const api = `/api/v3/repos/acme/${name}`;
  const basic = `Basic ${Buffer.from(`x-access-token:${token}`).toString("base64")}`;
  const newestFirst = () =>
    [...pulls.values()].sort((a, b) => Date.parse(b.updated_at) - Date.parse(a.updated_at));

  function answerOf(path: string, query: URLSearchParams): unknown {
    const [page, size] = [Number(query.get("page") ?? 1), Number(query.get("per_page") ?? 30)];
    const paged = <Row>(rows: readonly Row[]): Row[] => rows.slice((page - 1) * size, page * size);
    if (path === `${api}/pulls`)
      return paged(newestFirst().filter(({ state }) => query.get("state") === "all" || state === "open"));
    const [, number] = /\/pulls\/(\d+)$/.exec(path) ?? [];
    if (number !== undefined) return pulls.get(Number(number));
    const plain = ({ statuses: _, ...deployment }: HostDeployment & { statuses: HostStatus[] }) => deployment;
    if (path === `${api}/deployments`) return paged([...deployments.values()].map(plain).reverse());
    const [, id] = /\/deployments\/(\d+)\/statuses$/.exec(path) ?? [];
    const statuses = id === undefined ? undefined : deployments.get(Number(id))?.statuses;
    return statuses && paged(statuses.toReversed());
  }

  const server = createServer((request, reply) => {
    const { pathname, searchParams } = new URL(request.url ?? "/", "http://localhost");
    if (!pathname.startsWith("/api/")) {
      if (request.headers.authorization !== basic)
        return reply.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
      request.url = (request.url ?? "/").replace("/acme/", "/");
      return answerByGit(request, reply, dirname(repository.folder));
    }
    requests.push(pathname);
    if (failure !== null) return reply.writeHead(failure.status, failure.headers).end("{}");
    if (request.headers.authorization !== `Bearer ${token}`) return reply.writeHead(401).end("{}");
    const found = answerOf(pathname, searchParams);
    return reply
      .writeHead(found === undefined ? 404 : 200, { "content-type": "application/json" })
      .end(JSON.stringify(found ?? { message: "Not Found" }));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  const { port } = server.address() as AddressInfo;
  const instant = (): string => new Date(now()).toISOString();
  return {
    url: `http://127.0.0.1:${port}/acme/${name}`,
    requests,
    pull(number, { head, fork, ...change }) {
      const known = pulls.get(number) ?? {
        number,
        state: "open" as const,
        draft: false,
        merged_at: null,
        merge_commit_sha: null,
        base: { ref: "main", repo: { full_name: `acme/${name}` } },
        author_association: "MEMBER",
        labels: [],
      };
      const from = fork === undefined ? known.base.repo : { full_name: fork };
      pulls.set(number, { ...known, head: { sha: head, repo: from }, updated_at: instant(), ...change });
    },
    deploy(id, sha, state, environment = "production") {
      const known = deployments.get(id) ?? {
        id,
        sha,
        ref: "main",
        environment,
        created_at: instant(),
        statuses: [],
      };
      const page = "https://acme.example/";
      if (state !== null) known.statuses.push({ state, created_at: instant(), environment_url: page });
      deployments.set(id, known);
    },
    failWith(status, headers = {}) {
      failure = status === null ? null : { status, headers };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
