import type { IncomingHttpHeaders } from "node:http";
import { promisify } from "node:util";
import { gunzip } from "node:zlib";
import { ApiError, bodyTooLarge } from "../contract/errors.ts";
import { parseLenientJson } from "./body.ts";

const unpack = promisify(gunzip);

const PLAIN = new Set([undefined, "", "identity", "gzip", "x-gzip"]);
/** The first bytes of gzip (RFC 1952, 2.3.1). Proxies unpack bodies and leave the header, so the bytes decide. */
const isGzip = (bytes: Buffer): boolean => bytes[0] === 0x1f && bytes[1] === 0x8b;

/** @throws ApiError for what is no whole gzip, or would be longer than `mostBytes` */
async function unpacked(bytes: Buffer, mostBytes: number): Promise<Buffer> {
  try {
    return await unpack(bytes, { maxOutputLength: mostBytes });
  } catch (cause) {
    const code = cause instanceof Error && "code" in cause ? cause.code : null;
    if (code === "ERR_BUFFER_TOO_LARGE") throw bodyTooLarge(mostBytes);
    throw new ApiError("invalid_request", "body must be JSON, or gzip of it", { cause });
  }
}

/**
 * The JSON of a body that a library of another service sent, whatever type it says it has, unpacked where it is gzip.
 * @param took is called with the size of what was unpacked, in bytes, before that is parsed
 * @throws ApiError where it is no JSON, or has more than `mostBytes` when it is unpacked
 */
export async function readForeignBody(
  { "content-encoding": encoding }: IncomingHttpHeaders,
  bytes: Buffer,
  { mostBytes, took }: { mostBytes: number; took: (bytes: number) => void },
): Promise<unknown> {
  if (!PLAIN.has(encoding?.trim().toLowerCase()))
    throw new ApiError("invalid_request", "Content-Encoding must be gzip, or left out");
  if (!isGzip(bytes)) return parseLenientJson(bytes);
  const json = await unpacked(bytes, mostBytes);
  took(json.length);
  return parseLenientJson(json);
}
