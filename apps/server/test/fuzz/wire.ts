import { Agent, request as ask } from "node:http";
import type { Sendable } from "./draft.ts";

export type Answered = {
  status: number;
  contentType: string;
  requestId: string;
  text: string;
  tookMs: number;
};

/** Slower than any request may be, and than this machine is. */
const TIMEOUT_MS = 20_000;

export type Wire = {
  /** Sends a request as it is. @throws when there is no answer. */
  send(sendable: Sendable): Promise<Answered>;
  close(): void;
};

/** Speaks HTTP without an opinion on what may be said. */
export function createWire(url: string): Wire {
  const { hostname, port } = new URL(url);
  const agent = new Agent({ keepAlive: true, maxSockets: 16 });
  return {
    send: ({ method, target, headers, payload }) =>
      new Promise((resolve, reject) => {
        const begun = performance.now();
        const sent = ask({
          hostname,
          port,
          agent,
          method,
          path: target,
          timeout: TIMEOUT_MS,
          setHost: false,
        });
        const byName = Map.groupBy(headers, ([name]) => name.toLowerCase());
        if (!byName.has("host")) sent.setHeader("host", `${hostname}:${port}`);
        for (const [name, pairs] of byName)
          sent.setHeader(name, pairs.length === 1 ? (pairs[0]?.[1] ?? "") : pairs.map(([, value]) => value));
        if (payload !== null) sent.setHeader("content-length", payload.length);
        sent.on("timeout", () => sent.destroy(new Error(`no answer in ${TIMEOUT_MS} ms`)));
        sent.on("error", reject);
        sent.on("response", (response) => {
          const chunks: Buffer[] = [];
          response.on("data", (chunk: Buffer) => chunks.push(chunk));
          response.on("error", reject);
          response.on("end", () =>
            resolve({
              status: response.statusCode ?? 0,
              contentType: response.headers["content-type"] ?? "",
              requestId: String(response.headers["x-request-id"] ?? ""),
              text: Buffer.concat(chunks).toString("utf8"),
              tookMs: performance.now() - begun,
            }),
          );
        });
        sent.end(payload ?? undefined);
      }),
    close: () => agent.destroy(),
  };
}
