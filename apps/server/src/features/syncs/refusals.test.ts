import assert from "node:assert/strict";
import { randomBytes } from "node:crypto";
import { mkdir, rm, writeFile } from "node:fs/promises";
import { join } from "node:path";
import { after, before, describe, it } from "node:test";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { type S3Peer, startS3 } from "../../../test/peers/s3.ts";
import { clientOf, signedInAgo } from "../../../test/people.ts";
import { askingAs, placeInBucket, type SyncOwner, syncOwner } from "../../../test/syncs.ts";
import { HOUR_MS, MINUTE_MS } from "../../platform/time/clock.ts";

const BODY = { lists: ["users"], format: "ndjson", every: "day" };

type Answered = { status: number; reason: unknown; error: string };

/** Asks for a sync, and answers what is said to it. */
async function tried({ ask }: SyncOwner, to: unknown, body: object = {}): Promise<Answered> {
  const { status, body: answer } = await ask("POST", "", { ...BODY, ...body, to });
  return { status, reason: answer.reason, error: String(answer.error ?? "") };
}

const bucketAt = (endpoint: string, change: object = {}) => ({
  s3: {
    endpoint,
    region: "eu-central-1",
    bucket: "lake",
    prefix: "tidings",
    accessKeyId: "id",
    secretAccessKey: "key",
    ...change,
  },
});

describe("a sync", () => {
  const house = testHouse({ syncsPrivate: true });
  let project: TestProject;
  let owner: SyncOwner;
  let s3: S3Peer;
  let folders = "";
  before(async () => {
    s3 = await startS3();
    project = await house.project();
    owner = await syncOwner(house, project);
    folders = house.tidings.app.config.syncsFolder ?? "";
  });
  after(() => s3.close());

  for (const folder of [
    "..",
    ".",
    ".hidden",
    "",
    "a/b",
    "/etc",
    "a\\b",
    "..\\a",
    "a\u0000b",
    "a b",
    "ä",
    "日本",
    "a\n",
    "%2e%2e",
    "~",
    "-a",
    "x".repeat(101),
    7,
    null,
  ])
    it(`is not made in the folder ${JSON.stringify(folder).slice(0, 20)}`, async () => {
      const { status, error } = await tried(owner, { folder });
      assert.equal(status, 400, error);
      assert.match(error, /to/);
    });

  for (const prefix of [
    "..",
    "a/../b",
    "a/..",
    "/a",
    "a/",
    "a//b",
    ".a",
    "a/.b",
    "a\\b",
    "a?b",
    "a#b",
    "a%2fb",
    "a b",
    "ü",
    "a\u0000",
    "",
    "x".repeat(101),
    Array.from({ length: 22 }, () => "p").join("/"),
  ])
    it(`is not made below ${JSON.stringify(prefix).slice(0, 20)} in a bucket`, async () => {
      const { status, error } = await tried(owner, placeInBucket(s3, prefix));
      assert.equal(status, 400, error);
      assert.match(error, /prefix/);
      assert.equal(s3.puts.length, 0, "nothing is sent");
    });

  for (const [field, value] of [
    ["endpoint", "ftp://s3.example.com"],
    ["endpoint", "s3.example.com"],
    ["endpoint", "https://key:secret@s3.example.com"],
    ["endpoint", "https://s3.example.com/lake"],
    ["endpoint", "https://s3.example.com/?x=1"],
    ["endpoint", `https://${"x".repeat(300)}.example.com`],
    ["region", "eu central"],
    ["region", "eu/central"],
    ["bucket", "../lake"],
    ["bucket", "la/ke"],
    ["bucket", ""],
    ["accessKeyId", "a b"],
    ["accessKeyId", ""],
    ["secretAccessKey", "a\nb"],
    ["secretAccessKey", "ключ"],
  ] as const)
    it(`is not made with the ${field} ${JSON.stringify(value).slice(0, 40)}`, async () => {
      const { status, error } = await tried(owner, bucketAt(s3.url, { [field]: value }));
      assert.equal(status, 400, error);
      assert.ok(error.includes(field), error);
      if (field === "secretAccessKey") assert.ok(!error.includes(value), "the key is not said again");
    });

  for (const [field, change] of [
    ["lists", { lists: [] }],
    ["lists", { lists: ["campaigns"] }],
    ["format", { format: "xlsx" }],
    ["every", { every: "minute" }],
    ["history", { history: "yes" }],
    ["more", { more: 1 }],
  ] as const)
    it(`is not made with ${JSON.stringify(change)}`, async () => {
      const { status, error } = await tried(owner, { folder: "fields" }, change);
      assert.equal(status, 400, error);
      assert.ok(error.includes(field), error);
    });

  it("is one of two that are made at once with the same place", async () => {
    const other = await syncOwner(house, await house.project());
    for (const to of [{ folder: "at-once" }, placeInBucket(s3, "at-once")]) {
      const answers = await Promise.all([owner, other, owner].map((each) => tried(each, to)));
      assert.deepEqual(answers.map(({ status }) => status).sort(), [201, 409, 409]);
      const refused = answers.filter(({ status }) => status === 409);
      assert.deepEqual(
        refused.map(({ reason }) => reason),
        ["place_taken", "place_taken"],
      );
    }
  });

  it("takes no place that another server has, or where a file is in the way", async () => {
    await mkdir(join(folders, "others"), { recursive: true });
    await writeFile(join(folders, "others", "_tidings.json"), "{}");
    assert.equal((await tried(owner, { folder: "others" })).reason, "place_taken");
    await writeFile(join(folders, "file"), "in the way");
    const { reason, error } = await tried(owner, { folder: "file" });
    assert.deepEqual([reason, error], ["not_writable", "A file lies where a folder should be."]);
    await rm(join(folders, "file"));
    assert.equal((await tried(owner, { folder: "file" })).status, 201, "nothing is left of the first one");
  });

  it("is not made where the store does not take its keys", async () => {
    const wrong = { s3: { ...placeInBucket(s3, "wrong").s3, secretAccessKey: "another" } };
    const { status, reason, error } = await tried(owner, wrong);
    assert.deepEqual([status, reason], [409, "not_writable"]);
    assert.match(error, /SignatureDoesNotMatch/);
    assert.equal((await tried(owner, placeInBucket(s3, "wrong"))).status, 201);
  });

  it("is one of twenty at most", async () => {
    const full = await syncOwner(house, await house.project());
    const name = randomBytes(4).toString("hex");
    for (let n = 0; n < 20; n++) assert.equal((await tried(full, { folder: `${name}-${n}` })).status, 201);
    const { status, reason } = await tried(full, { folder: `${name}-20` });
    assert.deepEqual([status, reason], [409, "too_many"]);
    const { body } = await full.ask("GET");
    const [first] = body.syncs as { id: string }[];
    assert.equal((await full.ask("DELETE", `/${first?.id}`)).status, 204);
    assert.equal((await tried(full, { folder: `${name}-20` })).status, 201);
  });

  it("has keys of a bucket only, and keeps none that do not work", async () => {
    const keys = { accessKeyId: "AKIDOTHER", secretAccessKey: "another" };
    const inFolder = await owner.create({ ...BODY, to: { folder: "keyless" } });
    const refused = await owner.ask("PATCH", `/${inFolder.id}`, { keys });
    assert.deepEqual([refused.status, refused.body.reason], [409, "no_keys"]);
    const inBucket = await owner.create({ ...BODY, to: placeInBucket(s3, "keys") });
    const wrong = await owner.ask("PATCH", `/${inBucket.id}`, { keys });
    assert.deepEqual([wrong.status, wrong.body.reason], [409, "not_writable"]);
    assert.deepEqual(await owner.read(inBucket.id), inBucket);
    const { to } = await owner.change(inBucket.id, { keys: s3.key });
    assert.deepEqual(Object.keys("s3" in to ? to.s3 : {}).includes("secretAccessKey"), false);
  });

  it("is not run while it is off", async () => {
    const { id } = await owner.create({ ...BODY, to: { folder: "off" } });
    await owner.change(id, { state: "off" });
    const { status, body } = await owner.ask("POST", `/${id}/run`, {});
    assert.deepEqual([status, body.reason], [409, "off"]);
  });

  it("is not there for other projects, nor once it is deleted", async () => {
    const { id } = await owner.create({ ...BODY, to: { folder: "mine" } });
    const other = await syncOwner(house, await house.project());
    const asks = [
      ["GET", ""],
      ["PATCH", "", { state: "off" }],
      ["DELETE", ""],
      ["POST", "/run", {}],
      ["GET", "/windows"],
    ] as const;
    for (const [method, path, body] of asks)
      assert.equal((await other.ask(method, `/${id}${path}`, body)).status, 404, `${method} ${path}`);
    assert.equal((await owner.read(id)).state, "on");
    assert.equal((await owner.ask("DELETE", `/${id}`)).status, 204);
    for (const [method, path, body] of asks)
      assert.equal((await owner.ask(method, `/${id}${path}`, body)).status, 404, `${method} ${path}`);
    assert.equal((await tried(owner, { folder: "mine" })).reason, "place_taken");
  });

  it("is read by approvers, and made and changed by owners who have signed in lately", async () => {
    const { id } = await owner.create({ ...BODY, to: { folder: "roles" } });
    const asks = [
      ["GET", ""],
      ["GET", `/${id}`],
      ["GET", `/${id}/windows`],
      ["POST", "", { ...BODY, to: { folder: "roles-too" } }],
      ["PATCH", `/${id}`, { state: "off" }],
      ["POST", `/${id}/run`, {}],
      ["DELETE", `/${id}`],
    ] as const;
    for (const role of ["viewer", "editor", "approver"] as const) {
      const { person } = await clientOf(house, project.projectId, role);
      const { ask } = askingAs(house, person, project.projectId);
      const found: number[] = [];
      for (const [method, path, body] of asks) found.push((await ask(method, path, body)).status);
      const reads = role === "approver" ? 200 : 403;
      assert.deepEqual(found, [reads, reads, reads, 403, 403, 403, 403], role);
    }
    await signedInAgo(house, owner.person, HOUR_MS);
    house.advance(MINUTE_MS);
    for (const [method, path, body] of asks.slice(3)) {
      const { status, body: answer } = await owner.ask(method, path, body);
      // What is due anyhow needs no password.
      assert.deepEqual(
        [status, answer.reason],
        path.endsWith("/run") ? [200, undefined] : [403, "confirm"],
        method,
      );
    }
  });
});

describe("a server that others run", () => {
  const house = testHouse({ syncsPrivate: false, syncsFolder: null });

  it("writes to no folder of its own, and to no address that is not public and https", async () => {
    const owner = await syncOwner(house, await house.project());
    assert.equal((await tried(owner, { folder: "warehouse" })).reason, "no_folders");
    assert.equal((await owner.ask("GET")).body.folders, false);
    assert.equal((await tried(owner, bucketAt("http://s3.example.com"))).reason, "not_https");
    for (const host of [
      "127.0.0.1",
      "localhost",
      "10.0.0.1",
      "[::1]",
      "169.254.169.254",
      "0x7f.1",
      "[::ffff:127.0.0.1]",
    ])
      assert.equal((await tried(owner, bucketAt(`https://${host}`))).reason, "private_address", host);
    // Nothing answers where the name would be looked up.
    const { reason, error } = await tried(owner, bucketAt("https://s3.example.com"));
    assert.equal(reason, "not_writable");
    assert.match(error, /DNS did not say where s3\.example\.com is/);
  });
});
