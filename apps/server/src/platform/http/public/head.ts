import type { IncomingMessage } from "node:http";
import { ApiError } from "../contract/errors.ts";

const isHost = (name: string | undefined): boolean => name?.length === 4 && name.toLowerCase() === "host";

function hostsIn(rawHeaders: readonly string[]): number {
  let hosts = 0;
  // Names and values in turn.
  for (let i = 0; i < rawHeaders.length; i += 2) if (isHost(rawHeaders[i])) hosts++;
  return hosts;
}

/**
 * Why a proxy in front and this server could read a request's head differently, or null (RFC 9112, 3.2 and 6.1). Node.js takes the first
 * of two hosts, and any coding that ends in chunks.
 */
export function headFault({ rawHeaders, headers, httpVersion }: IncomingMessage): string | null {
  const hosts = hostsIn(rawHeaders);
  if (hosts > 1 || (hosts === 0 && httpVersion === "1.1")) return "Host must be given once.";
  const { "transfer-encoding": coding } = headers;
  if (coding !== undefined && coding.toLowerCase() !== "chunked")
    return "Transfer-Encoding must be chunked, and nothing else.";
  return null;
}

/** A part of a query, decoded; null where it is not percent-encoded UTF-8. */
function decoded(text: string): string | null {
  try {
    return decodeURIComponent(text.replaceAll("+", " "));
  } catch {
    return null;
  }
}

/** @throws ApiError naming the parameter of a query that is not percent-encoded UTF-8, which the router would take undecoded */
export function assertDecodable(url: string): void {
  const start = url.indexOf("?");
  if (start < 0 || !url.includes("%", start)) return;
  // Nearly always the whole query is well encoded, so it is tried at once: no encoded character goes on beyond a `&` or `=`.
  if (decoded(url.slice(start + 1)) !== null) return;
  for (const pair of url.slice(start + 1).split("&")) {
    if (!pair.includes("%")) continue;
    const [rawName = "", ...rest] = pair.split("=");
    const name = decoded(rawName);
    if (name !== null && decoded(rest.join("=")) !== null) continue;
    const field = name === null ? "query" : `query.${name}`;
    throw new ApiError("invalid_request", `${field} is not valid percent-encoding in UTF-8`);
  }
}

const CHARSET = /;\s*charset\s*=\s*"?([^\s";]*)/i;

/** @throws ApiError when a body says that it is in another charset: JSON is UTF-8. */
export function assertUtf8(contentType: string | undefined): void {
  const [, charset] = CHARSET.exec(contentType ?? "") ?? [];
  if (charset !== undefined && !/^utf-?8$/i.test(charset))
    throw new ApiError("invalid_request", "Content-Type must not name a charset but utf-8");
}
