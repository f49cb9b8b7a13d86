import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { testHouse } from "../../../test/harness.ts";
import { organization } from "../../../test/usage.ts";
import { settingGroups } from "../../features.ts";
import { createSecrets } from "../../platform/secrets/secrets.ts";
import { SettingError, type Settings } from "../../platform/settings/setting.ts";
import { agentSettings } from "../agent/evaluations/settings.pure.ts";
import { billingSettings } from "../counting/usage/settings.pure.ts";
import { emailSettings } from "../email/sender/settings.pure.ts";
import {
  changeSettings,
  listSettingChanges,
  listSettings,
  readOrganizationSettings,
  readSettings,
  type ShownChange,
} from "./public.ts";
import { settingsByKey } from "./rules.ts";

const house = testHouse();
const SMTP = "smtp://ada:hunter2@mail.example.com";

const ALL = Object.fromEntries(settingsByKey(settingGroups));
const DEFAULTS = Object.fromEntries(Object.entries(ALL).map(([key, { fallback }]) => [key, fallback]));

const newProject = async (): Promise<string> => (await house.project()).projectId;

const read = (projectId: string): Promise<Settings<typeof ALL>> =>
  readSettings(house.database.kysely, house.tidings.app.secrets, projectId, ALL);

const change = (projectId: string, changes: Record<string, string>, by = "ada"): Promise<ShownChange[]> =>
  house.database.kysely.transaction().execute((tx) =>
    changeSettings(tx, house.tidings.app.secrets, projectId, changes, {
      groups: settingGroups,
      by,
      now: house.now(),
    }),
  );

const log = (projectId: string): Promise<ShownChange[]> =>
  listSettingChanges(house.database.kysely, projectId);

/** The refusal of a call, which is one line and never contains a value. */
async function fault(call: Promise<unknown>): Promise<string> {
  try {
    await call;
  } catch (error) {
    assert.ok(error instanceof SettingError, String(error));
    assert.doesNotMatch(error.message, /hunter2|\n/);
    return error.message;
  }
  return assert.fail("The call was expected to fail, and did not.");
}

const configVersion = async (projectId: string): Promise<number> =>
  (
    await house.database.kysely
      .selectFrom("projects")
      .select("configVersion")
      .where("id", "=", projectId)
      .executeTakeFirstOrThrow()
  ).configVersion;

describe("readSettings", () => {
  it("answers every key at its default where nothing was set", async () => {
    assert.deepEqual(await read(await newProject()), DEFAULTS);
    assert.equal(DEFAULTS["email.capMax"], 3);
    assert.equal(DEFAULTS["email.capHours"], 24);
    assert.equal(DEFAULTS["email.provider"], "smtp");
  });

  it("answers what was set, with secrets in clear, and nothing of another project", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    await change(mine, {
      "email.from": "  Acme News <News@Acme.Example> ",
      "email.postalAddress": "1 Main St\\nSpringfield",
      "email.domainVerified": "true",
      "email.smtpUrl": SMTP,
      "email.provider": "postmark",
      "email.webhookSecret": "hunter2",
      "email.capMax": "0",
      "email.capHours": "720",
      "email.perMinute": "1000000",
      "email.trackOpens": "false",
    });
    assert.deepEqual(await read(mine), {
      ...DEFAULTS,
      "email.from": "Acme News <News@acme.example>",
      "email.postalAddress": "1 Main St\nSpringfield",
      "email.domainVerified": "acme.example",
      "email.smtpUrl": SMTP,
      "email.provider": "postmark",
      "email.webhookSecret": "hunter2",
      "email.capMax": 0,
      "email.capHours": 720,
      "email.perMinute": 1_000_000,
      "email.trackOpens": false,
    });
    assert.deepEqual(await read(other), DEFAULTS);
  });

  it("says which setting cannot be opened with another master key, and setting it again helps", async () => {
    const projectId = await newProject();
    await change(projectId, { "email.smtpUrl": SMTP, "email.capMax": "5" });
    const lost = createSecrets(Buffer.alloc(32, 9));
    const { kysely } = house.database;
    assert.match(
      await fault(readSettings(kysely, lost, projectId, ALL)),
      /^email\.smtpUrl cannot be opened: it was sealed with another SECRET_KEY, or altered since\. Set it again$/,
    );
    assert.equal(
      (await listSettings(kysely, settingGroups, projectId)).find(({ key }) => key === "email.smtpUrl")
        ?.value,
      "set",
    );
    await kysely.transaction().execute((tx) =>
      changeSettings(
        tx,
        lost,
        projectId,
        { "email.smtpUrl": SMTP },
        {
          groups: settingGroups,
          by: "ada",
          now: 1,
        },
      ),
    );
    assert.equal((await readSettings(kysely, lost, projectId, ALL))["email.smtpUrl"], SMTP);
  });

  it("fails no room for a setting of another one that cannot be opened", async () => {
    const projectId = await newProject();
    await change(projectId, { "agent.modelKey": "hunter2", "email.capMax": "5" });
    const lost = createSecrets(Buffer.alloc(32, 9));
    const { kysely } = house.database;
    assert.equal((await readSettings(kysely, lost, projectId, emailSettings))["email.capMax"], 5);
    assert.match(
      await fault(readSettings(kysely, lost, projectId, agentSettings)),
      /^agent\.modelKey cannot be opened/,
    );
  });

  it("does not open a secret that was moved to another project or key, or of which one bit changed", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    const table = () => house.database.kysely.updateTable("settings");
    for (const projectId of [mine, other])
      await change(projectId, { "email.smtpUrl": SMTP, "email.webhookSecret": "hunter2" });
    const sealedOf = async (projectId: string, key: string): Promise<Buffer> => {
      const row = await house.database.kysely
        .selectFrom("settings")
        .select("sealed")
        .where("projectId", "=", projectId)
        .where("key", "=", key)
        .executeTakeFirstOrThrow();
      return row.sealed ?? assert.fail("sealed");
    };
    const put = (sealed: Buffer) =>
      table().set({ sealed }).where("projectId", "=", mine).where("key", "=", "email.smtpUrl").execute();
    const original = await sealedOf(mine, "email.smtpUrl");
    assert.ok(!original.toString("latin1").includes("hunter2"));
    const altered = Buffer.from(original);
    altered[20] = (altered[20] ?? 0) ^ 1;
    for (const sealed of [
      await sealedOf(other, "email.smtpUrl"),
      await sealedOf(mine, "email.webhookSecret"),
      altered,
      original.subarray(0, 5),
      Buffer.alloc(0),
    ]) {
      await put(sealed);
      assert.match(await fault(read(mine)), /^email\.smtpUrl cannot be opened/);
    }
    await put(original);
    assert.equal((await read(mine))["email.smtpUrl"], SMTP);
  });

  it("says which kept value its rule takes no more", async () => {
    const projectId = await newProject();
    for (const value of ['"many"', "-1", "2000", "{}", "[3]", '""']) {
      await house.database.kysely
        .insertInto("settings")
        .values({ projectId, key: "email.capMax", value, updatedAt: 1 })
        .onConflict((conflict) => conflict.columns(["projectId", "key"]).doUpdateSet({ value }))
        .execute();
      assert.equal(
        await fault(read(projectId)),
        "email.capMax is kept as something it cannot be: set it again",
        value,
      );
    }
    // The doctor reports this setting: the test wrote it without a change in the log.
    assert.equal((await house.differences())["settings: each is what its last change left"], 1);
    await house.database.kysely.deleteFrom("settings").where("projectId", "=", projectId).execute();
  });

  it("passes over keys of a newer version", async () => {
    const projectId = await newProject();
    await house.database.kysely
      .insertInto("settings")
      .values({ projectId, key: "email.invented", value: "1", updatedAt: 1 })
      .execute();
    assert.deepEqual(await read(projectId), DEFAULTS);
    await house.database.kysely.deleteFrom("settings").where("projectId", "=", projectId).execute();
  });
});

describe("changeSettings", () => {
  it("answers what changed, raises the configuration version once, and does neither for what is the same", async () => {
    const projectId = await newProject();
    const before = await configVersion(projectId);
    const at = house.now();
    assert.deepEqual(await change(projectId, { "email.capMax": "5", "email.capHours": "48" }), [
      { key: "email.capMax", before: null, after: 5, by: "ada", at },
      { key: "email.capHours", before: null, after: 48, by: "ada", at },
    ]);
    assert.equal(await configVersion(projectId), before + 1);
    assert.deepEqual(await change(projectId, { "email.capMax": " 5 ", "email.perMinute": "" }), []);
    assert.equal(await configVersion(projectId), before + 1);
    assert.equal((await log(projectId)).length, 2);
  });

  it("clears to the default for an empty text", async () => {
    const projectId = await newProject();
    await change(projectId, { "email.capMax": "5", "email.smtpUrl": SMTP, "email.from": "a@b.example" });
    const cleared = await change(projectId, { "email.capMax": "", "email.smtpUrl": "", "email.from": "" });
    assert.deepEqual(
      cleared.map(({ key, before, after }) => [key, before, after]),
      [
        ["email.capMax", 5, null],
        ["email.smtpUrl", "set", null],
        ["email.from", "a@b.example", null],
      ],
    );
    assert.deepEqual(await read(projectId), DEFAULTS);
  });

  it("changes nothing when one of many is refused", async () => {
    const projectId = await newProject();
    const version = await configVersion(projectId);
    for (const bad of [
      { "email.capHours": "0" },
      { "email.nonsense": "1" },
      { "email.domainVerified": "true" },
    ]) {
      await fault(change(projectId, { "email.capMax": "5", "email.smtpUrl": SMTP, ...bad }));
    }
    assert.deepEqual(await read(projectId), DEFAULTS);
    assert.deepEqual(await log(projectId), []);
    assert.equal(await configVersion(projectId), version);
  });

  it("names a key that there is not, and does not repeat what cannot be one", async () => {
    const projectId = await newProject();
    const rule = 'is not a setting: "tidings settings get" lists them';
    for (const key of ["email.capmax", "email.nonsense"])
      assert.equal(await fault(change(projectId, { [key]: "1" })), `${key} ${rule}`);
    for (const key of [
      SMTP,
      "hunter2",
      "__proto__",
      "constructor",
      "toString",
      "",
      "email.a\nb",
      "x".repeat(9_999),
    ])
      assert.equal(await fault(change(projectId, { [key]: "1" })), `What is given ${rule}`);
  });

  it("refuses a project that there is not", async () => {
    const missing = "00000000-0000-0000-0000-000000000000";
    assert.equal(await fault(change(missing, { "email.capMax": "5" })), "There is no such project");
  });

  it("takes the domain of the sender, of the one that is set along with it first", async () => {
    const projectId = await newProject();
    assert.equal(
      await fault(change(projectId, { "email.domainVerified": "true" })),
      "email.domainVerified must name a domain while email.from is not set",
    );
    const verified = async (changes: Record<string, string>) => {
      await change(projectId, changes);
      return (await read(projectId))["email.domainVerified"];
    };
    assert.equal(await verified({ "email.from": "a@one.example" }), null);
    assert.equal(await verified({ "email.domainVerified": "true" }), "one.example");
    assert.equal(await verified({ "email.from": "a@two.example" }), "one.example");
    assert.equal(
      await verified({ "email.domainVerified": "true", "email.from": "a@three.example" }),
      "three.example",
    );
    assert.equal(await verified({ "email.domainVerified": "Bücher.Example" }), "xn--bcher-kva.example");
    assert.equal(await verified({ "email.domainVerified": "false" }), null);
    await verified({ "email.domainVerified": "true" });
    await fault(change(projectId, { "email.from": "", "email.domainVerified": "true" }));
    assert.equal((await read(projectId))["email.domainVerified"], "three.example");
  });

  it("lets two at once follow one another, each knowing what was before it", async () => {
    const projectId = await newProject();
    const version = await configVersion(projectId);
    const numbers = Array.from({ length: 12 }, (_, i) => i + 100);
    await Promise.all(
      numbers.map((n) => change(projectId, { "email.capMax": `${n}`, "email.smtpUrl": SMTP })),
    );
    const chain = (await log(projectId)).filter(({ key }) => key === "email.capMax").reverse();
    assert.deepEqual(
      chain.map(({ before }) => before),
      [null, ...chain.slice(0, -1).map(({ after }) => after)],
    );
    assert.deepEqual(chain.map(({ after }) => after).sort(), numbers);
    assert.equal((await read(projectId))["email.capMax"], chain.at(-1)?.after);
    assert.equal(await configVersion(projectId), version + numbers.length);
  });

  it("leaves no trace of a secret but that it was set", async () => {
    const projectId = await newProject();
    await change(projectId, { "email.smtpUrl": SMTP, "email.webhookSecret": "hunter2" });
    await change(projectId, { "email.smtpUrl": SMTP });
    await change(projectId, { "email.smtpUrl": "" });
    const entries = (await log(projectId)).map(({ key, before, after }) => [key, before, after]);
    assert.deepEqual(entries, [
      ["email.smtpUrl", "set", null],
      ["email.smtpUrl", "set", "set"],
      ["email.webhookSecret", null, "set"],
      ["email.smtpUrl", null, "set"],
    ]);
    const { rows } = await house.database.pool.query(
      "select s::text || c::text as t from settings s, setting_changes c",
    );
    assert.ok(rows.length > 0 && !JSON.stringify(rows).includes("hunter2"));
    assert.ok(
      !JSON.stringify(await listSettings(house.database.kysely, settingGroups, projectId)).includes(
        "hunter2",
      ),
    );
  });
});

describe("settings of an organization", () => {
  const ofOne = async (): Promise<[string, string]> => {
    const [one, two] = await organization(house, 2);
    return [one?.projectId ?? "", two?.projectId ?? ""];
  };
  const ofOrganization = async (projectId: string) => {
    const { kysely } = house.database;
    return (await readOrganizationSettings(kysely, projectId, billingSettings))?.settings;
  };

  it("are those of all its projects, of no other, and stand in the log of each", async () => {
    const [shop, blog] = await ofOne();
    const [stranger] = await ofOne();
    const version = await configVersion(shop);
    const set = { "org.spendCapUsd": "680", "org.billingStatus": "past_due" };
    const changed = await change(shop, set);
    assert.deepEqual(
      changed.map(({ key, before, after }) => [key, before, after]),
      [
        ["org.spendCapUsd", null, 680],
        ["org.billingStatus", null, "past_due"],
      ],
    );
    const expected = { ...DEFAULTS, "org.spendCapUsd": 680, "org.billingStatus": "past_due" };
    assert.deepEqual(await read(shop), expected);
    assert.deepEqual(await read(blog), expected);
    assert.deepEqual(await read(stranger), DEFAULTS);
    assert.equal((await ofOrganization(blog))?.["org.spendCapUsd"], 680);
    const shown = (await listSettings(house.database.kysely, settingGroups, blog)).find(
      ({ key }) => key === "org.spendCapUsd",
    );
    assert.deepEqual([shown?.value, shown?.isDefault, shown?.updatedAt], [680, false, house.now()]);
    assert.deepEqual(await log(blog), changed.toReversed());
    assert.deepEqual(await log(stranger), []);
    assert.equal(await configVersion(shop), version, "nothing that the feed compiles has changed");
    assert.deepEqual(await change(blog, { "org.spendCapUsd": " 680.00 " }), []);
    await change(blog, { "org.spendCapUsd": "", "org.billingStatus": "" });
    assert.deepEqual(await read(shop), DEFAULTS);
  });

  it("are changed together with those of a project, all or none, in one order", async () => {
    const [shop, blog] = await ofOne();
    await fault(change(shop, { "org.spendCapUsd": "5", "email.capMax": "many" }));
    await fault(
      change(shop, { "email.capMax": "5", "org.spendCapUsd": "5", "org.periodStart": "2026-01-15" }),
    );
    assert.deepEqual(await read(shop), DEFAULTS);
    await change(shop, {
      "email.capMax": "5",
      "org.periodStart": "2026-01-15",
      "org.periodEnd": "2026-02-15",
    });
    assert.deepEqual(
      (await log(shop)).map(({ key }) => key),
      ["org.periodEnd", "org.periodStart", "email.capMax"],
    );
    assert.deepEqual(
      (await log(blog)).map(({ key }) => key),
      ["org.periodEnd", "org.periodStart"],
    );
    assert.equal(
      await fault(change(blog, { "org.periodEnd": "2026-01-15" })),
      "org.periodEnd must be 1 to 400 days after org.periodStart",
    );
    assert.equal((await ofOrganization(shop))?.["org.periodEnd"], "2026-02-15T00:00:00.000Z");
  });

  it("follow one another when two projects change them at once", async () => {
    const projects = await ofOne();
    const caps = Array.from({ length: 12 }, (_, i) => i + 100);
    await Promise.all(
      caps.map((cap, i) =>
        change(projects[i % 2] ?? "", { "org.spendCapUsd": `${cap}`, "email.capMax": `${cap}` }),
      ),
    );
    const chain = (await log(projects[0])).filter(({ key }) => key === "org.spendCapUsd").reverse();
    assert.deepEqual(
      chain.map(({ before }) => before),
      [null, ...chain.slice(0, -1).map(({ after }) => after)],
    );
    assert.deepEqual(chain.map(({ after }) => after).sort(), caps);
    assert.equal((await ofOrganization(projects[1]))?.["org.spendCapUsd"], chain.at(-1)?.after);
  });
});

describe("the log of changes", () => {
  it("is newest first, of one project, as many as asked for", async () => {
    const [mine, other] = [await newProject(), await newProject()];
    for (const n of [1, 2, 3]) {
      house.advance(1_000);
      await change(mine, { "email.capMax": `${n}` }, `person ${n}`);
    }
    const newest = await listSettingChanges(house.database.kysely, mine, 2);
    assert.deepEqual(newest, [
      { key: "email.capMax", before: 2, after: 3, by: "person 3", at: house.now() },
      { key: "email.capMax", before: 1, after: 2, by: "person 2", at: house.now() - 1_000 },
    ]);
    assert.deepEqual(await log(other), []);
  });

  it("cannot be rewritten", async () => {
    await change(await newProject(), { "email.capMax": "5" });
    for (const statement of [
      "update setting_changes set changed_by = 'x'",
      "delete from setting_changes",
      "truncate setting_changes",
    ])
      await assert.rejects(
        house.database.pool.query(statement),
        /rows of setting_changes are appended, never changed/,
      );
  });

  it("explains every setting", async () => {
    assert.deepEqual(await house.differences(), {});
  });
});
