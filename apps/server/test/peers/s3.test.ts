import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, describe, it } from "node:test";
import { AwsV4Signer } from "aws4fetch";
import { signatureOf, startS3 } from "./s3.ts";

const s3 = await startS3();
after(() => s3.close());

/** The examples of the Amazon S3 API Reference, "Signature Calculations for the Authorization Header". */
const KEY = "wJalrXUtnFEMI/K7MDENG/bPxRfiCYEXAMPLEKEY";
const SCOPE = "20130524/us-east-1/s3/aws4_request";
const NOTHING = hash("sha256", "");
const COMMON = { host: "examplebucket.s3.amazonaws.com", "x-amz-date": "20130524T000000Z" };

const EXAMPLES: readonly {
  name: string;
  method: string;
  target: string;
  headers?: Readonly<Record<string, string>>;
  body?: string;
  signature: string;
}[] = [
  {
    name: "GET of an object",
    method: "GET",
    target: "/test.txt",
    headers: { range: "bytes=0-9" },
    signature: "f0e8bdb87c964420e857bd35b5d6ed310bd44f0170aba48dd91039c6036bdb41",
  },
  {
    name: "PUT of an object",
    method: "PUT",
    target: "/test%24file.text",
    headers: { date: "Fri, 24 May 2013 00:00:00 GMT", "x-amz-storage-class": "REDUCED_REDUNDANCY" },
    body: "Welcome to Amazon S3.",
    signature: "98ad721746da40c64f1a55b78f14c238d841ea1380cd77a1b5971af0ece108bd",
  },
  {
    name: "GET of the lifecycle of a bucket",
    method: "GET",
    target: "/?lifecycle",
    signature: "fea454ca298b7da1c68078a5d1bdbfbbe0d65c699e0f91ac7a200a0136783543",
  },
  {
    name: "GET of a list of objects",
    method: "GET",
    target: "/?max-keys=2&prefix=J",
    signature: "34b48302e7b5fa45bde8084f4b7868a86f0a534bc59db6670ed5711ef69dc6f7",
  },
];

describe("the signature of a request to S3", () => {
  for (const { name, method, target, headers = {}, body = "", signature } of EXAMPLES)
    it(`is that of the reference: ${name}`, () => {
      const payload = hash("sha256", body);
      const all = { ...COMMON, ...headers, "x-amz-content-sha256": payload };
      const signed = Object.keys(all).sort();
      const request = { method, target, headers: all, payload };
      assert.equal(signatureOf(request, { secretAccessKey: KEY, scope: SCOPE, signed }), signature);
    });

  it("has the hash of what is sent, which the reference names", () => {
    assert.equal(NOTHING, "e3b0c44298fc1c149afbf4c8996fb92427ae41e4649b934ca495991b7852b855");
    assert.equal(
      hash("sha256", "Welcome to Amazon S3."),
      "44ce7dd67c959e0d3524ffac1771dfbba87d2b6b4b4e99e42034a8b803f8b072",
    );
  });
});

type Change = { body?: string; date?: string; headers?: Readonly<Record<string, string>>; method?: string };

/** Sends a file that is signed well, and then changed on its way. */
async function send(name: string, { body, date, headers = {}, method = "PUT" }: Change = {}) {
  const { url, headers: signed } = await new AwsV4Signer({
    method: "PUT",
    url: `${s3.url}/${s3.bucket}/${name}`,
    headers: { "x-amz-content-sha256": hash("sha256", "as signed") },
    ...s3.key,
    region: s3.region,
    service: "s3",
    ...(date === undefined ? {} : { datetime: date }),
  }).sign();
  for (const [header, value] of Object.entries(headers)) signed.set(header, value);
  const answer = await fetch(url, { method, headers: signed, body: body ?? "as signed" });
  return { status: answer.status, code: /<Code>(\w+)/.exec(await answer.text())?.[1] };
}

describe("the store of tests", () => {
  it("takes what its key has signed, and keeps the bytes", async () => {
    assert.deepEqual(await send("a/b.txt"), { status: 200, code: undefined });
    assert.equal(s3.objects.get("a/b.txt")?.toString(), "as signed");
  });

  for (const [what, change, status, code] of [
    ["another body", { body: "another one" }, 400, "XAmzContentSHA256Mismatch"],
    ["another hash", { headers: { "x-amz-content-sha256": NOTHING } }, 403, "SignatureDoesNotMatch"],
    ["a date of long ago", { date: "20200101T000000Z" }, 403, "RequestTimeTooSkewed"],
    ["no signature", { headers: { authorization: "none" } }, 403, "AccessDenied"],
    ["another method", { method: "POST" }, 405, "MethodNotAllowed"],
  ] as const)
    it(`refuses ${what}`, async () => {
      assert.deepEqual(await send("refused.txt", change), { status, code });
      assert.equal(s3.objects.has("refused.txt"), false);
    });
});
