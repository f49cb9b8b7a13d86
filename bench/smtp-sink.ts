/**
 * A mail server that takes everything and keeps count. Prints the address of its counts, which say where it takes mail;
 * `?reset` starts them anew. `/receipts` answers when each mail to `receipt-…` was taken, epoch milliseconds with a fraction, and forgets it.
 */
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { startSink } from "./sink.ts";

const nothing = () => ({ recipients: new Map<string, number>(), messages: 0, bytes: 0, lastAt: 0 });
let seen = nothing();
const receipts = new Map<string, number>();

const { port } = await startSink({
  takes(to, { length }) {
    seen.messages++;
    seen.bytes += length;
    seen.lastAt = Date.now();
    seen.recipients.set(to, (seen.recipients.get(to) ?? 0) + 1);
    if (to.startsWith("receipt-")) receipts.set(to, performance.timeOrigin + performance.now());
  },
});
const counts = createServer((request, response) => {
  if (request.url === "/?reset") seen = nothing();
  if (request.url === "/receipts") {
    response.end(JSON.stringify(Object.fromEntries(receipts)));
    receipts.clear();
    return;
  }
  const { recipients, ...rest } = seen;
  const doubled = [...recipients.values()].filter((count) => count > 1).length;
  response.end(JSON.stringify({ port, ...rest, distinct: recipients.size, doubled }));
});
counts.listen(0, "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${(counts.address() as AddressInfo).port}`);
});
