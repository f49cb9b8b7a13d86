import * as http from "node:http";
import * as https from "node:https";
import { type FindAddresses, lookupOf } from "./public-host.ts";

/** Statuses whose answers have no body (Fetch, 2.2.3). */
const EMPTY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);
const MOST_BYTES = 1_024 * 1_024;

function headersOf({ headersDistinct }: http.IncomingMessage): Headers {
  const headers = new Headers();
  for (const [name, values = []] of Object.entries(headersDistinct))
    for (const value of values) headers.append(name, value);
  return headers;
}

/** A whole answer, of at most a mebibyte. */
async function responseOf(answer: http.IncomingMessage): Promise<Response> {
  const status = answer.statusCode ?? 0;
  if (answer.headers.location !== undefined && status >= 300 && status < 400) {
    answer.destroy();
    throw new TypeError("fetch failed", { cause: new Error("unexpected redirect") });
  }
  const parts: Buffer[] = [];
  let bytes = 0;
  for await (const part of answer as AsyncIterable<Buffer>) {
    bytes += part.length;
    // Leaving the loop ends the connection.
    if (bytes > MOST_BYTES) throw new TypeError("fetch failed", { cause: new Error("too much") });
    parts.push(part);
  }
  const body = EMPTY.has(status) ? null : Buffer.concat(parts);
  return new Response(body, { status, headers: headersOf(answer) });
}

/**
 * A fetch whose connections go to the addresses that `find` has looked up and approved of, whatever DNS would answer a moment later. It
 * follows no redirect, and fails as fetch does with `redirect: "error"`.
 */
export const pinnedFetch =
  (find: FindAddresses): typeof fetch =>
  async (input, init) => {
    const given = new Request(input, init);
    const url = new URL(given.url);
    const lookup = lookupOf(await find(url.hostname));
    const body = Buffer.from(await given.arrayBuffer());
    const { request } = url.protocol === "https:" ? https : http;
    const { method, signal } = given;
    const headers = Object.fromEntries(given.headers);
    return new Promise((resolve, reject) => {
      const sent = request(url, { method, headers, signal, lookup }, (answer) => {
        responseOf(answer).then(resolve, reject);
      });
      sent.on("error", reject);
      sent.end(body);
    });
  };
