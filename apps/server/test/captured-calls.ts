import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

/** A request as a library sent it. `headers`: by their names in lower case. */
export type CapturedCall = {
  method: string;
  path: string;
  headers: Readonly<Record<string, string | string[] | undefined>>;
  body: unknown;
};

/**
 * Answers the one request that `call` makes with a status and a body, and returns what came.
 * @param call is given the host and port of the server
 */
export async function captureCall(
  call: (host: string) => Promise<unknown>,
  answer: { status: number; body: unknown } = { status: 200, body: {} },
): Promise<{ captured: CapturedCall; result: unknown }> {
  const calls: CapturedCall[] = [];
  const server = createServer(async (request, response) => {
    const chunks: Buffer[] = [];
    for await (const chunk of request) chunks.push(chunk as Buffer);
    const text = Buffer.concat(chunks).toString();
    calls.push({
      method: request.method ?? "",
      path: request.url ?? "",
      headers: request.headers,
      body: text === "" ? undefined : JSON.parse(text),
    });
    response.writeHead(answer.status, { "content-type": "application/json", connection: "close" });
    response.end(JSON.stringify(answer.body));
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  try {
    const result = await call(`127.0.0.1:${(server.address() as AddressInfo).port}`);
    const [captured, second] = calls;
    if (captured === undefined || second !== undefined) throw new Error(`${calls.length} requests came`);
    return { captured, result };
  } finally {
    server.close();
  }
}
