import { spawn } from "node:child_process";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { dirname } from "node:path";

/** How a server of repositories behaves: as one should; never answers; sends to another origin. */
type Behaviour = "serve" | "hang" | { redirectTo: string };

export type GitServer = {
  /** Origin, without a trailing slash; a repository lies under its folder's name. */
  url: string;
  /** Requests so far, and those whose credential was right. */
  requests: number;
  authorized: number;
  hang(): void;
  redirectTo(origin: string): void;
  /** Resolves when the next request is there. */
  nextRequest(): Promise<void>;
  close(): Promise<void>;
};

/** Answers a request by `git http-backend`, the CGI program that comes with git. */
export function answerByGit(request: IncomingMessage, reply: ServerResponse, root: string): void {
  const { pathname, search } = new URL(request.url ?? "/", "http://localhost");
  const child = spawn("git", ["http-backend"], {
    env: {
      PATH: process.env.PATH ?? "",
      GIT_PROJECT_ROOT: root,
      GIT_HTTP_EXPORT_ALL: "1",
      GIT_CONFIG_NOSYSTEM: "1",
      GIT_CONFIG_GLOBAL: "/dev/null",
      PATH_INFO: decodeURIComponent(pathname),
      QUERY_STRING: search.slice(1),
      REQUEST_METHOD: request.method ?? "GET",
      CONTENT_TYPE: request.headers["content-type"] ?? "",
      GIT_PROTOCOL: String(request.headers["git-protocol"] ?? ""),
      ...(request.headers["content-encoding"] === "gzip" ? { HTTP_CONTENT_ENCODING: "gzip" } : {}),
    },
    stdio: ["pipe", "pipe", "ignore"],
  });
  request.pipe(child.stdin);
  child.stdin.on("error", () => undefined);
  const parts: Buffer[] = [];
  child.stdout.on("data", (part: Buffer) => parts.push(part));
  child.on("close", () => {
    const answer = Buffer.concat(parts);
    const end = answer.indexOf("\r\n\r\n");
    const headers = answer.subarray(0, end).toString().split("\r\n");
    for (const header of headers) {
      const [name = "", value = ""] = header.split(": ");
      if (name === "Status") reply.statusCode = Number.parseInt(value, 10);
      else reply.setHeader(name, value);
    }
    reply.end(answer.subarray(end + 4));
  });
}

/**
 * A server of the repositories beside a folder, on loopback, by the real program. With a credential (`user:password`) it demands that one.
 */
export async function startGitServer(folder: string, credential: string | null = null): Promise<GitServer> {
  let behaviour: Behaviour = "serve";
  const state = { requests: 0, authorized: 0 };
  let arrived = Promise.withResolvers<void>();
  const wanted = credential === null ? undefined : `Basic ${Buffer.from(credential).toString("base64")}`;
  const server = createServer((request, reply) => {
    state.requests++;
    arrived.resolve();
    arrived = Promise.withResolvers<void>();
    if (behaviour === "hang") return;
    if (behaviour !== "serve")
      return reply.writeHead(302, { Location: `${behaviour.redirectTo}${request.url ?? "/"}` }).end();
    if (wanted !== undefined && request.headers.authorization !== wanted)
      return reply.writeHead(401, { "WWW-Authenticate": 'Basic realm="git"' }).end();
    if (wanted !== undefined) state.authorized++;
    return answerByGit(request, reply, dirname(folder));
  });
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const { port } = server.address() as AddressInfo;
  return {
    url: `http://127.0.0.1:${port}`,
    get requests() {
      return state.requests;
    },
    get authorized() {
      return state.authorized;
    },
    nextRequest: () => arrived.promise,
    hang() {
      behaviour = "hang";
    },
    redirectTo(origin) {
      behaviour = { redirectTo: origin };
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
