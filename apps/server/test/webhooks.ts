import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer, type IncomingHttpHeaders, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { text } from "node:stream/consumers";
import { after } from "node:test";
import { z } from "zod";
import { OUTGOING } from "../src/features/webhooks/payloads.pure.ts";
import { closed } from "../src/platform/http/contract/closed.ts";

/** A message as a receiver got it. */
export type Received = {
  /** At which path of the receiver it arrived. */
  path: string;
  headers: IncomingHttpHeaders;
  id: string;
  body: string;
  type: string;
  /** When it happened (epoch ms). */
  at: number;
  data: Record<string, unknown>;
  gapBefore: boolean;
};

/** What a receiver answers to a message; `closes`: it closes the connection instead; null: it never answers. */
export type Answer = { status: number; headers?: Record<string, string>; body?: string } | "closes" | null;

/** A server of a customer that gets messages of webhooks, on loopback. */
export type Receiver = { url: string; received: Received[]; server: Server };

const shapes = new Map(OUTGOING.map(({ type, body }) => [type, body]));

/** What is wrong with a body by the shape that the API document says of its type; null for nothing. */
function faultOfBody(body: string): string | null {
  const parsed = JSON.parse(body) as { type: string };
  const shape = shapes.get(parsed.type);
  if (shape === undefined) return `no message is of type ${parsed.type}`;
  const read = closed(shape).safeParse(parsed);
  return read.success ? null : `${parsed.type}: ${z.prettifyError(read.error)}`;
}

/** Opens a receiver, which answers each message as `answers` says; 204 where nothing is said. It closes after the file, which fails where a body
 * is not as the API document says. */
export async function openReceiver(
  answers: (message: Received, tries: number) => Answer | Promise<Answer> = () => ({ status: 204 }),
): Promise<Receiver> {
  const received: Received[] = [];
  const faults: string[] = [];
  const server = createServer(async (request, response) => {
    const body = await text(request);
    const { type, timestamp, data, gapBefore = false } = JSON.parse(body) as Received & { timestamp: string };
    const id = String(request.headers["webhook-id"]);
    const path = request.url ?? "";
    const at = Date.parse(timestamp);
    const message = { path, headers: request.headers, id, body, type, at, data, gapBefore };
    received.push(message);
    const fault = faultOfBody(body);
    if (fault !== null) faults.push(fault);
    const answer = await answers(message, received.filter((each) => each.id === id).length);
    if (answer === "closes") request.socket.destroy();
    else if (answer !== null) response.writeHead(answer.status, answer.headers).end(answer.body);
  });
  server.listen(0, "127.0.0.1");
  await once(server, "listening");
  after(() => {
    assert.deepEqual(faults, [], "bodies that are not as the API document says");
    server.closeAllConnections();
    server.close();
  });
  const { port } = server.address() as AddressInfo;
  return { url: `http://127.0.0.1:${port}/hook`, received, server };
}
