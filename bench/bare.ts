/** The floor: a route of node:http alone, without a framework, that checks key, type, length and JSON and does nothing. */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";

const KEY = "Bearer noop";
const MOST_BYTES = 8_192;
const ANSWER = '{"ok":true}';
const JSON_TYPE = { "content-type": "application/json; charset=utf-8", "content-length": ANSWER.length };

const isText = (value: unknown, most: number): boolean => typeof value === "string" && value.length <= most;

function isTracked(body: Buffer): boolean {
  const { userId, event, props, eventId } = JSON.parse(body.toString()) as Record<string, unknown>;
  const isPlain = props === undefined || (typeof props === "object" && props !== null);
  return (
    isText(userId, 256) && isText(event, 80) && isPlain && (eventId === undefined || isText(eventId, 128))
  );
}

const server = createServer((request, response) => {
  const { authorization, "content-type": type } = request.headers;
  if (authorization !== KEY || request.url !== "/api/v1/track" || type !== "application/json") {
    response.writeHead(400).end();
    return;
  }
  const chunks: Buffer[] = [];
  let length = 0;
  request.on("data", (chunk: Buffer) => {
    chunks.push(chunk);
    length += chunk.length;
  });
  request.on("end", () => {
    const isRight =
      length <= MOST_BYTES && isTracked(chunks.length === 1 && chunks[0] ? chunks[0] : Buffer.concat(chunks));
    if (isRight) response.writeHead(200, JSON_TYPE).end(ANSWER);
    else response.writeHead(400).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => process.exit(0));
