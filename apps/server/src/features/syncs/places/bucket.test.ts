import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, describe, it } from "node:test";
import { type S3Behaviour, type S3Peer, startS3 } from "../../../../test/peers/s3.ts";
import { openWayOut } from "../../../platform/net/way-out.ts";
import { type Bucket, openBucket } from "./bucket.ts";
import { PlaceFault } from "./place.ts";

const DEADLINE_MS = 400;
const wayOut = openWayOut({ dnsServer: null, allowPrivate: true, deadlineMs: DEADLINE_MS, keptBytes: 4_096 });

const s3 = await startS3();
const plain = await startS3({ knowsConditions: false });
after(() => Promise.all([s3.close(), plain.close()]));

const DATA = Buffer.from('a file "with" bytes \u0000\u00ff');
const fileOf = (data: Buffer) => ({ data, sha256: hash("sha256", data, "hex"), type: "text/csv" });
const FILE = fileOf(DATA);

const opened = (peer: S3Peer, change: Partial<Bucket> = {}) =>
  openBucket(
    {
      endpoint: peer.url,
      region: peer.region,
      bucket: peer.bucket,
      prefix: "tidings",
      ...peer.key,
      ...change,
    },
    wayOut,
  );

/** What a file that was not taken is said to have met. */
async function faultOf(put: Promise<unknown>): Promise<string> {
  try {
    await put;
  } catch (cause) {
    assert.ok(cause instanceof PlaceFault, String(cause));
    return cause.message;
  }
  throw new Error("The store took the file.");
}

describe("a bucket", () => {
  for (const prefix of [
    "tidings",
    "a/b/c",
    "Team(1)!/it's_here-2026.11=x/=y",
    "()/''/!",
    "a.b./c..d",
    "x".repeat(100),
    Array.from({ length: 21 }, (_, n) => `p${n}`).join("/"),
  ])
    it(`takes files below ${prefix.slice(0, 40)}`, async () => {
      const name = "events/date=2026-11-29/hour=13/part-00001.csv";
      await opened(s3, { prefix }).put(name, FILE);
      assert.deepEqual(s3.objects.get(`${prefix}/${name}`), FILE.data);
    });

  for (const ending of ["/", "?", "#", " ", "/ "])
    it(`is found by an address that ends in ${JSON.stringify(ending)}`, async () => {
      await opened(s3, { endpoint: s3.url + ending, prefix: "ends" }).put("a.csv", FILE);
      assert.equal(s3.puts.at(-1), "ends/a.csv");
    });

  it("takes a file in place of another one, and an empty one", async () => {
    const bucket = opened(s3, { prefix: "again" });
    await bucket.put("a.csv", FILE);
    await bucket.put("a.csv", fileOf(Buffer.alloc(0)));
    assert.equal(s3.objects.get("again/a.csv")?.length, 0);
  });

  for (const [what, change, expected] of [
    ["a wrong key", { secretAccessKey: "another" }, /answered 403: SignatureDoesNotMatch \(/],
    ["an id that is none", { accessKeyId: "AKIDOTHER" }, /answered 403: InvalidAccessKeyId \(/],
    ["a wrong region", { region: "us-east-1" }, /answered 400: AuthorizationHeaderMalformed \(/],
    ["a wrong bucket", { bucket: "pond" }, /answered 404: NoSuchBucket \(/],
  ] as const)
    it(`says what is wrong with ${what}, and never the key`, async () => {
      const fault = await faultOf(opened(s3, change).put("wrong.csv", FILE));
      assert.match(fault, expected);
      assert.ok(fault.startsWith(new URL(s3.url).host), fault);
      assert.ok(!fault.includes(s3.key.secretAccessKey));
      assert.ok(!s3.objects.has("tidings/wrong.csv"));
    });

  for (const [what, behaviour, expected] of [
    [
      "a redirect",
      { status: 307, code: "TemporaryRedirect" },
      /answered 307: TemporaryRedirect.*another one\.$/,
    ],
    ["a store that is busy", { status: 503, code: "SlowDown" }, /answered 503: SlowDown/],
    ["an answer that is no error of S3", { status: 500, code: "" }, /answered 500\.$/],
    [
      "an error that would fill pages",
      { status: 400, code: "X".repeat(5_000) },
      /^.{0,300}answered 400.{0,300}$/,
    ],
    [
      "an error with control characters",
      { status: 400, code: "a\u001b[31m\r\nb" },
      /answered 400: a \[31m {2}b/,
    ],
    ["a connection that is dropped", "drop", /closed before an answer came/],
    ["a store that hangs", "hang", /did not answer in time/],
  ] as readonly (readonly [string, S3Behaviour, RegExp])[])
    it(`says so in a sentence where there is ${what}`, async () => {
      s3.behave(() => behaviour);
      const begun = performance.now();
      const fault = await faultOf(opened(s3, { prefix: "met" }).put("a.csv", FILE)).finally(() =>
        s3.behave(() => null),
      );
      assert.match(fault, expected);
      assert.ok(performance.now() - begun < 20 * DEADLINE_MS, "it is waited for so long, and no longer");
      assert.ok(!s3.objects.has("met/a.csv"));
    });

  it("says so where nobody listens", async () => {
    const gone = await startS3();
    await gone.close();
    assert.match(await faultOf(opened(gone).put("a.csv", FILE)), /No server takes connections there/);
  });
});

describe("a file that says whose a place is", () => {
  it("is put where there is none, and never in place of another one", async () => {
    const bucket = opened(s3, { prefix: "claimed" });
    assert.equal(await bucket.claim("_tidings.json", FILE), true);
    assert.equal(await bucket.claim("_tidings.json", fileOf(Buffer.from("other"))), false);
    assert.deepEqual(s3.objects.get("claimed/_tidings.json"), FILE.data);
  });

  it("is one that one of two gets who ask at once", async () => {
    const [one, other] = [opened(s3, { prefix: "both" }), opened(s3, { prefix: "both" })];
    const claims = await Promise.all([one, other].map((each) => each.claim("_tidings.json", FILE)));
    assert.deepEqual(claims.sort(), [false, true]);
  });

  it("is put into a store that knows no conditions", async () => {
    assert.equal(await opened(plain).claim("_tidings.json", FILE), true);
    assert.deepEqual(plain.puts, ["tidings/_tidings.json"]);
  });

  it("is refused with what the store says", async () => {
    const wrong = opened(s3, { prefix: "none", secretAccessKey: "another" });
    assert.match(await faultOf(wrong.claim("_tidings.json", FILE)), /SignatureDoesNotMatch/);
    const wrongThere = opened(plain, { prefix: "none", secretAccessKey: "another" });
    assert.match(await faultOf(wrongThere.claim("_tidings.json", FILE)), /SignatureDoesNotMatch/);
  });
});
