import { once } from "node:events";
import { createServer, type IncomingMessage, type ServerResponse } from "node:http";
import type { AddressInfo } from "node:net";
import { setTimeout as sleep } from "node:timers/promises";

/**
 * Stands for clients that do not give up, behind one address: a request goes to any of the processes, and where no answer comes, or
 * one that says "not now", to the next one, with the same ids. Only what carries no identity is not sent twice.
 */
export type Front = {
  url: string;
  /** Requests that came, those sent on to a process, and those that were answered with success. */
  counts: { received: number; tried: number; acknowledged: number };
  /** Answers that no fault excuses, in words. */
  refusals: string[];
  close(): Promise<void>;
};

const PATIENCE_MS = 60_000;
const ANSWER_WITHIN_MS = 15_000;
const PAUSE_MS = 50;

type Received = { method: string; path: string; headers: Record<string, string>; body: string };
type Reply = { status: number; headers: Record<string, string>; body: string };

async function read(request: IncomingMessage): Promise<Received> {
  const chunks: Buffer[] = [];
  for await (const chunk of request) chunks.push(chunk as Buffer);
  const headers: Record<string, string> = {};
  for (const name of [
    "authorization",
    "content-type",
    "idempotency-key",
    "x-service-installation-capability",
  ]) {
    const value = request.headers[name];
    if (typeof value === "string") headers[name] = value;
  }
  const { method = "GET", url = "/" } = request;
  return { method, path: url, headers, body: Buffer.concat(chunks).toString() };
}

/** Whether the same request twice is one: all are, but an event without an id, and a management write without a key. */
function isRepeatable({ method, path, headers, body }: Received): boolean {
  if (method === "GET" || "idempotency-key" in headers) return true;
  if (path === "/api/v1/track") return body.includes('"eventId"');
  return !path.startsWith("/api/v1/campaigns") && !path.startsWith("/api/v1/goals");
}

async function send({ method, path, headers, body }: Received, origin: string): Promise<Reply> {
  const response = await fetch(origin + path, {
    method,
    headers,
    signal: AbortSignal.timeout(ANSWER_WITHIN_MS),
    ...(method === "GET" || body === "" ? {} : { body }),
  });
  const kept: Record<string, string> = {};
  for (const name of ["content-type", "idempotent-replayed"]) {
    const value = response.headers.get(name);
    if (value !== null) kept[name] = value;
  }
  return { status: response.status, headers: kept, body: await response.text() };
}

const wasNeverSent = (error: unknown): boolean => {
  const { cause } = error as { cause?: { code?: string } };
  return cause?.code === "ECONNREFUSED";
};

/** @param origins where the processes listen now @param pick a number from 0 to below */
export async function startFront(
  origins: () => readonly string[],
  pick: (below: number) => number,
): Promise<Front> {
  const counts = { received: 0, tried: 0, acknowledged: 0 };
  const refusals: string[] = [];
  let closing = false;

  async function carry(received: Received): Promise<Reply> {
    let reply: Reply = { status: 503, headers: {}, body: '{"error":"nobody answered"}' };
    let next = pick(1_000);
    for (const until = Date.now() + PATIENCE_MS; Date.now() < until && !closing; await sleep(PAUSE_MS)) {
      const reachable = origins();
      const origin = reachable[next++ % Math.max(1, reachable.length)];
      if (origin === undefined) continue;
      counts.tried++;
      try {
        reply = await send(received, origin);
        if (reply.status < 500 || !isRepeatable(received)) return reply;
      } catch (error) {
        if (!isRepeatable(received) && !wasNeverSent(error)) return reply;
      }
    }
    if (!closing) refusals.push(`${received.method} ${received.path} was not answered in ${PATIENCE_MS} ms`);
    return reply;
  }

  async function handle(request: IncomingMessage, response: ServerResponse): Promise<void> {
    const received = await read(request);
    counts.received++;
    const { status, headers, body } = await carry(received);
    if (status < 300) counts.acknowledged++;
    else if (status < 500)
      refusals.push(`${received.method} ${received.path} ${received.body}: ${status} ${body}`.slice(0, 500));
    response.writeHead(status, headers).end(body);
  }

  const server = createServer((request, response) => {
    handle(request, response).catch(() => response.destroy());
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    counts,
    refusals,
    async close() {
      closing = true;
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
