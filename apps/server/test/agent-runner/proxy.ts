import { once } from "node:events";
import { createServer, type IncomingMessage, request, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";

/** A request that went through, its path without the query, and its answer; `status` is null while there is none. */
export type Passed = { method: string; path: string; body: string; status: number | null; answer: string };

/** Whether a request changes something. What happens at a read finds what the write before it has left. */
export const isWrite = ({ method }: Passed): boolean => method !== "GET";

/** Where a request is: on its way to the server, or answered while the caller has not got the answer yet. */
export type Side = "before" | "after";

/** What the gate says of a request: `drop` cuts the caller's connection, `busy` answers that it should come again at once. */
export type Way = "pass" | "drop" | "busy";

/** Runs at both sides of each request. */
export type Gate = (passed: Passed, side: Side) => Promise<Way>;

export type Proxy = {
  url: string;
  /** In the order in which they came. */
  passed: Passed[];
  close(): Promise<void>;
};

async function textOf(message: IncomingMessage): Promise<string> {
  const chunks: Buffer[] = [];
  for await (const chunk of message) chunks.push(chunk as Buffer);
  return Buffer.concat(chunks).toString();
}

/** Sends a request on, and answers what came back. */
async function forward(target: string, incoming: IncomingMessage, body: string): Promise<IncomingMessage> {
  const { host: _, connection: __, "transfer-encoding": ___, ...headers } = incoming.headers;
  const outgoing = request(new URL(incoming.url ?? "/", target), {
    method: incoming.method ?? "GET",
    headers: { ...headers, ...(body === "" ? {} : { "content-length": Buffer.byteLength(body) }) },
    agent: false,
  });
  outgoing.end(body);
  const [answer] = (await once(outgoing, "response")) as [IncomingMessage];
  return answer;
}

/** Stands on loopback between one program and a server, and opens the gate for each of its requests. */
export async function startProxy(target: string, gate: Gate): Promise<Proxy> {
  const passed: Passed[] = [];
  async function pass(incoming: IncomingMessage, outgoing: ServerResponse): Promise<void> {
    const body = await textOf(incoming);
    const { method = "GET", url = "/" } = incoming;
    const [path = "/"] = url.split("?");
    const seen: Passed = { method, path, body, status: null, answer: "" };
    passed.push(seen);
    const way = await gate(seen, "before");
    if (way === "drop") return void outgoing.destroy();
    if (way === "busy") return void outgoing.writeHead(429, { "retry-after": "0" }).end();
    const answer = await forward(target, incoming, body);
    seen.answer = await textOf(answer);
    seen.status = answer.statusCode ?? 0;
    if ((await gate(seen, "after")) === "drop") return void outgoing.destroy();
    const { connection: _, "transfer-encoding": __, ...headers } = answer.headers;
    outgoing.writeHead(seen.status, headers).end(seen.answer);
  }
  const server = createServer((incoming, outgoing) => {
    pass(incoming, outgoing).catch(() => outgoing.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    passed,
    async close() {
      server.close();
      server.closeAllConnections();
      await once(server, "close");
    },
  };
}
