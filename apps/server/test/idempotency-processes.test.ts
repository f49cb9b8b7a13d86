import assert from "node:assert/strict";
import { connect } from "node:net";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@tidings/client";
import type { ProjectKeys } from "../src/features/access/public.ts";
import { cleanUp, keysOf, type Spawned, serve, tidings } from "./commands/spawned.ts";
import { toast } from "./factories.ts";
import { type OwnDatabase, ownDatabases } from "./own-database.ts";
import { startSmtp } from "./peers/smtp.ts";
import { rounds } from "./rounds.ts";

const newDatabase = ownDatabases();
after(cleanUp);

const ROUNDS = rounds(15, 50, 3);
const KILLS = rounds(3, 6, 1);

type Reply = { status: number; text: string; replayed: boolean };
type Write = { method: "POST" | "PATCH"; path: string; body: unknown };

const newCampaign = (name: string): Write => ({
  method: "POST",
  path: "/api/v1/campaigns",
  body: { name, message: toast() },
});

describe("an Idempotency-Key at two processes on one database", () => {
  let env: OwnDatabase & Record<string, string>;
  let keys: ProjectKeys;
  let servers: [Spawned, Spawned];
  let api: Client;
  before(async () => {
    env = { ...(await newDatabase()), AUTO_MIGRATE: "1", ROLES: "api", RATE_LIMITS: "off" };
    const first = await serve(env);
    keys = keysOf(first);
    servers = [first, await serve(env)];
    api = createClient(first.url, keys.secretKey);
  });

  async function send(server: Spawned, key: string, { method, path, body }: Write): Promise<Reply> {
    const response = await fetch(server.url + path, {
      method,
      body: JSON.stringify(body),
      headers: {
        authorization: `Bearer ${keys.secretKey}`,
        "content-type": "application/json",
        "idempotency-key": key,
      },
    });
    const replayed = response.headers.get("idempotent-replayed") === "true";
    return { status: response.status, text: await response.text(), replayed };
  }

  /** The same write at both at the same instant: one effect, and the same answer or 409. */
  async function both(key: string, write: Write, status: number): Promise<Reply> {
    const answers = await Promise.all(servers.map((server) => send(server, key, write)));
    const made = answers.filter((answer) => answer.status === status);
    const [first] = made;
    assert.ok(first, JSON.stringify(answers));
    assert.ok(answers.every((answer) => answer.status === status || answer.status === 409));
    assert.equal(made.filter(({ replayed }) => !replayed).length, 1, JSON.stringify(answers));
    assert.ok(made.every(({ text }) => text === first.text));
    return first;
  }

  const idOf = ({ text }: Reply): string => (JSON.parse(text) as { campaign: { id: string } }).campaign.id;
  const named = async (q: string) => (await api.listCampaigns({ query: { q } })).campaigns;

  it(`${ROUNDS} times: a campaign is made, changed and launched once`, async () => {
    for (let round = 0; round < ROUNDS; round++) {
      const name = `Round ${String(round).padStart(3, "0")}`;
      const id = idOf(await both(`make ${round}`, newCampaign(name), 201));
      assert.deepEqual(
        (await named(name)).map((campaign) => campaign.id),
        [id],
      );
      const path = `/api/v1/campaigns/${id}`;
      const changed = `Changed ${name}`;
      await both(`change ${round}`, { method: "PATCH", path, body: { name: changed } }, 200);
      const launch = { method: "POST", path: `${path}/status`, body: { action: "launch" } } as const;
      await both(`launch ${round}`, launch, 200);
      const { campaign } = await api.getCampaign({ path: { id } });
      assert.deepEqual([campaign.name, campaign.status], [changed, "running"]);
    }
  });

  it("stands for one request only, wherever the other comes", async () => {
    const [one, other] = servers;
    const first = await send(one, "stands", newCampaign("Stands"));
    assert.equal(first.status, 201);
    assert.deepEqual(await send(other, "stands", newCampaign("Stands")), { ...first, replayed: true });
    const goal = { method: "POST", path: "/api/v1/goals", body: { name: "Stands" } } as const;
    const path = `/api/v1/campaigns/${idOf(first)}`;
    for (const write of [
      newCampaign("Other"),
      goal,
      { method: "PATCH", path, body: { name: "Other" } },
    ] as const) {
      const { status, text } = await send(other, "stands", write);
      assert.deepEqual(
        [status, JSON.parse(text)],
        [409, { error: "This Idempotency-Key was used for another request." }],
      );
    }
    assert.equal((await named("Stands")).length, 1);
  });

  it("is a project's own", async () => {
    const [one, other] = servers;
    const { stdout } = await tidings(["project", "create", "--name", "Other", "--json"], env);
    const { secretKey } = JSON.parse(stdout) as ProjectKeys;
    assert.equal((await send(one, "own", newCampaign("Own"))).status, 201);
    const theirs = createClient(other.url, secretKey);
    const headers = { "idempotency-key": "own" };
    await theirs.createCampaign({ body: { name: "Theirs", message: toast() }, headers });
    assert.deepEqual(
      (await theirs.listCampaigns()).campaigns.map(({ name }) => name),
      ["Theirs"],
    );
  });

  /** A request as bytes: `fetch` sends only keys that are harmless. */
  async function sendRaw(server: Spawned, key: string | Buffer): Promise<string> {
    const { hostname, port } = new URL(server.url);
    const { method, path, body } = newCampaign("Hostile");
    const text = JSON.stringify(body);
    const socket = connect(Number(port), hostname);
    const head = `${method} ${path} HTTP/1.1\r\nhost: x\r\nconnection: close\r\nauthorization: Bearer ${keys.secretKey}\r\ncontent-type: application/json\r\ncontent-length: ${text.length}\r\n`;
    socket.write(
      Buffer.concat([
        Buffer.from(`${head}idempotency-key: `),
        Buffer.from(key),
        Buffer.from(`\r\n\r\n${text}`),
      ]),
    );
    const chunks: Buffer[] = [];
    for await (const chunk of socket) chunks.push(chunk as Buffer);
    return Buffer.concat(chunks).toString("latin1");
  }

  const hostile: [string, string | Buffer, RegExp][] = [
    ["129 characters", "k".repeat(129), /^HTTP\/1\.1 400 .*Idempotency-Key must be 1 to 128 characters/s],
    ["nothing", "", /^HTTP\/1\.1 400 .*Idempotency-Key must be 1 to 128 characters/s],
    ["NUL", "a\0b", /^HTTP\/1\.1 400 /],
    ["a line break", "a\rb", /^HTTP\/1\.1 400 /],
    ["two of them", "a\r\nidempotency-key: b", /^HTTP\/1\.1 400 .*Idempotency-Key must be given once/s],
  ];
  for (const [name, key, pattern] of hostile) {
    it(`of ${name} is refused without an effect`, async () => {
      for (const server of servers) assert.match(await sendRaw(server, key), pattern);
      assert.deepEqual(await named("Hostile"), []);
    });
  }
  it("may be of any other characters, which are told apart", async () => {
    const odd = ["ключ 💥", Buffer.from([0xff, 0xfe, 0x80]), "'; drop table users; --", "__proto__"];
    for (const [index, key] of odd.entries()) {
      for (const [place, server] of servers.entries()) {
        const answer = await sendRaw(server, key);
        assert.match(answer, /^HTTP\/1\.1 201 /);
        assert.equal(/idempotent-replayed: true/i.test(answer), place === 1);
      }
      assert.equal((await named("Hostile")).length, index + 1);
    }
  });

  it("of a request whose process is killed has one effect at the other", async () => {
    const [survivor] = servers;
    for (let round = 0; round < KILLS; round++) {
      const victim = await serve(env);
      const name = (index: number): string => `Killed ${round}-${index}.`;
      const indexes = Array.from({ length: 8 }, (_, index) => index);
      const key = (index: number): string => `killed ${round} ${index}`;
      const sent = indexes.map((index) =>
        send(victim, key(index), newCampaign(name(index))).catch(() => null),
      );
      // Somewhere between their arrival and their answers.
      await new Promise((resolve) => setTimeout(resolve, (round * 30) / KILLS));
      victim.child.kill("SIGKILL");
      const retried = await Promise.all(
        indexes.map((index) => send(survivor, key(index), newCampaign(name(index)))),
      );
      const answered = await Promise.all(sent);
      await victim.ended;
      for (const index of indexes) {
        assert.equal(retried[index]?.status, 201, retried[index]?.text);
        const before = answered[index];
        if (before != null) assert.equal(retried[index]?.text, before.text);
        const found = await named(name(index));
        assert.deepEqual(
          found.map(({ id }) => id),
          [idOf(retried[index] ?? assert.fail())],
        );
      }
    }
  });

  it("of a test mail whose process is killed before it kept the answer is refused at the other, and no second mail leaves", async () => {
    const [survivor] = servers;
    const handed = Promise.withResolvers<void>();
    const smtp = await startSmtp({
      onMessage: () => {
        handed.resolve();
        // The mail server has it, and never says so.
        return new Promise(() => undefined);
      },
    });
    try {
      const settings = [
        "email.from=a@acme.example",
        "email.postalAddress=Acme",
        "email.domainVerified=true",
        `email.smtpUrl=smtp://127.0.0.1:${smtp.port}`,
      ];
      const set = await tidings(["settings", "set", "--project", keys.projectId, ...settings], env);
      assert.equal(set.code, 0, set.stderr);
      const { campaign } = await api.createCampaign({
        body: { name: "Tested", channel: "email", message: { subject: "Hi", body: "Text" } },
      });
      const path = `/api/v1/campaigns/${campaign.id}/email/test`;
      const test: Write = { method: "POST", path, body: { address: "me@example.com" } };
      const victim = await serve(env);
      const sent = send(victim, "tested", test).catch(() => null);
      await handed.promise;
      victim.child.kill("SIGKILL");
      await victim.ended;
      assert.equal(await sent, null);
      smtp.behave({});
      for (const server of servers) {
        const { status, text } = await send(server, "tested", test);
        assert.deepEqual([status, /cut off before its answer was kept/.test(text)], [409, true], text);
      }
      assert.equal(smtp.taken.length, 0);
      assert.equal((await send(survivor, "tested again", test)).status, 200);
      assert.equal(smtp.taken.length, 1);
      const doctor = await tidings(["doctor"], env);
      assert.equal(doctor.code, 0, doctor.stdout);
    } finally {
      await smtp.close();
    }
  });
});
