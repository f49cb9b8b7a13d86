import { type HttpAnswer, sendRequest } from "./http-request.ts";
import { type FindAddresses, lookupOf } from "./public-host.ts";

/** Statuses whose answers have no body (Fetch, 2.2.3). */
const EMPTY: ReadonlySet<number> = new Set([101, 103, 204, 205, 304]);
const MOST_BYTES = 1_024 * 1_024;

function responseOf({ status, headers, body }: HttpAnswer): Response {
  if (headers.location !== undefined && status >= 300 && status < 400) throw new Error("unexpected redirect");
  const found = new Headers();
  for (const [name, values = []] of Object.entries(headers))
    for (const value of [values].flat()) found.append(name, value);
  return new Response(EMPTY.has(status) ? null : new Uint8Array(body), { status, headers: found });
}

/**
 * A fetch whose connections go to the addresses that `find` has looked up and approved of, whatever DNS would answer a moment later. It
 * reads a mebibyte at most, follows no redirect, and fails as fetch does with `redirect: "error"`.
 */
export const pinnedFetch =
  (find: FindAddresses): typeof fetch =>
  async (input, init) => {
    const given = new Request(input, init);
    const url = new URL(given.url);
    const lookup = lookupOf(await find(url.hostname));
    const body = Buffer.from(await given.arrayBuffer());
    const { method, signal } = given;
    const headers = Object.fromEntries(given.headers);
    try {
      return responseOf(
        await sendRequest(url, { method, headers, signal, lookup, body, mostBytes: MOST_BYTES }),
      );
    } catch (cause) {
      throw signal.aborted ? cause : new TypeError("fetch failed", { cause });
    }
  };
