import assert from "node:assert/strict";
import { readFile } from "node:fs/promises";
import { after, before, describe, it } from "node:test";
import { createClient } from "@tidings/client";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import type { ShownChange, ShownSetting } from "../../src/features/settings/public.ts";
import {
  cleanUp,
  done,
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

const SMTP = "smtp://ada:hunter2@mail.example.com:2525?connections=7";

type Shown = Record<string, Omit<ShownSetting, "key">>;

describe("tidings settings", () => {
  let env: Record<string, string>;
  let server: Spawned;
  let keys: ProjectKeys;
  before(async () => {
    env = { DATA_DIR: await migratedDataDir() };
    server = await serve(env);
    keys = keysOf(server);
  });

  const run = (verb: string, args: readonly string[] = [], input?: string): Promise<Ended> =>
    tidings(["settings", verb, "--project", keys.projectId, ...args], env, input);

  const shown = async (...names: string[]): Promise<Shown> =>
    JSON.parse(await done(run("get", [...names, "--json"]))) as Shown;

  it("gets every setting with value and meaning, defaults marked", async () => {
    const text = await done(run("get"));
    assert.match(text, /^email\.from +- \(default\)$/m);
    assert.match(text, /^email\.capMax +3 \(default\)\n +mails that one recipient gets at most/m);
    assert.match(text, /^email\.trackOpens +true \(default\)$/m);
    const all = await shown();
    assert.ok(Object.keys(all).length >= 13);
    const docs = await readFile(new URL("../../../../docs/running.md", import.meta.url), "utf8");
    for (const key of Object.keys(all))
      assert.ok(docs.includes(`\`${key}\``), `${key} is in docs/running.md`);
    assert.ok(
      Object.values(all).every(
        ({ isDefault, meaning, updatedAt }) => isDefault && meaning !== "" && updatedAt === null,
      ),
    );
    const { meaning, ...rest } = all["email.capHours"] ?? assert.fail("email.capHours");
    assert.deepEqual(rest, { value: 24, isDefault: true, isSecret: false, updatedAt: null });
  });

  it("sets, gets and logs beside the running server", async () => {
    const begun = Date.now();
    const pairs = [
      "email.from=Acme <news@acme.example>",
      "email.postalAddress=1 Main St\\nSpringfield",
      "email.capMax=5",
    ];
    const printed = await done(run("set", ["--by", "Ada Lovelace", ...pairs]));
    assert.equal(
      printed,
      "email.from  default -> Acme <news@acme.example>\nemail.postalAddress  default -> 1 Main St\\nSpringfield\nemail.capMax  default -> 5\n",
    );
    const some = await shown("email.postalAddress", "email.capMax");
    assert.deepEqual(Object.keys(some), ["email.postalAddress", "email.capMax"]);
    assert.equal(some["email.postalAddress"]?.value, "1 Main St\nSpringfield");
    assert.ok((some["email.capMax"]?.updatedAt ?? 0) >= begun);
    assert.match(await done(run("get", ["email.capMax"])), /^email\.capMax {2}5\n {14}mails that one/);
    assert.equal(await done(run("set", ["email.capMax=5"])), "Nothing changed.\n");
    assert.equal(await done(run("set", ["email.capMax="])), "email.capMax  5 -> default\n");

    const log = JSON.parse(await done(run("log", ["--json", "--limit", "2"]))) as ShownChange[];
    assert.deepEqual(
      log.map(({ key, before: was, after: is }) => [key, was, is]),
      [
        ["email.capMax", 5, null],
        ["email.capMax", null, 5],
      ],
    );
    assert.ok(log.every(({ by, at }) => by !== "" && at >= begun));
    assert.match(
      await done(run("log")),
      /^\d{4}-\d{2}-\d{2}T[\d:.]+Z {2}Ada Lovelace {2}email\.from {2}default -> Acme <news@acme\.example>$/m,
    );
  });

  it("takes a secret and never shows it", async () => {
    const changed = JSON.parse(await done(run("set", ["--json", `email.smtpUrl=${SMTP}`]))) as ShownChange[];
    assert.deepEqual(
      changed.map(({ key, before: was, after: is }) => [key, was, is]),
      [["email.smtpUrl", null, "set"]],
    );
    assert.equal(
      await done(run("set", ["email.webhookSecret=-"], "\ufeffhunter2\n")),
      "email.webhookSecret  default -> set\n",
    );
    assert.match(await done(run("get")), /^email\.smtpUrl +set$/m);
    assert.equal((await shown("email.webhookSecret"))["email.webhookSecret"]?.value, "set");
    assert.match(await done(run("log")), /email\.smtpUrl {2}default -> set$/m);
    assert.equal(await done(run("set", ["email.webhookSecret="])), "email.webhookSecret  set -> default\n");
  });

  it("sets all or nothing", async () => {
    const before = await shown();
    await refused(
      run("set", ["email.capHours=1", "email.capMax=many"]),
      /^email\.capMax must be a whole number from 0 to 1000\.$/m,
    );
    assert.deepEqual(await shown(), before);
  });

  it("refuses in one line, and never repeats what may be a password", async () => {
    const bad = "smtp://ada:hunter2@mail.example.com?connections=99";
    await refused(run("set", [`email.smtpUrl=${bad}`]), /^email\.smtpUrl must be smtp:\/\/.*\.$/m);
    await refused(run("set", ["email.smtpUrl", SMTP]), /^Argument 1 is not key=value\.$/m);
    await refused(
      run("set", [SMTP]),
      /^What is given is not a setting: "tidings settings get" lists them\.$/m,
    );
    await refused(run("set", ["=hunter2"]), /^Argument 1 is not key=value\.$/m);
    await refused(
      run("set", ["email.capMax=1", "email.capMax=2"]),
      /^Argument 2 sets its key a second time\.$/m,
    );
    await refused(run("set", ["email.from=-", "email.smtpUrl=-"], "hunter2"), /^Only one value can come/m);
    await refused(run("set", ["email.smtpUrl=-"]), /^Standard input is empty\.$/m);
    await refused(
      run("set", ["email.smtpUrl=-"], "h\0u\0"),
      /^Standard input must be UTF-8: this is UTF-16 or UTF-32\.$/m,
    );
    await refused(run("set", ["__proto__=hunter2"]), /^What is given is not a setting/m);
    await refused(run("set", ["email.nonsense=hunter2"]), /^email\.nonsense is not a setting/m);
    await refused(
      run("set", ["email.domainVerified=hunter2"]),
      /^email\.domainVerified must be true, false or a domain/m,
    );
    await refused(run("get", ["email.nonsense"]), /^There is no such setting/m);
    await refused(run("log", ["--limit", "0"]), /^error: .*must be a whole number from 1/m);
    await refused(run("set", ["--by", " ", "email.capMax=1"]), /^error: .*must be 1 to 80 characters/m);
    await refused(run("set"), /^error: missing required argument 'pairs'/m);
    await refused(tidings(["settings", "get", "--project", "prj_1"], env), /^There is no project prj_1: /m);
    const noProject = "00000000-0000-0000-0000-000000000000";
    for (const [verb, ...args] of [["get"], ["set", "email.capMax=1"], ["log"]])
      await refused(
        tidings(["settings", verb ?? "", "--project", noProject, ...args], env),
        /^There is no project 0000/m,
      );
  });

  it("sets what belongs to the organization, for its other projects too", async () => {
    const made = await tidings(["project", "create", "--name", "Blog", "--json"], env);
    const { projectId } = JSON.parse(made.stdout) as ProjectKeys;
    const pairs = ["org.spendCapUsd=500", "org.priceTiers=0.02 to 10000, 0.012"];
    assert.equal(
      await done(run("set", ["--by", "Ada", ...pairs])),
      "org.spendCapUsd  default -> 500\norg.priceTiers  default -> 0.02 to 10000, 0.012\n",
    );
    const get = await done(tidings(["settings", "get", "--project", projectId, "org.spendCapUsd"], env));
    assert.match(get, /^org\.spendCapUsd {2}500\n/);
    const usage = await createClient(server.url, keys.secretKey).getUsage();
    assert.deepEqual(
      [usage.spendCapUsd, usage.projects.map(({ name }) => name).includes("Blog")],
      [500, true],
    );
    await done(
      tidings(["settings", "set", "--project", projectId, "org.spendCapUsd=", "org.priceTiers="], env),
    );
    assert.equal((await shown("org.spendCapUsd"))["org.spendCapUsd"]?.value, null);
  });

  it("lets two sets at once both stand", async () => {
    await Promise.all([
      done(run("set", ["email.perMinute=100", "email.capMax=7"])),
      done(run("set", ["email.domainPerMinute=10", "email.capMax=8"])),
    ]);
    const now = await shown();
    assert.deepEqual([now["email.perMinute"]?.value, now["email.domainPerMinute"]?.value], [100, 10]);
    const log = JSON.parse(await done(run("log", ["--json"]))) as ShownChange[];
    const [last, first] = log.filter(({ key }) => key === "email.capMax");
    assert.deepEqual([last?.after, last?.before], [now["email.capMax"]?.value, first?.after]);
  });

  it("is nothing that an API key can do, and the agent only reads its own", async () => {
    const api = createClient(server.url, keys.secretKey);
    assert.deepEqual(
      Object.keys(api).filter((name) => /setting/i.test(name)),
      ["getAgentSettings"],
    );
    for (const method of ["GET", "PUT", "PATCH", "POST"]) {
      const answer = await fetch(`${server.url}/api/v1/settings`, {
        method,
        headers: { authorization: `Bearer ${keys.secretKey}` },
      });
      assert.equal(answer.status, 404);
    }
  });

  it("works without the server too, and leaves a house in order", async () => {
    const before = await shown();
    assert.equal((await stop(server)).code, 0);
    assert.deepEqual(await shown(), before);
    const doctor = await tidings(["doctor", "--json"], env);
    assert.equal(doctor.code, 0, doctor.stdout);
  });
});
