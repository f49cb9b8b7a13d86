import assert from "node:assert/strict";
import { createECDH, generateKeyPairSync } from "node:crypto";
import { before, describe, it } from "node:test";
import type { Input } from "@tidings/client";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { newApnsCredential } from "../../../../test/peers/apns.ts";
import { newFcmCredential } from "../../../../test/peers/fcm.ts";
import { createSecrets } from "../../../platform/secrets/secrets.ts";
import type { ApnsCredential, FcmCredential } from "../providers/schema.ts";
import { listUsableCredentials, readCredential } from "./public.ts";

const house = testHouse();
let apns: ApnsCredential;
let fcm: FcmCredential;
before(async () => {
  apns = await newApnsCredential();
  fcm = await newFcmCredential();
});

type Body = Input<"putPushCredential">["body"];
const SCOPE = { appId: "com.example.app", platform: "ios", environment: "production" } as const;

const put = async ({ api }: TestProject, body: Partial<Body> = {}) => {
  // Ids made within the same millisecond have no order.
  house.advance(1);
  const answer = await api.putPushCredential({
    body: { ...SCOPE, expectedRevision: 0, credential: apns, ...body },
  });
  return answer.credential;
};

const WEB = {
  appId: "shop.example",
  platform: "web",
  credential: { provider: "webpush", subject: "mailto:push@tidings.dev" },
} as const;

/** All rows of all tables, as text. */
async function everything(): Promise<string> {
  const { rows } = await house.database.pool.query(
    "select string_agg(t::text || encode(sealed, 'escape'), ' ') as all from push_credentials t",
  );
  return String(rows[0]?.all);
}

const pem = (kind: "ec" | "rsa", options: object, type: "pkcs8" | "sec1" | "pkcs1" = "pkcs8"): string => {
  const generate = generateKeyPairSync as (
    kind: string,
    options: object,
  ) => { privateKey: { export(as: object): string } };
  return generate(kind, options).privateKey.export({ type, format: "pem" });
};

describe("putPushCredential", () => {
  it("keeps the first one, and shows it without its key", async () => {
    const project = await house.project();
    const { id, ...credential } = await put(project);
    assert.match(id, /^cred_[0-9a-f-]{36}$/);
    const shown = { revision: 1, validation: "local_valid" as const, applicationServerKey: null };
    assert.deepEqual(credential, { ...SCOPE, ...shown });
    const { credentials } = await project.api.listPushCredentials({});
    assert.deepEqual(credentials, [{ id, ...credential }]);
  });

  it("replaces one under its revision, and no other", async () => {
    const project = await house.project();
    const first = await put(project);
    for (const expectedRevision of [0, 2, Number.MAX_SAFE_INTEGER]) {
      const { status, error } = await refusal(put(project, { expectedRevision }));
      assert.equal(status, 409);
      assert.equal(error, "expectedRevision is not that of the credential; list the credentials again");
    }
    const topic = "com.example.renamed";
    const second = await put(project, { expectedRevision: 1, credential: { ...apns, topic } });
    assert.deepEqual(second, { ...first, revision: 2 });
    const { database, tidings } = house;
    const usable = await readCredential(database.kysely, tidings.app.secrets, project.projectId, SCOPE);
    assert.deepEqual(usable?.credential, { ...apns, topic });
    assert.equal((await refusal(put(project, { expectedRevision: 1 }))).status, 409);
  });

  it("has nothing to replace where there is none", async () => {
    const project = await house.project();
    assert.equal((await refusal(put(project, { expectedRevision: 1 }))).status, 409);
    assert.deepEqual((await project.api.listPushCredentials({})).credentials, []);
  });

  it("keeps one per app, platform and environment", async () => {
    const project = await house.project();
    const made = [
      await put(project),
      await put(project, { environment: "development" }),
      await put(project, { platform: "android", credential: fcm }),
      await put(project, { appId: "com.example.other" }),
    ];
    assert.equal(new Set(made.map(({ id }) => id)).size, 4);
    assert.deepEqual((await project.api.listPushCredentials({})).credentials, made);
  });

  for (const expectedRevision of [0, 1]) {
    it(`lets one of many win that come at once for revision ${expectedRevision}`, async () => {
      const project = await house.project();
      const there = await house.elsewhere(project);
      if (expectedRevision === 1) await put(project);
      const tried = await Promise.allSettled(
        Array.from({ length: 8 }, (_, index) => put(index % 2 === 0 ? project : there, { expectedRevision })),
      );
      const won = tried.filter(({ status }) => status === "fulfilled");
      assert.equal(won.length, 1);
      for (const lost of tried)
        if (lost.status === "rejected") assert.match(String(lost.reason), /expectedRevision is not that of/);
      const { credentials } = await project.api.listPushCredentials({});
      assert.deepEqual(
        credentials.map(({ revision }) => revision),
        [expectedRevision + 1],
      );
    });
  }

  it("answers a repeat under the same Idempotency-Key with what it answered first", async () => {
    const project = await house.project();
    const headers = { "Idempotency-Key": "first" };
    const body: Body = { ...SCOPE, expectedRevision: 0, credential: apns };
    const first = await project.api.putPushCredential({ body, headers });
    assert.deepEqual(await project.api.putPushCredential({ body, headers }), first);
    const { status } = await refusal(
      project.api.putPushCredential({ body: { ...body, appId: "com.example.other" }, headers }),
    );
    assert.equal(status, 409);
  });

  it("stores no key, token or team that could be read", async () => {
    const project = await house.project();
    await put(project);
    const stored = await everything();
    for (const secret of [apns.privateKey.slice(40, 80), apns.teamId, apns.keyId])
      assert.equal(stored.includes(secret), false);
  });
});

const faulty = (): readonly [string, Record<string, unknown>, RegExp][] => [
  [
    "a platform of the other provider",
    { platform: "android" },
    /^credential\.provider must be fcm for android$/,
  ],
  ["FCM for iOS", { credential: fcm }, /^credential\.provider must be apns for ios$/],
  [
    "another provider",
    { credential: { provider: "hms" } },
    /^credential\.provider must be one of apns, fcm, webpush$/,
  ],
  ["no provider", { credential: {} }, /^credential\.provider/],
  ["no credential", { credential: undefined }, /^credential is required$/],
  ["a credential that is a text", { credential: "key" }, /^credential must be an object$/],
  ["no revision", { expectedRevision: undefined }, /^expectedRevision is required$/],
  ["a revision below zero", { expectedRevision: -1 }, /^expectedRevision must be at least 0$/],
  ["half a revision", { expectedRevision: 0.5 }, /^expectedRevision must be an integer$/],
  ["an empty app", { appId: "" }, /^appId must not be empty$/],
  ["a long app", { appId: "x".repeat(257) }, /^appId must be at most 256 characters$/],
  ["an app with a NUL", { appId: "a\0b" }, /^appId must not contain NUL/],
  ["another platform", { platform: "tv" }, /^platform must be one of ios, android, web$/],
  ["APNs for browsers", { platform: "web" }, /^credential\.provider must be webpush for web$/],
  [
    "a key for browsers in another form",
    { platform: "web", credential: { ...WEB.credential, privateKey: apns.privateKey.slice(0, 43) } },
    /^credential\.privateKey must be 32 bytes in base64url$/,
  ],
  ...["mailto:me@localhost", "mailto:push@shop.example", "push@tidings.dev", "https://127.0.0.1/", ""].map(
    (subject): [string, Record<string, unknown>, RegExp] => [
      `the address ${subject}`,
      { platform: "web", credential: { provider: "webpush", subject } },
      /^credential\.subject must /,
    ],
  ),
  ["another environment", { environment: "test" }, /^environment must be one of development, production$/],
  ["more than it takes", { validation: "local_valid" }, /^validation: unknown field/],
  [
    "a team of nine",
    { credential: { ...apns, teamId: "TEAM12345" } },
    /^credential\.teamId must be at least 10/,
  ],
  [
    "a team in small letters",
    { credential: { ...apns, teamId: "team123456" } },
    /^credential\.teamId must be made of/,
  ],
  [
    "a key id of eleven",
    { credential: { ...apns, keyId: "KEY12345678" } },
    /^credential\.keyId must be at most 10/,
  ],
  [
    "a topic with a line break",
    { credential: { ...apns, topic: "a\r\nb: c" } },
    /^credential\.topic must be printable/,
  ],
  [
    "a long topic",
    { credential: { ...apns, topic: "x".repeat(257) } },
    /^credential\.topic must be at most 256/,
  ],
  ["a passphrase", { credential: { ...apns, passphrase: "x" } }, /^credential\.passphrase: unknown field/],
  [
    "a very long key",
    { credential: { ...apns, privateKey: "x".repeat(16_385) } },
    /^credential\.privateKey must be at most 16384/,
  ],
];

const wrongKeys = (): readonly [string, ApnsCredential | FcmCredential][] => [
  ["a text", { ...apns, privateKey: "secret-of-mine" }],
  ["half a key", { ...apns, privateKey: apns.privateKey.slice(0, 100) }],
  ["a public key", { ...apns, privateKey: apns.privateKey.replaceAll("PRIVATE", "PUBLIC") }],
  ["a key of another curve", { ...apns, privateKey: pem("ec", { namedCurve: "P-384" }) }],
  ["a key in another form", { ...apns, privateKey: pem("ec", { namedCurve: "P-256" }, "sec1") }],
  ["an RSA key for APNs", { ...apns, privateKey: fcm.privateKey }],
  ["an EC key for FCM", { ...fcm, privateKey: apns.privateKey }],
  ["a short RSA key", { ...fcm, privateKey: pem("rsa", { modulusLength: 1_024 }) }],
];

describe("a credential that is refused", () => {
  it("says which field, and by which rule", async () => {
    const project = await house.project();
    for (const [name, body, rule] of faulty()) {
      // The body is wrong on purpose, so it has no type.
      const { status, error } = await refusal(put(project, body as Partial<Body>));
      assert.equal(status, 400, name);
      assert.match(error, rule, name);
    }
  });
  it("repeats nothing of a key that cannot sign", async () => {
    const project = await house.project();
    for (const [name, credential] of wrongKeys()) {
      const platform = credential.provider === "apns" ? "ios" : "android";
      for (const call of [
        () => put(project, { platform, credential }),
        () => project.api.validatePushCredential({ body: { credential } }),
      ]) {
        const { status, error } = await refusal(call());
        assert.equal(status, 400, name);
        assert.match(error, /^credential\.privateKey must be an (EC P-256|RSA) private key/, name);
      }
    }
    assert.deepEqual((await project.api.listPushCredentials({})).credentials, []);
  });
  it("may have 65,536 bytes at most", async () => {
    const project = await house.project();
    const { status } = await refusal(put(project, { appId: "x".repeat(65_536) }));
    assert.equal(status, 413);
  });
});

describe("listPushCredentials", () => {
  it("goes on after the last one, to the end", async () => {
    const project = await house.project();
    const made: string[] = [];
    for (let index = 0; index < 101; index++) made.push((await put(project, { appId: `app-${index}` })).id);
    const first = await project.api.listPushCredentials({});
    assert.equal(first.credentials.length, 100);
    assert.equal(first.nextCursor, made[99]);
    const rest = await project.api.listPushCredentials({ query: { afterId: first.nextCursor ?? "" } });
    assert.deepEqual(
      [...first.credentials, ...rest.credentials].map(({ id }) => id),
      made,
    );
    assert.equal(rest.nextCursor, null);
  });
  it("shows those of its own project only, wherever it starts", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    const { id } = await put(other);
    assert.deepEqual(await mine.api.listPushCredentials({}), { credentials: [], nextCursor: null });
    await put(mine);
    const { credentials } = await mine.api.listPushCredentials({ query: { afterId: id } });
    assert.equal(credentials.length, 1);
  });
  it("knows no other cursor than an id", async () => {
    const { api } = await house.project();
    const { status, error } = await refusal(api.listPushCredentials({ query: { afterId: "cred_1" } }));
    assert.deepEqual([status, error], [400, "query.afterId must be the id of a credential"]);
  });
});

describe("the key that browsers subscribe with", () => {
  const listed = async ({ api }: TestProject) =>
    (await api.listPushCredentials({})).credentials.map((each) => each.applicationServerKey);

  it("is made with the credential, and stays where only the address is replaced", async () => {
    const project = await house.project();
    const first = await put(project, WEB);
    assert.match(first.applicationServerKey ?? "", /^[A-Za-z0-9_-]{87}$/);
    const credential = { ...WEB.credential, subject: "https://tidings.dev/contact" };
    const second = await put(project, { ...WEB, credential, expectedRevision: 1 });
    assert.deepEqual(second, { ...first, revision: 2 });
    const other = await put(project, { ...WEB, appId: "news.example" });
    assert.notEqual(other.applicationServerKey, first.applicationServerKey);
    await put(project);
    await put(project, { platform: "android", credential: fcm });
    assert.deepEqual(await listed(project), [
      first.applicationServerKey,
      other.applicationServerKey,
      null,
      null,
    ]);
  });

  it("is that of a private key that is brought along, which nobody sees", async () => {
    const project = await house.project();
    const key = createECDH("prime256v1");
    key.setPrivateKey(Buffer.alloc(32, 7));
    const privateKey = key.getPrivateKey("base64url");
    const answer = await put(project, { ...WEB, credential: { ...WEB.credential, privateKey } });
    assert.equal(answer.applicationServerKey, key.getPublicKey("base64url"));
    assert.deepEqual(await listed(project), [key.getPublicKey("base64url")]);
    assert.equal((await everything()).includes(privateKey), false);
  });

  it("is not shown of a credential that another SECRET_KEY has sealed", async () => {
    const [mine, other] = [await house.project(), await house.project()];
    await put(mine, WEB);
    await put(other, WEB);
    // A seal is bound to its project, so that of another one opens as little as that of another SECRET_KEY.
    await house.database.pool.query(
      "update push_credentials set sealed = (select sealed from push_credentials where project_id = $1) where project_id = $2",
      [other.projectId, mine.projectId],
    );
    assert.deepEqual(await listed(mine), [null]);
  });
});

describe("validatePushCredential", () => {
  it("says that a key signs, and keeps nothing", async () => {
    const { api } = await house.project();
    for (const credential of [apns, fcm])
      assert.deepEqual(await api.validatePushCredential({ body: { credential } }), {
        provider: credential.provider,
        validation: "local_valid",
        externalAuthentication: "not_checked",
      });
    assert.deepEqual((await api.listPushCredentials({})).credentials, []);
  });
  it("takes a key with blanks around it", async () => {
    const { api } = await house.project();
    const credential = { ...apns, privateKey: `\n${apns.privateKey}\n\n` };
    assert.equal((await api.validatePushCredential({ body: { credential } })).provider, "apns");
  });
});

describe("what others may read", () => {
  const secrets = () => house.tidings.app.secrets;

  it("is the credential of a scope", async () => {
    const project = await house.project();
    const { id } = await put(project);
    const found = await readCredential(house.database.kysely, secrets(), project.projectId, SCOPE);
    assert.deepEqual(found, {
      ...SCOPE,
      id: id.slice("cred_".length),
      revision: 1,
      credential: apns,
      acceptedBy: null,
      refusedAt: null,
      refusedCode: null,
      isBarred: false,
      probeAt: null,
    });
    for (const other of [
      { appId: "other" },
      { platform: "android" },
      { environment: "development" },
    ] as const)
      assert.equal(
        await readCredential(house.database.kysely, secrets(), project.projectId, { ...SCOPE, ...other }),
        null,
      );
    const stranger = await house.project();
    assert.equal(await readCredential(house.database.kysely, secrets(), stranger.projectId, SCOPE), null);
  });

  it("are those of an app", async () => {
    const project = await house.project();
    await put(project);
    await put(project, { platform: "android", credential: fcm });
    await put(project, { appId: "other" });
    const usable = await listUsableCredentials(
      house.database.kysely,
      secrets(),
      project.projectId,
      SCOPE.appId,
    );
    assert.deepEqual(
      usable.map(({ credential }) => credential),
      [apns, fcm],
    );
  });

  it("is nothing under another SECRET_KEY, or in another place", async () => {
    const project = await house.project();
    await put(project);
    const { projectId } = project;
    const others = createSecrets(Buffer.alloc(32, "another key"));
    assert.equal(await readCredential(house.database.kysely, others, projectId, SCOPE), null);
    assert.deepEqual(await listUsableCredentials(house.database.kysely, others, projectId, SCOPE.appId), []);

    const stranger = await house.project();
    await put(stranger);
    await house.database.pool.query(
      "update push_credentials set sealed = (select sealed from push_credentials where project_id = $1) where project_id = $2",
      [projectId, stranger.projectId],
    );
    assert.equal(await readCredential(house.database.kysely, secrets(), stranger.projectId, SCOPE), null);
  });
});
