/** The ceiling: a Fastify 5 route with a key check and a schema that does nothing. */
import { fastify } from "fastify";

const KEY = "Bearer noop";
const server = fastify();
server.addHook("onRequest", (request, reply, done) => {
  if (request.headers.authorization !== KEY) void reply.code(401).send({ error: "Unauthorized" });
  else done();
});
const body = {
  type: "object",
  required: ["userId", "event"],
  properties: {
    userId: { type: "string", maxLength: 256 },
    event: { type: "string", maxLength: 80 },
    props: { type: "object" },
    eventId: { type: "string", maxLength: 128 },
  },
};
server.post("/api/v1/track", { schema: { body } }, () => ({ ok: true }));
const querystring = {
  type: "object",
  required: ["userId"],
  properties: { userId: { type: "string", maxLength: 256 } },
};
server.get("/api/v1/messages", { schema: { querystring } }, () => ({ messages: [] }));
await server.listen({ port: 0, host: "127.0.0.1" });
console.log(server.listeningOrigin);
process.once("SIGTERM", () => process.exit(0));
