import assert from "node:assert/strict";
import { createPublicKey, createSign, createVerify } from "node:crypto";
import { after, before, describe, it } from "node:test";
import {
  emailSettingGroup,
  markSenderDomainVerified,
  prepareSenderDomain,
  readDkimKey,
} from "../../src/features/email/sender/public.ts";
import { emailSettings } from "../../src/features/email/sender/settings.pure.ts";
import {
  changeSettings,
  listSettingChanges,
  readSettings,
  type ShownChange,
} from "../../src/features/settings/public.ts";
import { createSecrets } from "../../src/platform/secrets/secrets.ts";
import { SettingError } from "../../src/platform/settings/setting.ts";
import { sharedHouse } from "../harness.ts";
import { type DnsServer, startDnsServer } from "../peers/dns-server.ts";
import {
  cleanUp,
  type Ended,
  keysOf,
  migratedDataDir,
  refused,
  type Spawned,
  serve,
  stop,
  tidings,
} from "./spawned.ts";

after(cleanUp);

type Shown = {
  domain: string;
  verified: boolean;
  records: {
    purpose: string;
    type: string;
    name: string;
    value: string;
    strings: string[];
    found?: string[];
    problem?: string | null;
  }[];
};

describe("tidings email domain", () => {
  let env: Record<string, string>;
  let server: Spawned;
  let dns: DnsServer;
  let projectId: string;
  before(async () => {
    dns = await startDnsServer();
    env = { DATA_DIR: await migratedDataDir(), DNS_SERVER: dns.address };
    server = await serve(env);
    projectId = keysOf(server).projectId;
  });
  after(async () => {
    await dns.close();
    await stop(server);
  });

  const run = (...args: string[]): Promise<Ended> =>
    tidings(["email", "domain", "--project", projectId, ...args], env);
  const set = async (...pairs: string[]): Promise<void> => {
    const { code, stderr } = await tidings(["settings", "set", "--project", projectId, ...pairs], env);
    assert.equal(code, 0, stderr);
  };
  const log = async (): Promise<ShownChange[]> =>
    JSON.parse(
      (await tidings(["settings", "log", "--project", projectId, "--json"], env)).stdout,
    ) as ShownChange[];

  async function shown(code: number, ...args: string[]): Promise<Shown> {
    const ended = await run("--json", ...args);
    assert.deepEqual([ended.code, ended.stderr], [code, ""]);
    assert.doesNotMatch(ended.stdout, /PRIVATE/);
    return JSON.parse(ended.stdout) as Shown;
  }
  const problems = ({ records }: Shown) =>
    Object.fromEntries(records.map(({ purpose, problem }) => [purpose, problem]));

  it("wants a sender first", async () => {
    await refused(run(), /^email\.from is not set: its domain is what mail is signed for\.$/m);
  });

  it("shows a key that it made once, and the records to publish, without asking DNS", async () => {
    await set("email.from=News <news@acme.example>");
    const first = await shown(0);
    assert.deepEqual([first.domain, first.verified], ["acme.example", false]);
    const [dkim, spf] = first.records;
    assert.deepEqual([dkim?.type, dkim?.name], ["TXT", "tidings._domainkey.acme.example"]);
    const [, publicKey = ""] = /^v=DKIM1; k=rsa; p=([A-Za-z0-9+/=]+)$/.exec(dkim?.value ?? "") ?? [];
    const key = createPublicKey({ key: Buffer.from(publicKey, "base64"), type: "spki", format: "der" });
    assert.deepEqual([key.asymmetricKeyType, key.asymmetricKeyDetails?.modulusLength], ["rsa", 2_048]);
    assert.equal(dkim?.strings.join(""), dkim?.value);
    assert.ok(dkim?.strings.every((text) => text.length <= 255) && dkim.strings.length === 2);
    assert.deepEqual([spf?.name, spf?.value], ["acme.example", "v=spf1 mx ~all"]);
    assert.deepEqual(await shown(0), first);
    assert.deepEqual(dns.queries, []);

    await set("email.spfInclude=spf.provider.example");
    assert.equal((await shown(0)).records[1]?.value, "v=spf1 include:spf.provider.example ~all");
    const { stdout } = await run();
    for (const part of [
      publicKey,
      "TXT  tidings._domainkey.acme.example",
      "include:spf.provider.example",
      "--check",
    ])
      assert.ok(stdout.includes(part), part);
  });

  it("says what is missing while nothing is published, and marks nothing", async () => {
    const checked = await shown(1, "--check");
    assert.equal(checked.verified, false);
    assert.deepEqual(problems(checked), { dkim: "is not there", spf: "is not there" });
    dns.zone.set("acme.example", []);
    assert.deepEqual(problems(await shown(1, "--check")), { dkim: "is not there", spf: "is not there" });
    assert.ok((await log()).every(({ key }) => key !== "email.domainVerified"));
  });

  it("says what was found and what is wanted", async () => {
    dns.zone.set("tidings._domainkey.acme.example", [["v=DKIM1; k=rsa; p=", "MIIB\u001b[31m"]]);
    dns.zone.set("acme.example", [["google-site-verification=x"], ["v=spf1 -all"]]);
    const { code, stdout } = await run("--check");
    const [dkim, spf] = (await shown(0)).records;
    assert.equal(code, 1);
    assert.equal(
      stdout,
      [
        "not ok  TXT  tidings._domainkey.acme.example has another key",
        "        found   v=DKIM1; k=rsa; p=MIIB?[31m",
        `        wanted  ${dkim?.value}`,
        "not ok  TXT  acme.example lets nobody send",
        "        found   v=spf1 -all",
        `        wanted  ${spf?.value}`,
        "acme.example was not verified.\n",
      ].join("\n"),
    );
    for (const [texts, problem] of [
      [[["v=spf1 mx ~all"]], "does not have include:spf.provider.example"],
      [
        [["v=spf1 include:spf.provider.example ~all"], ["v=spf1 mx -all"]],
        "is there more than once: one SPF record is allowed",
      ],
    ] as const) {
      dns.zone.set(
        "acme.example",
        texts.map((strings) => [...strings]),
      );
      assert.equal(problems(await shown(1, "--check")).spf, problem);
    }
  });

  it("marks nothing while only one of the two is right", async () => {
    dns.zone.set("acme.example", [["v=spf1 include:spf.provider.example ~all"]]);
    assert.deepEqual(problems(await shown(1, "--check")), { dkim: "has another key", spf: null });
    dns.zone.set("acme.example", [["v=spf1 ~all"]]);
    dns.zone.set("tidings._domainkey.acme.example", [(await shown(0)).records[0]?.strings ?? []]);
    assert.deepEqual(problems(await shown(1, "--check")), { dkim: null, spf: "lets nobody send" });
    assert.equal((await shown(0)).verified, false);
    assert.ok((await log()).every(({ key }) => key !== "email.domainVerified"));
  });

  it("gives up within seconds where DNS does not answer, and says so", async () => {
    const before = new Map(dns.zone);
    dns.zone.set("acme.example", "silent").set("tidings._domainkey.acme.example", "broken");
    const begun = performance.now();
    const checked = await shown(1, "--check");
    assert.deepEqual(problems(checked), {
      dkim: "could not be asked for: ESERVFAIL",
      spf: "could not be asked for: ETIMEOUT",
    });
    assert.ok(performance.now() - begun < 8_000, `${performance.now() - begun} ms`);
    for (const [name, entry] of before) dns.zone.set(name, entry);
  });

  it("marks the domain as verified when both are there, once in the log, by dns", async () => {
    dns.zone.set("acme.example", [
      ["other=1"],
      ["V=SPF1 ip4:192.0.2.1 include:", "spf.provider.example -all"],
    ]);
    const [wanted] = (await shown(0)).records;
    const [, publicKey = ""] = /p=(.*)/.exec(wanted?.value ?? "") ?? [];
    dns.zone.set("tidings._domainkey.acme.example", [
      ["p=", publicKey.slice(0, 200), ` ${publicKey.slice(200)}; v=DKIM1;`],
    ]);
    for (let times = 0; times < 2; times++) {
      const checked = await shown(0, "--check");
      assert.deepEqual([checked.verified, problems(checked)], [true, { dkim: null, spf: null }]);
    }
    const entries = (await log()).filter(({ key }) => key === "email.domainVerified");
    assert.deepEqual(
      entries.map(({ before: was, after: is, by }) => [was, is, by]),
      [[null, "acme.example", "dns"]],
    );
    assert.equal((await shown(0)).verified, true);
    assert.match(
      (await run("--check")).stdout,
      /^ok +TXT +tidings\._domainkey\.acme\.example\nok +TXT +acme\.example\nacme\.example is verified\.\n$/,
    );
  });

  it("has a key per domain: another sender starts anew", async () => {
    const [before] = (await shown(0)).records;
    await set("email.from=news@other.example");
    const other = await shown(0);
    assert.deepEqual([other.domain, other.verified], ["other.example", false]);
    assert.notEqual(other.records[0]?.value, before?.value);
    await set("email.from=news@acme.example");
    assert.equal((await shown(0)).records[0]?.value, before?.value);
  });

  it("makes another key when asked to, which has to be published first", async () => {
    const [before] = (await shown(0)).records;
    const renewed = await shown(0, "--new-key");
    assert.equal(renewed.verified, false);
    assert.notEqual(renewed.records[0]?.value, before?.value);
    assert.deepEqual(problems(await shown(1, "--check")), { dkim: "has another key", spf: null });
    dns.zone.set("tidings._domainkey.acme.example", [renewed.records[0]?.strings ?? []]);
    assert.equal((await shown(0, "--check")).verified, true);
  });

  it("refuses in one line", async () => {
    const noProject = "00000000-0000-0000-0000-000000000000";
    const cases: [string[], Record<string, string>, RegExp][] = [
      [["--project", noProject], env, /^There is no project 0000/m],
      [["--project", "prj_1"], env, /^There is no project prj_1: /m],
      [
        ["--project", projectId],
        { ...env, DNS_SERVER: "dns.example" },
        /^DNS_SERVER \("dns\.example"\) is not usable: must be an IP/m,
      ],
      [
        ["--project", projectId],
        { ...env, DNS_SERVER: "127.0.0.1:0" },
        /^DNS_SERVER .* is not usable: must be an IP/m,
      ],
      [
        ["--project", projectId],
        { ...env, SECRET_KEY: Buffer.alloc(32).toString("base64") },
        /^The DKIM key of acme\.example cannot be opened: it was sealed with another SECRET_KEY, or altered since\. .*--new-key/m,
      ],
    ];
    for (const [args, settings, pattern] of cases)
      await refused(tidings(["email", "domain", ...args], settings), pattern);
  });
});

describe("the key that mail is signed with", () => {
  const house = sharedHouse();

  const prepared = async (from = "news@acme.example") => {
    const { projectId } = await house.project();
    const { kysely } = house.database;
    const { secrets } = house.tidings.app;
    await kysely.transaction().execute((tx) =>
      changeSettings(
        tx,
        secrets,
        projectId,
        { "email.from": from },
        {
          groups: [emailSettingGroup],
          by: "ada",
          now: house.now(),
        },
      ),
    );
    const prepare = (renew = false) =>
      prepareSenderDomain(kysely, secrets, projectId, { now: house.now(), renew });
    const read = (domain = "acme.example", id = projectId, using = secrets) =>
      readDkimKey(kysely, using, id, domain);
    const verify = (sender: Awaited<ReturnType<typeof prepare>>) =>
      kysely
        .transaction()
        .execute((tx) => markSenderDomainVerified(tx, secrets, projectId, sender, house.now()));
    return { projectId, kysely, secrets, prepare, read, verify };
  };

  it("is answered once DNS has shown it, and signs what the published key verifies", async () => {
    const { prepare, read, verify, projectId, kysely, secrets } = await prepared();
    assert.equal(await read(), null);
    const sender = await prepare();
    assert.equal(await read(), null, "not before it is verified");
    assert.equal(await verify(sender), true);
    const key = await read();
    assert.deepEqual([key?.domain, key?.selector], ["acme.example", "tidings"]);
    const signature = createSign("sha256")
      .update("mail")
      .sign(key?.privateKey ?? "");
    const published = createPublicKey({
      key: Buffer.from(sender.publicKey, "base64"),
      type: "spki",
      format: "der",
    });
    assert.ok(createVerify("sha256").update("mail").verify(published, signature));
    assert.equal(
      (await readSettings(kysely, secrets, projectId, emailSettings))["email.domainVerified"],
      "acme.example",
    );
    assert.equal((await listSettingChanges(kysely, projectId))[0]?.by, "dns");
    for (const domain of ["other.example", "mail.acme.example", ""]) assert.equal(await read(domain), null);
    assert.equal(await read("acme.example", (await prepared()).projectId), null);
  });

  it("is made once by however many ask at once", async () => {
    const { prepare } = await prepared();
    const keys = await Promise.all(Array.from({ length: 6 }, () => prepare()));
    assert.equal(new Set(keys.map(({ publicKey }) => publicKey)).size, 1);
  });

  it("is not verified by a check of the key that it replaced", async () => {
    const { prepare, read, verify, kysely, projectId, secrets } = await prepared();
    const old = await prepare();
    const renewed = await prepare(true);
    assert.notEqual(renewed.publicKey, old.publicKey);
    assert.equal(await verify(old), false);
    assert.equal(await read(), null);
    assert.equal(
      (await readSettings(kysely, secrets, projectId, emailSettings))["email.domainVerified"],
      null,
    );
    assert.equal(await verify(renewed), true);
    assert.ok(await read());
    await prepare(true);
    assert.equal(await read(), null, "a new key was not seen in DNS yet");
  });

  it("does not open with another master key, in another place, or altered", async () => {
    const [mine, other] = [await prepared(), await prepared()];
    for (const each of [mine, other]) await each.verify(await each.prepare());
    const rejected = async (call: Promise<unknown>) =>
      assert.rejects(
        call,
        (error) =>
          error instanceof SettingError && /^The DKIM key of acme\.example cannot/.test(error.message),
      );
    await rejected(mine.read("acme.example", mine.projectId, createSecrets(Buffer.alloc(32, 3))));
    const { rows } = await house.database.pool.query<{ sealed: Buffer }>(
      "select sealed_private_key as sealed from dkim_keys where project_id = $1",
      [mine.projectId],
    );
    const original = rows[0]?.sealed ?? assert.fail("sealed");
    assert.ok(!original.toString("latin1").includes("PRIVATE"));
    const put = (projectId: string, sealed: Buffer) =>
      house.database.pool.query("update dkim_keys set sealed_private_key = $2 where project_id = $1", [
        projectId,
        sealed,
      ]);
    await put(other.projectId, original);
    await rejected(other.read());
    const altered = Buffer.from(original);
    altered[40] = (altered[40] ?? 0) ^ 4;
    await put(mine.projectId, altered);
    await rejected(mine.read());
    await rejected(mine.prepare());
    const renewed = await mine.prepare(true);
    await mine.verify(renewed);
    assert.ok(await mine.read(), "a new key helps");
  });
});
