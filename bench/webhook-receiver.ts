/**
 * The server of a customer, in a process of its own: it takes every message, after the milliseconds that its path says (`/20`), and keeps the
 * last one, which GET answers with how many came.
 */
import { createServer, type IncomingHttpHeaders } from "node:http";
import type { AddressInfo } from "node:net";

let count = 0;
let last: { headers: IncomingHttpHeaders; body: string } | null = null;

const server = createServer((request, response) => {
  if (request.method === "GET") {
    response.end(JSON.stringify({ count, last }));
    return;
  }
  const chunks: Buffer[] = [];
  request.on("data", (chunk: Buffer) => chunks.push(chunk));
  request.on("end", () => {
    count++;
    last = { headers: request.headers, body: Buffer.concat(chunks).toString() };
    const latencyMs = Number(request.url?.slice(1));
    if (latencyMs > 0) setTimeout(() => response.writeHead(204).end(), latencyMs);
    else response.writeHead(204).end();
  });
});
server.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(server.address() as AddressInfo).port}`);
});
process.once("SIGTERM", () => process.exit(0));
