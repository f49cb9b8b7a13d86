import type { FastifyInstance } from "fastify";
import type { App } from "../runtime.ts";
import { fastifyPath } from "./endpoint.ts";
import { ApiError } from "./errors.ts";

/** A file that anyone with its address may read. Its bytes never change. */
export type PublicFile = {
  /** Path with `{name}` parameters. */
  path: `/${string}`;
  read: (
    app: App,
    params: Readonly<Record<string, string>>,
  ) => Promise<{ bytes: Buffer; contentType: string } | null>;
};

const HEADERS = {
  "cache-control": "public, max-age=31536000, immutable",
  // What was uploaded is shown as the image it is, or not at all.
  "x-content-type-options": "nosniff",
  "content-security-policy": "default-src 'none'; sandbox",
  "cross-origin-resource-policy": "cross-origin",
  "access-control-allow-origin": "*",
};

export function registerPublicFiles(server: FastifyInstance, app: App, files: readonly PublicFile[]): void {
  for (const file of files) {
    server.get(fastifyPath(file.path), async (request, reply) => {
      const found = await file.read(app, request.params as Record<string, string>);
      if (found === null) throw new ApiError("not_found");
      return reply.headers(HEADERS).type(found.contentType).send(found.bytes);
    });
  }
}
