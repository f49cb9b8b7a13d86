import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { randomBytes } from "node:crypto";
import {
  chmodSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  statSync,
  writeFileSync,
} from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, describe, it } from "node:test";
import { promisify } from "node:util";
import { assertOneLine } from "../../../test/commands/spawned.ts";
import { ConfigError, loadConfig } from "../config.ts";
import { createSecrets, loadSecretKey, SealError, secretsOnUse } from "./secrets.ts";

const folders: string[] = [];
const newFolder = (): string => {
  const made = mkdtempSync(join(tmpdir(), "tidings-secrets-"));
  folders.push(made);
  return made;
};
after(() => {
  for (const folder of folders) rmSync(folder, { recursive: true, force: true });
});

const secrets = createSecrets(Buffer.alloc(32, 1));

/** The refusal of loading a key, which is one line. */
function refused(env: Record<string, string>): string {
  try {
    loadSecretKey(loadConfig(env));
  } catch (error) {
    assert.ok(error instanceof ConfigError, String(error));
    return error.message;
  }
  return assert.fail("The key was expected to be refused, and was not.");
}

describe("sealing", () => {
  it("gives the text back under what it was bound to", () => {
    for (const text of ["", "hunter2", "päßwörd 🔑", "\0\r\n", "x".repeat(100_000)]) {
      assert.equal(secrets.open(secrets.seal(text, "project/key"), "project/key"), text);
    }
  });

  it("never gives the same bytes twice, nor any of the text", () => {
    const sealed = Array.from({ length: 100 }, () => secrets.seal("hunter2", "a").toString("hex"));
    assert.equal(new Set(sealed).size, 100);
    assert.ok(sealed.every((hex) => !hex.includes(Buffer.from("hunter2").toString("hex"))));
  });

  it("does not open under another name or another master key", () => {
    const sealed = secrets.seal("hunter2", "project/key");
    for (const boundTo of ["", "project", "project/key ", "project/kez", "other/key"]) {
      assert.throws(() => secrets.open(sealed, boundTo), SealError, boundTo);
    }
    for (const other of [Buffer.alloc(32, 2), randomBytes(32)]) {
      assert.throws(() => createSecrets(other).open(sealed, "project/key"), SealError);
    }
  });

  it("does not open after any one bit of it changed, nor cut short or made longer", () => {
    const sealed = secrets.seal("hunter2", "a");
    for (let bit = 0; bit < sealed.length * 8; bit++) {
      const altered = Buffer.from(sealed);
      altered[bit >> 3] = (altered[bit >> 3] ?? 0) ^ (1 << (bit & 7));
      assert.throws(() => secrets.open(altered, "a"), SealError, `bit ${bit}`);
    }
    for (let length = 0; length < sealed.length; length++) {
      assert.throws(() => secrets.open(sealed.subarray(0, length), "a"), SealError, `${length} bytes`);
    }
    assert.throws(() => secrets.open(Buffer.concat([sealed, Buffer.of(0)]), "a"), SealError);
  });

  it("does not say what was sealed when it fails", () => {
    const sealed = secrets.seal("hunter2", "a");
    assert.throws(
      () => secrets.open(sealed, "b"),
      (error: Error) => !`${error.message}${error.stack}`.includes("hunter2"),
    );
  });
});

describe("deriving", () => {
  it("gives one key of 32 bytes per purpose and master key", () => {
    const key = secrets.derive("links");
    assert.equal(key.length, 32);
    assert.deepEqual(createSecrets(Buffer.alloc(32, 1)).derive("links"), key);
    const others = [
      secrets.derive("link"),
      secrets.derive("targets"),
      createSecrets(Buffer.alloc(32, 2)).derive("links"),
    ];
    for (const other of others) assert.notDeepEqual(other, key);
  });

  it("is HKDF-SHA-256 without salt, so that what it gives stays the same for good", () => {
    // Counted with Python's hmac, by RFC 5869, 2.2 and 2.3.
    assert.equal(
      secrets.derive("links").toString("hex"),
      "9829fed217e78502614c5e933ea71cc1ae5b5352ad873c5ee15fcd34aed837e2",
    );
  });
});

describe("the secret key", () => {
  it("is SECRET_KEY where that is set, whatever lies in the folder", () => {
    const key = randomBytes(32);
    const DATA_DIR = newFolder();
    loadSecretKey(loadConfig({ DATA_DIR }));
    for (const more of [{}, { DATA_DIR }, { DATABASE_URL: "postgres://here/x" }]) {
      assert.deepEqual(loadSecretKey(loadConfig({ SECRET_KEY: key.toString("base64"), ...more })), key);
    }
  });

  for (const [what, text] of [
    ["too short", randomBytes(31).toString("base64")],
    ["too long", randomBytes(33).toString("base64")],
    ["hex", randomBytes(32).toString("hex")],
    ["without padding", randomBytes(32).toString("base64").slice(0, -1)],
    ["base64url", Buffer.alloc(32, 255).toString("base64url")],
    ["with a space", `${randomBytes(32).toString("base64")} `],
    ["spelled in a second way", `${Buffer.alloc(32).toString("base64").slice(0, -2)}B=`],
    ["a password", "hunter2"],
  ] as const) {
    it(`is refused ${what}, without being repeated`, () => {
      const line = refused({ SECRET_KEY: text });
      assertOneLine(line, /^SECRET_KEY is not usable: must be 32 bytes as base64/);
      assert.ok(!line.includes(text.trim()));
    });
  }

  it("is required with DATABASE_URL, and nothing is made", () => {
    const DATA_DIR = newFolder();
    assertOneLine(refused({ DATA_DIR, DATABASE_URL: "postgres://here/x" }), /^SECRET_KEY is required with/);
    assert.deepEqual(readdirSync(DATA_DIR), []);
  });

  it("is made once in the folder, which may not be there yet, open to nobody else", () => {
    const DATA_DIR = join(newFolder(), "not", "yet");
    const key = loadSecretKey(loadConfig({ DATA_DIR }));
    assert.equal(key.length, 32);
    assert.deepEqual(loadSecretKey(loadConfig({ DATA_DIR })), key);
    assert.deepEqual(readdirSync(DATA_DIR), ["secret.key"]);
    assert.equal(statSync(join(DATA_DIR, "secret.key")).mode & 0o777, 0o600);
    assert.equal(readFileSync(join(DATA_DIR, "secret.key"), "utf8"), `${key.toString("base64")}\n`);
  });

  it("is one key however many processes make it at once", async () => {
    const DATA_DIR = newFolder();
    const source = `
      const { loadSecretKey } = await import(${JSON.stringify(new URL("./secrets.ts", import.meta.url).href)});
      const { loadConfig } = await import(${JSON.stringify(new URL("../config.ts", import.meta.url).href)});
      const at = Number(process.env.AT);
      while (Date.now() < at);
      console.log(loadSecretKey(loadConfig(process.env)).toString("hex"));`;
    const env = {
      ...process.env,
      DATA_DIR,
      DATABASE_URL: "",
      SECRET_KEY: "",
      AT: String(Date.now() + 1_500),
    };
    const run = () => promisify(execFile)(process.execPath, ["--input-type=module", "-e", source], { env });
    const keys = (await Promise.all(Array.from({ length: 8 }, run))).map(({ stdout }) => stdout);
    assert.equal(new Set(keys).size, 1);
    assert.match(keys[0] ?? "", /^[0-9a-f]{64}\n$/);
    assert.deepEqual(readdirSync(DATA_DIR), ["secret.key"]);
  });

  for (const [what, text] of [
    ["empty", ""],
    ["too short", `${randomBytes(31).toString("base64")}\n`],
    ["no base64", "hunter2\n"],
    ["bytes", `${"\u0001".repeat(32)}`],
  ] as const) {
    it(`in a file that is ${what} is refused, never repeated and never replaced`, () => {
      const DATA_DIR = newFolder();
      const path = join(DATA_DIR, "secret.key");
      writeFileSync(path, text, { mode: 0o600 });
      const line = refused({ DATA_DIR });
      assertOneLine(line, /secret\.key is not usable: it must hold 32 bytes as base64\.$/);
      assert.ok(text.trim() === "" || !line.includes(text.trim()));
      assert.equal(readFileSync(path, "utf8"), text);
    });
  }

  it("in a file that cannot be read is refused in one line", () => {
    const DATA_DIR = newFolder();
    chmodSync(DATA_DIR, 0o755);
    const path = join(DATA_DIR, "secret.key");
    writeFileSync(path, `${randomBytes(32).toString("base64")}\n`, { mode: 0o600 });
    const asRoot = process.getuid?.() === 0;
    if (!asRoot) chmodSync(path, 0);
    // Root may read every file, so the test becomes a user who may not.
    if (asRoot) process.seteuid?.(65_534);
    try {
      assertOneLine(refused({ DATA_DIR }), /secret\.key cannot be used: EACCES$/);
    } finally {
      if (asRoot) process.seteuid?.(0);
    }
  });

  it("in a place that is no file, or cannot be made, is refused in one line", () => {
    const DATA_DIR = newFolder();
    mkdirSync(join(DATA_DIR, "secret.key"));
    assertOneLine(refused({ DATA_DIR }), /secret\.key cannot be used: EISDIR$/);
    writeFileSync(join(DATA_DIR, "file"), "");
    assertOneLine(refused({ DATA_DIR: join(DATA_DIR, "file") }), /secret\.key cannot be used: ENOTDIR$/);
  });

  it("is not asked for before it is needed, where a command may do without", () => {
    const lazy = secretsOnUse(loadConfig({ DATABASE_URL: "postgres://here/x" }));
    const sealed = secrets.seal("hunter2", "a");
    for (const use of [() => lazy.seal("a", "b"), () => lazy.open(sealed, "a"), () => lazy.derive("a")]) {
      assert.throws(use, /^Error: SECRET_KEY is required/);
    }
    const key = Buffer.alloc(32, 1).toString("base64");
    const usable = secretsOnUse(loadConfig({ DATABASE_URL: "postgres://here/x", SECRET_KEY: key }));
    assert.equal(usable.open(sealed, "a"), "hunter2");
    assert.equal(secrets.open(usable.seal("b", "c"), "c"), "b");
    assert.deepEqual(usable.derive("links"), secrets.derive("links"));
  });
});
