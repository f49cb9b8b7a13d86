import { beginningOf } from "@tidings/client/text";
import { AwsV4Signer } from "aws4fetch";
import type { WayOut, WayOutReply } from "../../../platform/net/way-out.ts";
import { type OpenPlace, type PlacedFile, PlaceFault } from "./place.ts";

/** A bucket of a store that speaks S3, with the keys that may write to it. */
export type Bucket = {
  endpoint: string;
  region: string;
  bucket: string;
  prefix: string;
  accessKeyId: string;
  secretAccessKey: string;
};

const MOST_WORDS = 300;

/** What a store says of an error (Amazon S3 API Reference, "Error responses"): a code, and a sentence. */
function wordsOf(body: Buffer): string {
  const text = beginningOf(body.toString("utf8"), 2_000).replaceAll(/\p{Cc}/gu, " ");
  const inside = (name: string): string =>
    new RegExp(`<${name}>([^<]{1,200})</${name}>`).exec(text)?.[1] ?? "";
  const [code, message] = [inside("Code"), inside("Message")];
  return code === "" ? "" : `: ${code}${message === "" ? "" : ` (${message})`}`;
}

function faultOf(reply: WayOutReply, host: string): string {
  if (reply.status === null) return `${host}: ${reply.fault}`;
  const words = wordsOf(reply.body);
  if (reply.status >= 300 && reply.status < 400)
    return `${host} answered ${reply.status}${words}: its address or its region is another one.`;
  return `${host} answered ${reply.status}${words}.`;
}

/** No other file may be there (RFC 9110, 13.1.2). Stores that do not know it put the file there, or answer 501. */
const UNLESS_THERE = { "if-none-match": "*" };

/** A bucket, in which each file is one request, signed by its keys (AWS Signature Version 4). `signal` gives up the request that is under way. */
export function openBucket(
  { endpoint, region, bucket, prefix, accessKeyId, secretAccessKey }: Bucket,
  wayOut: WayOut,
  signal?: AbortSignal,
): OpenPlace {
  const { origin, host } = new URL(endpoint);
  const base = `${origin}/${bucket}/${prefix}/`;

  async function request(path: string, { data, sha256, type }: PlacedFile, more = {}) {
    const headers = { "content-type": type, "x-amz-content-sha256": sha256, ...more };
    const signer = new AwsV4Signer({
      method: "PUT",
      url: base + path,
      headers,
      accessKeyId,
      secretAccessKey,
      region,
      service: "s3",
    });
    const { url, headers: signed } = await signer.sign();
    return wayOut.send(url, {
      method: "PUT",
      headers: Object.fromEntries(signed),
      body: data,
      ...(signal === undefined ? {} : { signal }),
    });
  }

  const orFault = (reply: WayOutReply): void => {
    if (reply.status === null || reply.status < 200 || reply.status >= 300)
      throw new PlaceFault(beginningOf(faultOf(reply, host), MOST_WORDS));
  };

  return {
    async put(path, file) {
      orFault(await request(path, file));
    },
    async claim(path, file) {
      const reply = await request(path, file, UNLESS_THERE);
      if (reply.status === 412) return false;
      orFault(reply.status === 501 ? await request(path, file) : reply);
      return true;
    },
  };
}
