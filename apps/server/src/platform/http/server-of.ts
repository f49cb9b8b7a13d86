import type { FastifyInstance } from "fastify";
import { type App, type Port, port } from "../runtime.ts";

/** A server of all operations over an app, which listens nowhere: for work that asks the API inside of this process. */
export const serverOf: Port<(app: App) => FastifyInstance> = port("a server of an app");

/** A `fetch` whose requests go to a server without a socket, for answers that are text. */
export const fetchWithin =
  (server: FastifyInstance): typeof fetch =>
  async (input, init = {}) => {
    const { method, url, headers, body } = await requestOf(input, init);
    const answer = await server.inject({
      method,
      url,
      headers,
      ...(body === null ? {} : { payload: body }),
    });
    const isEmpty = answer.statusCode === 204 || answer.statusCode === 304;
    return new Response(isEmpty ? null : answer.payload, {
      status: answer.statusCode,
      headers: Object.entries(answer.headers).map(([name, value]): [string, string] => [name, String(value)]),
    });
  };

type Methods = "GET" | "POST" | "PUT" | "PATCH" | "DELETE";

async function requestOf(input: Parameters<typeof fetch>[0], init: RequestInit) {
  const request = new Request(input, init);
  const { pathname, search } = new URL(request.url);
  const body = Buffer.from(await request.arrayBuffer());
  return {
    // The client of the API uses no others.
    method: request.method as Methods,
    url: `${pathname}${search}`,
    headers: Object.fromEntries(request.headers),
    body: body.length === 0 ? null : body,
  };
}
