import type { FastifyInstance, FastifyRequest } from "fastify";

/** Has the routes of a scope take bodies of any type, a malformed one too, each as what `read` makes of its bytes. */
export function takeAnyType(
  scope: FastifyInstance,
  read: (request: FastifyRequest, body: Buffer) => Promise<unknown>,
): void {
  scope.removeAllContentTypeParsers();
  scope.addContentTypeParser("*", { parseAs: "buffer" }, (request: FastifyRequest, body: Buffer) =>
    read(request, body),
  );
  scope.addHook("onRequest", (request, _reply, done) => {
    // Deleting it would make all headers of the request slow to read.
    request.raw.headers["content-type"] = undefined;
    done();
  });
}
