import assert from "node:assert/strict";
import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { createLog } from "../../src/platform/log.ts";
import { type Found, findSecrets } from "./find-secrets.ts";
import { SECRETS_FILE } from "./secrets-of-the-run.ts";

const folders: string[] = [];
after(() => Promise.all(folders.map((folder) => rm(folder, { recursive: true, force: true }))));

async function found(log: string, secrets: readonly string[] = []): Promise<Found[]> {
  const folder = await mkdtemp(join(tmpdir(), "tidings-logs-"));
  folders.push(folder);
  await writeFile(join(folder, "log-1.jsonl"), log);
  await writeFile(
    join(folder, SECRETS_FILE),
    secrets.map((secret) => `${JSON.stringify(secret)}\n`).join(""),
  );
  return (await findSecrets(folder)).found;
}

const PEM = "-----BEGIN KEY-----\nMIGHAgEAMBMGByqGSM49\n-----END KEY-----\n";

describe("a search for secrets", () => {
  const known: [string, string, string][] = [
    ["a password", "hunter2", '{"reason":"login of ada with hunter2 failed"}'],
    ["one in an address", "p@ss/word", "smtp.example.com p%40ss%2Fword"],
    ["one with quotes", 'say "please"', JSON.stringify({ password: 'say "please"' })],
    ["a line of a private key", PEM, JSON.stringify({ body: PEM.replaceAll("-", "") })],
    ["one that is not ASCII", "пароль от почты", '{"password":"пароль от почты"}'],
  ];
  for (const [name, secret, line] of known) {
    it(`finds ${name} that the run knows, and says where without telling`, async () => {
      const [only, ...others] = await found(`{"msg":"fine"}\n${line}\n`, ["something else", secret]);
      assert.ok(only);
      assert.deepEqual([only.file, only.line, others], ["log-1.jsonl", 2, []]);
      assert.ok(!only.what.includes(secret));
      assert.deepEqual(await found(`{"msg":"fine"}\n${line}\n`, ["something else"]), []);
    });
  }
  const looks: [string, string][] = [
    ["a key", `{"url":"/x?${"pk_"}${"A1b2".repeat(8)}"}`],
    ["a key of the agent", `pk_agent_${"A1b2".repeat(8)}`],
    ["a key that sends", `pk_send_${"A1b2".repeat(8)}`],
    ["an Authorization header", '{"headers":{"Authorization":"x"}}'],
    ["a bearer", "Bearer abcdefgh12345"],
    ["a private key", "-----BEGIN EC PRIVATE KEY-----"],
    ["a password in an address", "cannot reach postgres://ada:hunter3@db.example.com/x"],
    ["a hash of a user", '{"url":"/api/v1/messages?userId=ada&userHash=abc"}'],
  ];
  for (const [name, line] of looks) {
    it(`finds ${name} that nobody has told of`, async () => {
      assert.deepEqual(
        (await found(`fine\n\n${line}\n`)).map((each) => each.line),
        [3],
      );
    });
  }
  it("finds nothing in what tells nothing", async () => {
    const lines = [
      '{"level":20,"requestId":"a-1","method":"GET","path":"/api/v1/goals/:id","status":200,"msg":"answered"}',
      "npm start: http://127.0.0.1:8080/demo, postgres:///tidings, a pk_… key, at file:///x/y.ts:10:5",
    ];
    assert.deepEqual(await found(lines.join("\n"), ["hunter2"]), []);
    assert.deepEqual(await found("", []), []);
  });
});

describe("LOG_FILE", () => {
  it("gets every line, whatever the level", async () => {
    const folder = await mkdtemp(join(tmpdir(), "tidings-logs-"));
    folders.push(folder);
    for (const level of ["silent", "fatal"]) {
      const log = createLog(level, join(folder, "log.jsonl"));
      assert.ok(log.isLevelEnabled("trace"));
      log.trace({ password: "hunter2" }, "said");
    }
    await writeFile(join(folder, SECRETS_FILE), '"hunter2"\n');
    const { found: leaks, secrets } = await findSecrets(folder);
    assert.deepEqual([leaks.map(({ line }) => line), secrets], [[1], 1]);
  });
});
