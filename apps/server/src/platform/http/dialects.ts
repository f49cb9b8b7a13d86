import type { FastifyInstance, FastifyReply, FastifyRequest } from "fastify";
import type { Dialect } from "./contract/dialect.ts";
import type { Endpoint } from "./contract/endpoint.ts";
import { ApiError, errorBody } from "./contract/errors.ts";

const METHODS = ["GET", "POST", "PUT", "PATCH", "DELETE"];

/** The refusal of a request as its caller reads refusals: the status, and the body. */
export function writtenRefusal(
  error: ApiError,
  { headers }: FastifyRequest,
  spec?: Pick<Endpoint["spec"], "dialect" | "refusals">,
): { status: number; body: Readonly<Record<string, unknown>> } {
  const dialect = spec?.dialect;
  if (dialect === undefined) return { status: error.status, body: errorBody(error, spec?.refusals) };
  const key = headers[dialect.keyHeader ?? "authorization"];
  return dialect.refusal(error, key !== undefined && key !== "");
}

/** The refusal that an Idempotency-Key keeps in place of an answer that was forgotten, from its body in this house's own shape. */
export function keptRefusal(body: string): ApiError {
  const { error } = JSON.parse(body) as { error: string };
  return new ApiError("conflict", error);
}

/** The calls that a service has and this house does not: each refusal says which ones there are. */
function refuseOthers(
  server: FastifyInstance,
  dialect: Dialect,
  refuse: (reply: FastifyReply, error: ApiError, spec: Pick<Endpoint["spec"], "dialect">) => void,
): void {
  server.route({
    method: METHODS,
    url: `${dialect.prefix}/*`,
    onRequest(request, reply) {
      const call = `${request.method} ${request.url.slice(dialect.prefix.length).split("?")[0]}`;
      const message = `This server takes ${dialect.takes}, and not ${call}.`;
      refuse(reply, new ApiError("not_found", message), { dialect });
    },
    handler: () => undefined,
  });
}

/** Refuses whatever is called under the prefix of a dialect that is none of its operations, in the shape of that service. */
export function refuseOtherCalls(
  server: FastifyInstance,
  endpoints: readonly Endpoint[],
  refuse: Parameters<typeof refuseOthers>[2],
): void {
  const dialects = new Set(endpoints.flatMap(({ spec: { dialect } }) => dialect ?? []));
  for (const dialect of dialects) refuseOthers(server, dialect, refuse);
}
