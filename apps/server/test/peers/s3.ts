import { createHmac, hash, timingSafeEqual } from "node:crypto";
import { createServer, type IncomingMessage } from "node:http";
import type { AddressInfo } from "node:net";
import { buffer } from "node:stream/consumers";

/** What a request to a store is signed of. `headers` by their small names; `payload` is the SHA-256 of the body in hexadecimal digits. */
export type SignedRequest = {
  method: string;
  /** As it stands in the request: path and query. */
  target: string;
  headers: Readonly<Record<string, string>>;
  payload: string;
};

export type S3Key = { accessKeyId: string; secretAccessKey: string };

/** Percent-encoding as AWS has it: all but letters, digits and `-._~`. */
const encoded = (text: string): string =>
  encodeURIComponent(text).replaceAll(/[!'()*]/g, (c) => `%${c.charCodeAt(0).toString(16).toUpperCase()}`);

const hmac = (key: string | Buffer, text: string): Buffer => createHmac("sha256", key).update(text).digest();

/**
 * The signature of a request by AWS Signature Version 4 ("Create a signed AWS API request"; for S3, "Signature Calculations for the
 * Authorization Header"). Written from these pages alone, so that it knows nothing of what signs.
 */
export function signatureOf(
  { method, target, headers, payload }: SignedRequest,
  { secretAccessKey, scope, signed }: { secretAccessKey: string; scope: string; signed: readonly string[] },
): string {
  const { pathname, searchParams } = new URL(target, "http://host");
  const path = decodeURIComponent(pathname).split("/").map(encoded).join("/");
  const query = [...searchParams]
    .map(([name, value]) => `${encoded(name)}=${encoded(value)}`)
    .sort()
    .join("&");
  const lines = signed.map((name) => `${name}:${(headers[name] ?? "").trim().replaceAll(/ +/g, " ")}\n`);
  const canonical = [method, path, query, lines.join(""), signed.join(";"), payload].join("\n");
  const [date = "", region = "", service = "", ending = ""] = scope.split("/");
  const toSign = ["AWS4-HMAC-SHA256", headers["x-amz-date"], scope, hash("sha256", canonical)].join("\n");
  const key = [region, service, ending].reduce<Buffer>(hmac, hmac(`AWS4${secretAccessKey}`, date));
  return hmac(key, toSign).toString("hex");
}

type Refusal = { status: number; code: string; message: string };
const refusal = (status: number, code: string, message = code): Refusal => ({ status, code, message });

const AUTHORIZATION =
  /^AWS4-HMAC-SHA256 Credential=([^/]+)\/(\S+), SignedHeaders=([a-z0-9;-]+), Signature=([0-9a-f]{64})$/;
/** A request may be that old. */
const MOST_SKEW_MS = 15 * 60_000;

/** `20261129T101500Z`. */
const instantOf = (text: string): number =>
  Date.parse(text.replace(/^(\d{4})(\d\d)(\d\d)T(\d\d)(\d\d)(\d\d)Z$/, "$1-$2-$3T$4:$5:$6Z"));

function faultOf(request: SignedRequest, key: S3Key, region: string): Refusal | null {
  const match = AUTHORIZATION.exec(request.headers.authorization ?? "");
  if (match === null) return refusal(403, "AccessDenied", "Access Denied");
  const [, id, scope = "", names = "", signature = ""] = match;
  if (id !== key.accessKeyId) return refusal(403, "InvalidAccessKeyId", "The key id is not known here.");
  const signed = names.split(";");
  for (const name of ["host", "x-amz-date", "x-amz-content-sha256"])
    if (!signed.includes(name)) return refusal(403, "AccessDenied", `${name} is not signed`);
  if (scope.split("/")[1] !== region)
    return refusal(400, "AuthorizationHeaderMalformed", `the region is not ${region}`);
  if (Math.abs(Date.now() - instantOf(request.headers["x-amz-date"] ?? "")) > MOST_SKEW_MS)
    return refusal(403, "RequestTimeTooSkewed");
  const expected = signatureOf(request, { secretAccessKey: key.secretAccessKey, scope, signed });
  return timingSafeEqual(Buffer.from(expected), Buffer.from(signature))
    ? null
    : refusal(403, "SignatureDoesNotMatch", "The signature is not that of the key.");
}

/** What the store does with a request in place of what it should: `hang` takes it and answers nothing, `drop` ends the connection. */
export type S3Behaviour = { status: number; code: string } | "hang" | "drop";

/** Says what the store does with a file, the `n`th since then; null: what it should. It may take its time. */
export type BehaveAs = (name: string, n: number) => S3Behaviour | null | Promise<S3Behaviour | null>;

export type S3Peer = {
  url: string;
  key: S3Key;
  region: string;
  bucket: string;
  /** What lies in the bucket, by its name. */
  objects: Map<string, Buffer>;
  /** The names of all files that were put, in their order, also those that took the place of others. */
  puts: string[];
  behave(next: BehaveAs): void;
  close(): Promise<void>;
};

async function readRequest(request: IncomingMessage): Promise<{ signed: SignedRequest; body: Buffer }> {
  const body = await buffer(request);
  const headers = Object.fromEntries(
    Object.entries(request.headers).map(([name, value]) => [name, String(value)]),
  );
  const { method = "", url: target = "/" } = request;
  return { body, signed: { method, target, headers, payload: headers["x-amz-content-sha256"] ?? "" } };
}

/** A store that speaks S3, of one bucket: takes a PUT that is signed by its key, whose body is the one that was signed. */
export async function startS3({ port = 0, knowsConditions = true } = {}): Promise<S3Peer> {
  const key = { accessKeyId: "AKIDTIDINGS", secretAccessKey: "a/secret+that=is-only-for-tests" };
  const region = "eu-central-1";
  const bucket = "lake";
  const objects = new Map<string, Buffer>();
  const puts: string[] = [];
  let behaviour: BehaveAs = () => null;
  let count = 0;

  function refuse({ signed, body }: { signed: SignedRequest; body: Buffer }, name: string): Refusal | null {
    if (signed.method !== "PUT") return refusal(405, "MethodNotAllowed");
    if (!signed.target.startsWith(`/${bucket}/`))
      return refusal(404, "NoSuchBucket", "The bucket is not there.");
    const fault = faultOf(signed, key, region);
    if (fault !== null) return fault;
    if (hash("sha256", body) !== signed.payload) return refusal(400, "XAmzContentSHA256Mismatch");
    const isConditional = signed.headers["if-none-match"] === "*";
    if (isConditional && !knowsConditions) return refusal(501, "NotImplemented");
    if (isConditional && objects.has(name)) return refusal(412, "PreconditionFailed");
    return null;
  }

  const server = createServer(async (request, response) => {
    const read = await readRequest(request).catch(() => null);
    if (read === null) return;
    const name = decodeURIComponent(read.signed.target).slice(`/${bucket}/`.length);
    const next = await behaviour(name, ++count);
    if (next === "hang") return;
    if (next === "drop") return void request.socket.destroy();
    const fault = next === null ? refuse(read, name) : refusal(next.status, next.code);
    if (fault !== null) {
      const { status, code, message } = fault;
      response.writeHead(status, { "content-type": "application/xml" });
      response.end(`<?xml version="1.0"?><Error><Code>${code}</Code><Message>${message}</Message></Error>`);
      return;
    }
    objects.set(name, read.body);
    puts.push(name);
    response.writeHead(200, { etag: '"of-the-file"' }).end();
  });
  await new Promise<void>((resolve) => server.listen(port, "127.0.0.1", resolve));
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    key,
    region,
    bucket,
    objects,
    puts,
    behave: (next) => {
      count = 0;
      behaviour = next;
    },
    async close() {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
