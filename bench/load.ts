import { Socket } from "node:net";

/** What a run of load measured. */
export type Load = {
  requestsPerSecond: number;
  seconds: number;
  /** Milliseconds. */
  p50: number;
  p99: number;
  /** Answers by HTTP status. */
  statuses: Record<string, number>;
  errors: number;
};

export type LoadOptions = {
  port: number;
  connections: number;
  seconds: number;
  /** The next request, complete, as it goes over the wire (ASCII). */
  request: () => string;
};

const HEAD_END = "\r\n\r\n";
const LENGTH = "content-length: ";

/** Bytes of the first whole answer in `text`, or 0 while it is incomplete. */
function answerLength(text: string): number {
  const head = text.indexOf(HEAD_END);
  if (head === -1) return 0;
  const at = text.indexOf(LENGTH);
  const length = at === -1 || at > head ? 0 : Number.parseInt(text.slice(at + LENGTH.length, at + 26), 10);
  const whole = head + HEAD_END.length + length;
  return text.length >= whole ? whole : 0;
}

/**
 * Closed-loop load over plain sockets, one request under way per connection. It does next to nothing per answer (no
 * streams, no HTTP client): on two cores, a generator that works as hard as the server is half of what is measured.
 */
export async function load({ port, connections, seconds, request }: LoadOptions): Promise<Load> {
  const latencies: number[] = [];
  const statuses: Record<string, number> = {};
  let errors = 0;
  const startedAt = performance.now();
  const endsAt = startedAt + seconds * 1_000;

  const drive = (): Promise<void> =>
    new Promise((resolve) => {
      let pending = "";
      let sentAt = 0;
      const receive = (bytes: number, buffer: Uint8Array): boolean => {
        const text = Buffer.from(buffer.buffer, buffer.byteOffset, bytes).toString("latin1");
        pending = pending === "" ? text : pending + text;
        if (answerLength(pending) === 0) return true;
        const status = pending.slice(9, 12);
        statuses[status] = (statuses[status] ?? 0) + 1;
        pending = "";
        latencies.push(performance.now() - sentAt);
        send();
        return true;
      };
      const socket = new Socket({ onread: { buffer: Buffer.allocUnsafe(65_536), callback: receive } });
      const send = (): void => {
        sentAt = performance.now();
        if (sentAt >= endsAt) socket.destroy();
        else socket.write(request(), "latin1");
      };
      socket.on("error", () => {
        errors++;
      });
      socket.on("close", () => resolve());
      socket.connect(port, "127.0.0.1", send);
    });

  await Promise.all(Array.from({ length: connections }, drive));
  const elapsed = (Math.max(performance.now(), endsAt) - startedAt) / 1_000;
  latencies.sort((a, b) => a - b);
  const quantile = (q: number): number =>
    latencies[Math.min(latencies.length - 1, Math.floor(latencies.length * q))] ?? 0;
  return {
    requestsPerSecond: latencies.length / elapsed,
    seconds: elapsed,
    p50: quantile(0.5),
    p99: quantile(0.99),
    statuses,
    errors,
  };
}

/** A request as text. */
export function httpRequest(method: string, path: string, key: string, body?: string): string {
  const head = `${method} ${path} HTTP/1.1\r\nhost: localhost\r\nauthorization: Bearer ${key}\r\n`;
  if (body === undefined) return head + "\r\n";
  return `${head}content-type: application/json\r\ncontent-length: ${Buffer.byteLength(body)}\r\n\r\n${body}`;
}
