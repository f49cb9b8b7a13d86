import { hash } from "node:crypto";
import { gzipSync } from "node:zlib";
import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Config } from "../../config.ts";
import type { App } from "../../runtime.ts";
import { budgetHook } from "../budgets/address-budget.ts";
import { fastifyPath } from "../contract/endpoint.ts";
import { ApiError } from "../contract/errors.ts";

/** How long caches keep a file. `forever`: its bytes never change. `minutes`: five, then compared by its tag. `never`: not at all. */
type Kept = "forever" | "minutes" | "never";

/** What a file is answered with. `kept` is of this answer alone, where it is not that of the file. */
export type FileContent = { bytes: Buffer; contentType: string; kept?: Kept };

/** A file that is served without a key. */
export type PublicFile = {
  /** Path with `{name}` parameters. */
  path: `/${string}`;
  kept: Kept;
  /** Content-Security-Policy; nothing at all is allowed where it is not given. */
  policy?: string;
  /** Whether a server with these settings has it at all. */
  isServed?: (config: Config) => boolean;
  read: (app: App, params: Readonly<Record<string, string>>) => Promise<FileContent | null>;
};

const CACHE_CONTROL = {
  forever: "public, max-age=31536000, immutable",
  minutes: "public, max-age=300",
  never: "no-store",
} as const;
const CLOSED = "default-src 'none'; sandbox";
const isText = (contentType: string): boolean => /^(text|application)\//.test(contentType);

/** Tags and compressed forms of files that are read once and kept. */
type Prepared = { tag: string; gzip: Buffer | null };
const prepared = new WeakMap<Buffer, Prepared>();

function prepare({ bytes, contentType }: FileContent): Prepared {
  const known = prepared.get(bytes);
  if (known !== undefined) return known;
  const made = {
    tag: `"${hash("sha256", bytes).slice(0, 32)}"`,
    gzip: isText(contentType) ? gzipSync(bytes, { level: 9 }) : null,
  };
  prepared.set(bytes, made);
  return made;
}

/** Answers with a file that is read once and kept: 304 where the client has it, compressed where the client takes that. */
function sendPrepared(request: FastifyRequest, reply: FastifyReply, content: FileContent): FastifyReply {
  const { tag, gzip } = prepare(content);
  reply.headers({ etag: tag, vary: "accept-encoding" });
  if (request.headers["if-none-match"] === tag) return reply.code(304).send();
  if (gzip !== null && /\bgzip\b/.test(request.headers["accept-encoding"] ?? ""))
    return reply.header("content-encoding", "gzip").send(gzip);
  return reply.send(content.bytes);
}

export function registerPublicFiles(server: FastifyInstance, app: App, files: readonly PublicFile[]): void {
  for (const file of files) {
    if (file.isServed?.(app.config) === false) continue;
    const headers = {
      "access-control-allow-origin": "*",
      "content-security-policy": file.policy ?? CLOSED,
    };
    server.get(fastifyPath(file.path), { onRequest: budgetHook(app, file.path) }, async (request, reply) => {
      const found = await file.read(app, request.params as Record<string, string>);
      if (found === null) throw new ApiError("not_found");
      const { kept = file.kept } = found;
      reply.headers({ ...headers, "cache-control": CACHE_CONTROL[kept] }).type(found.contentType);
      // Images are kept forever as well: they are compressed already, and read anew each time.
      const isPrepared = kept === "minutes" || (kept === "forever" && isText(found.contentType));
      return isPrepared ? sendPrepared(request, reply, found) : reply.send(found.bytes);
    });
  }
}
