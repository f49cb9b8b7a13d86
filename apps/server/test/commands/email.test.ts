import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { type Client, createClient } from "@tidings/client";
import pg from "pg";
import { uuidOf } from "../../src/domain/ids.ts";
import type { ProjectKeys } from "../../src/features/access/public.ts";
import type { UnknownSend } from "../../src/features/email/sending/public.ts";
import { embeddedAddress } from "../../src/platform/db/embedded/place.ts";
import { type SmtpPeer, startSmtp } from "../peers/smtp.ts";
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
  until,
} from "./spawned.ts";

const NO_ID = "00000000-0000-0000-0000-000000000000";

let env: Record<string, string>;
let server: Spawned;
let keys: ProjectKeys;
let other: ProjectKeys;
let smtp: SmtpPeer;
let database: pg.Client;

before(async () => {
  smtp = await startSmtp();
  const dataDir = await migratedDataDir();
  env = { DATA_DIR: dataDir, RATE_LIMITS: "off" };
  server = await serve(env);
  keys = keysOf(server);
  other = JSON.parse((await tidings(["project", "create", "--name", "Other", "--json"], env)).stdout);
  for (const { projectId } of [keys, other]) {
    const pairs = [
      "email.from=Acme <news@acme.example>",
      "email.postalAddress=1 Main Street",
      "email.domainVerified=true",
      "email.capMax=0",
      `email.smtpUrl=smtp://127.0.0.1:${smtp.port}`,
    ];
    assert.equal((await tidings(["settings", "set", "--project", projectId, ...pairs], env)).code, 0);
  }
  database = new pg.Client({ ...embeddedAddress(dataDir) });
  await database.connect();
});
after(async () => {
  await database.end();
  await smtp.close();
  assert.equal((await stop(server)).code, 0);
});
after(cleanUp);

const run = (verb: string, args: readonly string[], project = keys): Promise<Ended> =>
  tidings(["email", verb, "--project", project.projectId, ...args], env);

async function json<T>(ended: Promise<Ended>): Promise<T> {
  return JSON.parse(await done(ended)) as T;
}

const unknown = (project = keys): Promise<UnknownSend[]> => json(run("unknown", ["--json"], project));

let campaigns = 0;

/** A campaign for these people, of each of whose messages the server says nothing; answers its id and their deliveries. */
async function lose(
  users: readonly string[],
  project = keys,
): Promise<{ api: Client; id: string; deliveries: string[] }> {
  const api = createClient(server.url, project.secretKey);
  const sdk = createClient(server.url, project.publishableKey);
  const group = `group-${campaigns++}`;
  smtp.behave({ onMessage: () => "drop" });
  for (const userId of users)
    await sdk.identify({ body: { userId, traits: { email: `${userId}@example.com`, group } } });
  const { campaign } = await api.createCampaign({
    body: {
      name: `Spring \u001b[31msale ${group}`,
      channel: "email",
      launch: true,
      targeting: { traits: { group } },
      message: { subject: "Hello", body: "Hi" },
    },
  });
  const path = { id: campaign.id };
  await until(
    async () => (await api.getCampaignEmail({ path })).unknown === users.length,
    "all of them are unknown",
  );
  smtp.behave({});
  const { deliveries } = await api.listCampaignDeliveries({ path });
  return { api, id: campaign.id, deliveries: deliveries.map((each) => each.id) };
}

const accepted = async ({ api, id }: { api: Client; id: string }): Promise<number> =>
  (await api.getCampaignEmail({ path: { id } })).accepted;

describe("tidings email unknown and resend", () => {
  it("says so where there is none", async () => {
    assert.equal(await done(run("unknown", [])), "There is no message whose fate is unknown.\n");
    assert.deepEqual(await unknown(), []);
    assert.equal(await done(run("resend", ["--all"])), "There is no message whose fate is unknown.\n");
    assert.deepEqual(await json(run("resend", ["--all", "--json"])), { resent: 0, left: 0 });
  });

  it("lists them with what to do, and sends one again that a person chose", async () => {
    const lost = await lose(["ada", "ben"]);
    const sends = await unknown();
    const shown = sends.map(
      ({ address, externalUserId, campaignId }) => `${address} ${externalUserId} ${campaignId}`,
    );
    assert.deepEqual(
      shown.toSorted(),
      ["ada", "ben"].map((name) => `${name}@example.com ${name} ${lost.id}`),
    );
    const ada = sends.find(({ externalUserId }) => externalUserId === "ada") ?? assert.fail("ada");
    assert.ok(lost.deliveries.includes(ada.deliveryId));
    assert.ok(Math.abs(ada.attemptedAt - Date.now()) < 60_000);
    const text = await done(run("unknown", []));
    assert.match(text, /^2 messages left for a mail server that never said/);
    assert.ok(text.includes(ada.deliveryId) && text.includes("ada@example.com (user ada)"));
    assert.ok(text.includes("Spring ?[31msale") && !text.includes("\u001b"), text);
    assert.match(text, /not sent again by themselves.*\n(.*\n)*.*email resend --project .* --delivery del_/);
    const cut = await done(run("unknown", ["--limit", "1"]));
    assert.match(cut, /^The oldest 1 message left/);

    const taken = smtp.taken.length;
    const printed = await done(run("resend", ["--delivery", ada.deliveryId, "--by", "Grace"]));
    assert.equal(
      printed,
      "1 message queued again: sent once the campaign runs, as far as the cap allows it.\n",
    );
    await until(async () => (await accepted(lost)) === 1, "it was sent again");
    assert.deepEqual(
      smtp.taken.slice(taken).map(({ to }) => to),
      ["ada@example.com"],
    );
    assert.deepEqual(
      (await unknown()).map(({ externalUserId }) => externalUserId),
      ["ben"],
    );
    const { rows } = await database.query("select decided_by from email_resends");
    assert.deepEqual(rows, [{ decided_by: "Grace" }]);
    await refused(
      run("resend", ["--delivery", ada.deliveryId]),
      /^del_\S+ is not unknown: it is accepted\./m,
    );
  });

  it("lists and sends mail on a later occasion by an id of its own", async () => {
    const lost = await lose(["ivy"]);
    const [first = ""] = lost.deliveries;
    const campaignId = uuidOf("cmp", lost.id);
    // The same once more, on occasion 1: no campaign that is sent to an audience has one.
    for (const [table, columns] of [
      ["deliveries", "project_id, variant_id, epoch, state, queued_at"],
      ["email_sends", "project_id, status, due_at, begun, attempts, address_lane, address_key, reason"],
      ["email_attempts", "ordinal, project_id, lease_owner, started_at"],
      ["email_outcomes", "ordinal, project_id, kind, at, code, response"],
    ])
      await database.query(
        `insert into ${table} (lane, user_key, campaign_id, occasion, ${columns})
        select lane, user_key, campaign_id, 1, ${columns} from ${table} where campaign_id = $1`,
        [campaignId],
      );
    const ids = (await unknown()).flatMap(({ campaignId: id, deliveryId }) =>
      id === lost.id ? [deliveryId] : [],
    );
    const again = ids.find((id) => id !== first) ?? "";
    assert.deepEqual(new Set(ids), new Set([first, again]));
    assert.deepEqual([first.length, again.length], [47, 52]);
    assert.ok((await done(run("unknown", []))).includes(again));
    const taken = smtp.taken.length;
    await done(run("resend", ["--delivery", again]));
    await until(async () => (await accepted(lost)) === 1, "it was sent again");
    assert.equal(smtp.taken.length, taken + 1);
    assert.deepEqual(await json(run("resend", ["--delivery", first, "--json"])), { resent: 1, left: 0 });
    await until(async () => (await accepted(lost)) === 2, "the first one too");
  });

  it("sends all of a project again, and nothing of another one", async () => {
    const [mine, theirs] = [await lose(["cleo", "dan", "eve"]), await lose(["fay"], other)];
    assert.deepEqual(await json(run("resend", ["--all", "--json"])), { resent: 4, left: 0 });
    await until(async () => (await accepted(mine)) === 3, "they were sent again");
    assert.equal((await unknown(other)).length, 1);
    assert.deepEqual(await unknown(), []);
    await refused(
      run("resend", ["--delivery", theirs.deliveries[0] ?? ""]),
      /^del_\S+ is no email of this project\. Nothing is sent again\./m,
    );
  });

  it("sends all that are named, or none", async () => {
    const lost = await lose(["gus", "hal"]);
    const [first = "", second = ""] = lost.deliveries;
    const taken = smtp.taken.length;
    await refused(
      run("resend", ["--delivery", first, "--delivery", `del_${"A".repeat(43)}`]),
      /^del_AAA\S+ is no email of this project/m,
    );
    assert.equal((await unknown()).length, 2);
    assert.equal(smtp.taken.length, taken);
    const twice = ["--delivery", first, "--delivery", second, "--delivery", first, "--json"];
    assert.deepEqual(await json(run("resend", twice)), { resent: 2, left: 0 });
    await until(async () => (await accepted(lost)) === 2, "both were sent again");
    assert.equal(smtp.taken.length, taken + 2);
  });

  it("does it once, however many say so at the same time", async () => {
    const lost = await lose(["ida"]);
    const taken = smtp.taken.length;
    const args = ["--delivery", lost.deliveries[0] ?? ""];
    const ended = await Promise.all([run("resend", args), run("resend", args)]);
    assert.deepEqual(ended.map(({ code }) => code).sort(), [0, 1]);
    await until(async () => (await accepted(lost)) === 1, "it was sent again");
    assert.equal(smtp.taken.length, taken + 1);
  });

  it("leaves those whose campaign has ended, or whose user was erased", async () => {
    const [over, gone] = [await lose(["jan"]), await lose(["kim"])];
    await over.api.setCampaignStatus({ path: { id: over.id }, body: { action: "end" } });
    await refused(
      run("resend", ["--delivery", over.deliveries[0] ?? ""]),
      /^del_\S+ cannot leave again: its campaign has ended\. Nothing is sent again\./m,
    );
    await gone.api.eraseUser({ path: { id: "kim" } });
    const erased = (await unknown()).find(({ campaignId }) => campaignId === gone.id);
    assert.deepEqual([erased?.externalUserId, erased?.address], [null, null]);
    assert.match(await done(run("unknown", [])), /\(erased\) \(user \(erased\)\)/);
    await refused(
      run("resend", ["--delivery", erased?.deliveryId ?? ""]),
      /^del_\S+ has nobody to go to: its user was erased/m,
    );
    assert.equal(
      await done(run("resend", ["--all"])),
      "0 messages queued again: sent once the campaign runs, as far as the cap allows it. 2 messages left as before: the campaign has ended, or the user was erased.\n",
    );
  });

  it("refuses in one line what it cannot read", async () => {
    const nowhere = { ...keys, projectId: NO_ID };
    for (const verb of ["unknown", "suppressions"])
      await refused(run(verb, [], nowhere), /^There is no project 0000/m);
    await refused(run("resend", ["--all"], nowhere), /^There is no project 0000/m);
    for (const args of [[], ["--all", "--delivery", "del_x"]])
      await refused(run("resend", args), /^Say which: --delivery del_\.\.\. \(once or more\), or --all\.$/m);
    await refused(run("resend", ["--delivery", "\u001b[2J"]), /^\?\[2J is no email of this project/m);
    await refused(run("resend", ["--all", "--by", " "]), /must be 1 to 80 characters/);
    await refused(run("unknown", ["--limit", "0"]), /must be a whole number from 1 to 99999/);
    for (const verb of ["unknown", "resend", "suppressions", "suppress", "allow", "lift"]) {
      const { code, stdout } = await tidings(["email", verb, "--help"], {});
      assert.equal(code, 0);
      assert.match(stdout, new RegExp(`^Usage: tidings email ${verb} `));
    }
  });
});

describe("tidings email suppressions, suppress and allow", () => {
  type Listed = { address: string | null; reason: string; suppressedAt: number }[];
  const listed = (project = keys): Promise<Listed> => json(run("suppressions", ["--json"], project));
  const verdict = (verb: "suppress" | "allow", address: string, ...args: string[]): Promise<Ended> =>
    run(verb, ["--address", address, ...args]);

  it("stops mail to an address, and lets it leave again, with a trace of who did", async () => {
    assert.equal(await done(run("suppressions", [])), "Every address gets mail.\n");
    assert.equal(await done(run("suppressions", ["--log"])), "Nobody decided about an address yet.\n");
    const begun = Date.now();
    assert.equal(
      await done(verdict("suppress", " Lea@B\u00fccher.example", "--by", "Grace")),
      "Lea@xn--bcher-kva.example gets no mail any more.\n",
    );
    const [only, ...more] = await listed();
    assert.deepEqual([only?.address, only?.reason, more.length], ["Lea@xn--bcher-kva.example", "manual", 0]);
    assert.ok((only?.suppressedAt ?? 0) >= begun);
    assert.match(
      await done(run("suppressions", [])),
      /^\S+Z {2}manual +receipts: manual +Lea@xn--bcher-kva\.example\n$/,
    );
    assert.deepEqual(await listed(other), []);
    assert.equal(
      await done(verdict("suppress", "lea@xn--bcher-kva.example")),
      "lea@xn--bcher-kva.example got no mail before (manual): nothing changed.\n",
    );
    assert.deepEqual(await json(verdict("allow", "lea@b\u00fccher.example", "--by", "Joan", "--json")), {
      address: "lea@xn--bcher-kva.example",
      isSuppressed: false,
      before: "manual",
      changed: true,
    });
    assert.equal(
      await done(verdict("allow", "lea@b\u00fccher.example")),
      "lea@xn--bcher-kva.example was not suppressed: nothing changed.\n",
    );
    const log = await json<{ by: string; before: string | null; after: string | null }[]>(
      run("suppressions", ["--log", "--json"]),
    );
    assert.deepEqual(
      log.map(({ by, before, after }) => [by, before, after]),
      [
        ["Joan", "manual", null],
        ["Grace", null, "manual"],
      ],
    );
    assert.match(
      await done(run("suppressions", ["--log"])),
      /^\S+Z {2}Joan {2}Lea@xn--bcher-kva\.example {2}manual -> allowed\n\S+Z {2}Grace .* allowed -> manual\n$/,
    );
  });

  it("is honoured by the running server, which counts the address as suppressed", async () => {
    const api = createClient(server.url, keys.secretKey);
    const sdk = createClient(server.url, keys.publishableKey);
    await sdk.identify({ body: { userId: "max", traits: { email: "Max@example.com", only: "max" } } });
    await done(verdict("suppress", "max@example.com"));
    const test = (): Promise<unknown> =>
      api.sendTestEmail({ path: { id: draft.campaign.id }, body: { address: "max@example.com" } });
    const draft = await api.createCampaign({
      body: { name: "To Max", channel: "email", message: { subject: "Hello", body: "Hi" } },
    });
    await assert.rejects(test, /does not want email any more/);
    await done(verdict("allow", "max@example.com"));
    await test();
    assert.equal(smtp.taken.at(-1)?.to, "max@example.com");
  });

  it("cannot be rewritten", async () => {
    for (const statement of [
      "update suppression_changes set changed_by = 'x'",
      "delete from suppression_changes",
    ])
      await assert.rejects(database.query(statement), /appended, never changed/);
  });

  it("refuses in one line what is no address", async () => {
    for (const address of [
      "lea",
      "lea@",
      "lea@localhost",
      "a@b@c.example,",
      `${"x".repeat(5_000)}@a.example`,
    ])
      await refused(verdict("suppress", address), /^--address must be (an email address|at most 320)/m);
    await refused(run("allow", []), /required option '--address/);
  });
});

describe("tidings email lift", () => {
  const lift = (...args: string[]): Promise<Ended> => run("lift", args, other);
  const stoppedFor = async (): Promise<string[]> => {
    const all = await json<{ address: string; reason: string }[]>(run("suppressions", ["--json"], other));
    return all.map(({ address, reason }) => `${address} ${reason}`).sort();
  };

  it("lets mail leave again to all that were stopped for a reason within a time", async () => {
    const day = (date: string): number => Date.parse(`2026-03-${date}T12:00:00Z`);
    for (const [address, date, reason] of [
      ["before@example.com", "01", "bounced"],
      ["ada@example.com", "02", "bounced"],
      ["ben@example.com", "03", "bounced"],
      ["cleo@example.com", "03", "complained"],
      ["after@example.com", "04", "bounced"],
    ] as const) {
      await done(run("suppress", ["--address", address], other));
      await database.query(
        `update email_addresses set suppressed_by = $2, suppressed_at = $3,
          receipts_stopped_by = case when $2 = 'bounced' then 'bounced' end,
          receipts_stopped_at = case when $2 = 'bounced' then $3::int8 end
        where address = $1 and project_id = $4`,
        [address, reason, day(date), other.projectId],
      );
    }
    await done(run("suppress", ["--address", "dora@example.com"], other));
    const before = await stoppedFor();
    const chosen = ["--reason", "bounced", "--since", "2026-03-02", "--until", "2026-03-04T12:00Z"];
    assert.equal(
      await done(lift(...chosen, "--dry-run")),
      "2 addresses would get mail again. Nothing was changed.\n",
    );
    assert.deepEqual(await stoppedFor(), before);
    // Another project has none of them.
    assert.equal(await done(run("lift", chosen)), "0 addresses get mail again.\n");
    assert.equal(await done(lift(...chosen, "--by", "Ada")), "2 addresses get mail again.\n");
    assert.deepEqual(
      await stoppedFor(),
      before.filter((each) => !/^(ada|ben)@/.test(each)),
    );
    const log = await json<{ address: string; by: string; after: string | null }[]>(
      run("suppressions", ["--log", "--json"], other),
    );
    const lifted = log.filter(({ by, after }) => by === "Ada" && after === null);
    assert.deepEqual(lifted.map(({ address }) => address).sort(), ["ada@example.com", "ben@example.com"]);
    const answer = await json<object>(lift("--reason", "manual", "--since", "2026-03-01", "--json"));
    assert.partialDeepStrictEqual(answer, { reason: "manual", count: 1, lifted: true });
  });

  it("refuses in one line what it cannot read", async () => {
    await refused(lift("--reason", "bounced"), /required option '--since/);
    await refused(lift("--since", "2026-03-01"), /required option '--reason/);
    await refused(
      lift("--reason", "complained", "--since", "2026-03-01"),
      /Allowed choices are bounced, manual/,
    );
    for (const since of ["yesterday", "2026-13-01", "03/01/2026", "1"])
      await refused(lift("--reason", "bounced", "--since", since), /must be a date or a time/);
  });
});

it("leaves no differences behind", async () => {
  const { code, stdout } = await tidings(["doctor"], env);
  assert.equal(code, 0, stdout);
});
