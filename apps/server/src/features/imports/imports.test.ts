import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { describe, it } from "node:test";
import { gzipSync } from "node:zlib";
import type { Answer } from "@tidings/client";
import { type Made, PART, type Start, startFile, uploadFile } from "../../../test/bringing.ts";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { usageOf } from "../../../test/usage.ts";
import { DAY_MS } from "../../platform/time/clock.ts";

const house = testHouse();

type Import = Answer<"getImport">["import"];

const blob = (bytes: string | Buffer): Blob => new Blob([new Uint8Array(Buffer.from(bytes))]);

const read = async ({ api }: TestProject, id: string): Promise<Import> =>
  (await api.getImport({ path: { id } })).import;

const start = (project: TestProject, id: string, body?: Start): Promise<Import> =>
  startFile(house, project, id, body);

const bring = async (
  project: TestProject,
  file: string | Buffer,
  made: Made,
  body: Start = {},
): Promise<Import> => start(project, await uploadFile(project, file, made), body);

const counts = ({ state, lines, written, known, refused }: Import) => ({
  state,
  lines,
  written,
  known,
  refused,
});
const done = (lines: number, written: number, known = 0, refused = 0) => ({
  state: "done",
  lines,
  written,
  known,
  refused,
});

/** The status and the reason of a refusal. */
async function conflictOf(call: Promise<unknown>): Promise<[number, unknown]> {
  const { status, body } = await refusal(call);
  return [status, (body as { reason?: unknown }).reason];
}

const reasonsOf = ({ reasons }: Import) =>
  reasons.map(({ reason, field, count, firstLine }) => [reason, field, count, firstLine]);

async function refusalsOf({ secretKey }: TestProject, id: string): Promise<string[]> {
  const answer = await fetch(`${house.url}/api/v1/imports/${id}/refusals`, {
    headers: { authorization: `Bearer ${secretKey}` },
  });
  assert.equal(answer.status, 200);
  // A text would be without the mark that a table begins with.
  return Buffer.from(await answer.arrayBuffer())
    .toString()
    .trimEnd()
    .split("\r\n");
}

/** All that a project has of users and what they did, as it lies in the database. */
async function everything({ projectId }: TestProject): Promise<unknown> {
  const rows: unknown[] = [];
  for (const table of ["users", "events", "event_counts", "email_addresses", "suppression_changes"]) {
    const found = await house.database.pool.query(
      `select '${table}' as table, xmin, to_jsonb(t) as row from ${table} t where project_id = $1 order by to_jsonb(t)::text`,
      [projectId],
    );
    rows.push(...found.rows);
  }
  return rows;
}

const assertSound = async ({ projectId }: TestProject) =>
  assert.deepEqual(await house.differences(projectId), {});

const PEOPLE = `id,email,first_name,plan,seats,zip,created_at,unsubscribed
1,ada@example.com,Ada,pro,3,01234,2024-05-01T10:00:00Z,false
2,bob@example.com,Bob,free,1,10115,1700000000,true
3,not an address,Cleo,free,2,80331,2024-05-01,false
4,dora@example.com,"Dora, the
second",,,,,
`;

describe("a file of users", () => {
  it("gives them traits, from when they were seen first, and makes nobody active", async () => {
    const project = await house.project();
    const before = (await usageOf(project)).activeUsers;
    const brought = await bring(project, PEOPLE, { kind: "users" });
    assert.deepEqual(counts(brought), done(4, 3, 0, 1));
    const { user } = await project.api.getUser({ path: { id: "1" } });
    assert.deepEqual(user.traits, {
      email: "ada@example.com",
      first_name: "Ada",
      plan: "pro",
      seats: 3,
      zip: "01234",
    });
    assert.equal(user.firstSeenAt, Date.UTC(2024, 4, 1, 10));
    assert.deepEqual(
      (await project.api.getUser({ path: { id: "4" } })).user.traits,
      { email: "dora@example.com", first_name: "Dora, the\nsecond" },
      "empty cells say nothing",
    );
    assert.deepEqual(reasonsOf(brought), [["address", "email", 1, 4]]);
    assert.deepEqual(await refusalsOf(project, brought.id), [
      "\ufeffline,field,rule,text",
      "4,email,address,email is not an email address.",
    ]);
    assert.equal((await usageOf(project)).activeUsers, before);
    await assertSound(project);
  });

  it("changes nothing the second time, and only what is new the third time", async () => {
    const project = await house.project();
    await bring(project, PEOPLE, { kind: "users" });
    const before = await everything(project);
    house.advance(DAY_MS);
    assert.deepEqual(counts(await bring(project, PEOPLE, { kind: "users" })), done(4, 0, 3, 1));
    assert.deepEqual(await everything(project), before);
    const changed = PEOPLE.replace(",pro,", ",team,");
    assert.deepEqual(counts(await bring(project, changed, { kind: "users" })), done(4, 1, 2, 1));
    assert.equal((await project.api.getUser({ path: { id: "1" } })).user.traits.plan, "team");
    await assertSound(project);
  });

  it("keeps what it does not say, and belongs to the server", async () => {
    const project = await house.project();
    await project.sdk.identify({ body: { userId: "1", traits: { color: "red", plan: "free" } } });
    const { firstSeenAt, lastSeenAt } = (await project.api.getUser({ path: { id: "1" } })).user;
    await bring(project, PEOPLE, { kind: "users" });
    const { user } = await project.api.getUser({ path: { id: "1" } });
    assert.deepEqual([user.traits.color, user.traits.plan], ["red", "pro"]);
    assert.ok(user.firstSeenAt < firstSeenAt);
    assert.equal(user.lastSeenAt, lastSeenAt);
    const { ignored } = await project.sdk.identify({ body: { userId: "1", traits: { plan: "free" } } });
    assert.deepEqual(ignored, ["plan"]);
  });

  it("merges lines of one user, and takes none of those that would have too many traits", async () => {
    const project = await house.project();
    const wide = (from: number) => {
      const traits = Object.fromEntries(Array.from({ length: 150 }, (_, i) => [`t${from + i}`, i]));
      return JSON.stringify({ userId: "wide", ...traits });
    };
    const lines = ['{"userId":"ann","a":1}', '{"userId":"ann","b":2,"a":3}', wide(0), wide(100)];
    const brought = await bring(
      project,
      lines.join("\n"),
      { kind: "users", name: "people.ndjson" },
      {
        mapping: {
          userId: "userId",
          traits: [
            ...["a", "b"].map((name) => ({ column: name, as: name, type: "number" as const })),
            ...Array.from({ length: 250 }, (_, i) => ({
              column: `t${i}`,
              as: `t${i}`,
              type: "number" as const,
            })),
          ],
        },
      },
    );
    assert.deepEqual(counts(brought), done(4, 2, 0, 2));
    assert.deepEqual(reasonsOf(brought), [["too_many_traits", "", 2, 3]]);
    assert.deepEqual((await project.api.getUser({ path: { id: "ann" } })).user.traits, { a: 3, b: 2 });
    assert.equal((await refusal(project.api.getUser({ path: { id: "wide" } }))).status, 404);
    await assertSound(project);
  });
});

describe("who left", () => {
  it("gets no mail: in the transaction of their user, also where their line is refused", async () => {
    const project = await house.project();
    const file = `id,email,plan,unsubscribed
1,ada@example.com,pro,no
2,bob@example.com,pro,yes
undefined,cleo@example.com,pro,yes
`;
    const brought = await bring(project, file, { kind: "users", name: "people.csv" });
    assert.deepEqual(counts(brought), done(3, 2, 0, 1));
    const { addresses } = await suppressed(project);
    assert.deepEqual(addresses, [
      ["bob@example.com", "unsubscribed"],
      ["cleo@example.com", "unsubscribed"],
    ]);
    await assertSound(project);
  });

  it("asks where they are, where the file does not say it, and takes nothing but an import that brought them", async () => {
    const project = await house.project();
    const file = "id,email\n1,ada@example.com\n2,bob@example.com\n";
    const id = await uploadFile(project, file, { kind: "users" });
    const { api } = project;
    assert.equal((await api.lookAtImport({ path: { id }, body: {} })).needsLeavers, true);
    assert.deepEqual(await conflictOf(api.startImport({ path: { id }, body: {} })), [
      409,
      "who_left_missing",
    ]);
    assert.deepEqual(
      counts(await start(project, id, { dryRun: true })),
      done(2, 2),
      "to try it needs no answer",
    );
    for (const importId of [
      "imp_x",
      id,
      (await uploadFile(project, "email\n", { kind: "suppressions" })).toString(),
    ]) {
      const { status, error } = await refusal(
        api.startImport({ path: { id }, body: { whoLeft: { importId } } }),
      );
      assert.deepEqual([status, error.startsWith("whoLeft.importId ")], [400, true], error);
    }
    const left = await bring(project, "email,reason\nBob@Example.com,bounced\n", { kind: "suppressions" });
    assert.deepEqual(counts(left), done(1, 1));
    const brought = await start(project, id, { whoLeft: { importId: left.id } });
    assert.deepEqual([brought.whoLeft, brought.written], [{ importId: left.id }, 2]);
    assert.deepEqual((await suppressed(project)).addresses, [["Bob@example.com", "bounced"]]);
  });

  it("only ever becomes stronger, names its file, and leaves what people let through since then", async () => {
    const project = await house.project();
    const left = (reason: string, at: number) =>
      `email,reason,suppressedAt\nada@example.com,${reason},${new Date(at).toISOString()}\n`;
    const bringLeft = (file: string) => bring(project, file, { kind: "suppressions", name: "left.csv" });
    const day = house.now() - 10 * DAY_MS;
    assert.deepEqual(counts(await bringLeft(left("unsubscribed", day))), done(1, 1));
    assert.deepEqual(counts(await bringLeft(left("complained", day + 1))), done(1, 1));
    assert.deepEqual(counts(await bringLeft(left("unsubscribed", day + 2))), done(1, 0, 1));
    const { addresses, changes } = await suppressed(project);
    assert.deepEqual(addresses, [["ada@example.com", "complained"]]);
    assert.deepEqual(changes, [
      [null, "unsubscribed", "import of left.csv"],
      ["unsubscribed", "complained", "import of left.csv"],
    ]);
    await house.database.pool.query(
      `update email_addresses set suppressed_at = null, suppressed_by = null, receipts_stopped_at = null, receipts_stopped_by = null,
        allowed_at = $2 where project_id = $1`,
      [project.projectId, house.now()],
    );
    assert.deepEqual(
      counts(await bringLeft(left("complained", day + 1))),
      done(1, 0, 1),
      "let through after that day",
    );
    house.advance(DAY_MS);
    assert.deepEqual(counts(await bringLeft(left("complained", house.now() - 1))), done(1, 1));
  });
});

async function suppressed({ projectId }: TestProject) {
  const { pool } = house.database;
  const addresses = await pool.query<{ address: string; by: string }>(
    "select address, suppressed_by as by from email_addresses where project_id = $1 and suppressed_at is not null order by address",
    [projectId],
  );
  const changes = await pool.query<{ before: string | null; after: string; by: string }>(
    "select before, after, changed_by as by from suppression_changes where project_id = $1 order by id",
    [projectId],
  );
  return {
    addresses: addresses.rows.map(({ address, by }) => [address, by]),
    changes: changes.rows.map(({ before, after, by }) => [before, after, by]),
  };
}

describe("a file of events", () => {
  const history = (now: number) => `id,event,timestamp,message_id,amount
ada,paid,${new Date(now - 1_000).toISOString()},m1,10
ada,paid,${Math.floor((now - 400 * DAY_MS) / 1_000)},m2,20
bob,looked,2024-02-30 10:00:00,m3,
bob,looked,2024-02-28 10:00:00,,1
bob,looked,2024-02-28 10:00:00,,1
ada,paid,${new Date(now - 1_000).toISOString()},m1,11
cleo,paid,${new Date(now - 4_000 * DAY_MS).toISOString()},m4,1
`;

  it("is history: it counts, converts, and makes nobody active; the second time nothing changes", async () => {
    const project = await house.project();
    const { goal } = await project.api.createGoal({ body: { name: "Paid", targetEvent: "paid" } });
    await launchCampaign(project, { goalId: goal.id });
    const [message] = await messagesOf(project, "ada");
    await feedback(project, message?.deliveryId ?? "", "ada", "shown");
    const { activeUsers } = await usageOf(project);
    house.advance(5_000);
    const file = history(house.now());
    const tried = await bring(project, file, { kind: "events" }, { dryRun: true });
    assert.deepEqual(counts(tried), done(7, 3, 1, 3));
    const brought = await bring(project, file, { kind: "events" });
    assert.deepEqual(counts(brought), done(7, 3, 1, 3));
    assert.deepEqual(
      reasonsOf(brought).map(([reason, field, , line]) => [reason, field, line]),
      [
        ["time", "timestamp", 4],
        ["event_id", "", 7],
        ["too_old", "timestamp", 8],
      ],
    );
    assert.equal((await usageOf(project)).activeUsers, activeUsers);
    const { events } = await project.api.listUserEvents({ path: { id: "ada" } });
    assert.deepEqual(
      events.map(({ name, props }) => [name, props?.amount]),
      [
        ["paid", 10],
        ["paid", 20],
      ],
    );
    await house.drain();
    const { campaigns } = await project.api.listCampaigns();
    assert.equal(campaigns[0]?.stats.converted, 1);
    await assertSound(project);
    const before = await everything(project);
    assert.deepEqual(counts(await bring(project, file, { kind: "events" })), done(7, 0, 4, 3));
    assert.deepEqual(await everything(project), before);
    const lines = await bring(project, file, { kind: "events" }, { options: { same: "line" } });
    assert.deepEqual(counts(lines), done(7, 2, 2, 3), "each of two equal lines is one");
    await assertSound(project);
  });

  it("finds users by their address, where that is of one", async () => {
    const project = await house.project();
    for (const [userId, email] of [
      ["1", "Ada@example.com"],
      ["2", "two@example.com"],
      ["3", "two@example.com"],
    ])
      await project.api.identify({ body: { userId: userId ?? "", traits: { email } } });
    const file = `email,event,time
ada@example.com,paid,2026-01-01
two@example.com,paid,2026-01-01
who@example.com,paid,2026-01-01
`;
    const brought = await bring(project, file, { kind: "events" });
    assert.deepEqual(brought.options.id, "match");
    assert.deepEqual(counts(brought), done(3, 1, 0, 2));
    assert.deepEqual(reasonsOf(brought), [
      ["two_users", "email", 1, 3],
      ["no_user", "email", 1, 4],
    ]);
    assert.equal((await project.api.listUserEvents({ path: { id: "1" } })).events.length, 1);
  });
});

describe("an upload", () => {
  it("takes parts in any order, each again, and no other bytes in its place", async () => {
    const project = await house.project();
    const { api } = project;
    const lines = Array.from({ length: 60_000 }, (_, i) => `user-${i},${"x".repeat(80)}${i}`);
    const file = Buffer.from(`id,note\n${lines.join("\n")}\n`);
    assert.ok(file.length > PART);
    const sha256 = hash("sha256", file);
    const body = { kind: "users", name: "large.csv", bytes: file.length, sha256 } as const;
    const { import: begun } = await api.createImport({ body });
    const put = (n: number, bytes: Buffer) =>
      api.uploadImportPart({ path: { id: begun.id, n }, file: blob(bytes) });
    await put(2, file.subarray(PART));
    assert.deepEqual(await conflictOf(api.lookAtImport({ path: { id: begun.id }, body: {} })), [
      409,
      "no_parts",
    ]);
    assert.deepEqual(await conflictOf(api.startImport({ path: { id: begun.id }, body: {} })), [
      409,
      "incomplete",
    ]);
    await put(2, file.subarray(PART));
    assert.deepEqual(await conflictOf(put(2, Buffer.from("other"))), [409, "part_differs"]);
    const { import: again } = await api.createImport({ body });
    assert.deepEqual([again.id, again.parts], [begun.id, [2]]);
    await put(1, file.subarray(0, PART));
    const brought = await start(project, begun.id);
    assert.deepEqual(counts(brought), done(60_000, 60_000));
    assert.deepEqual([brought.bytes, brought.bytesRead, brought.parts], [file.length, file.length, []]);
    assert.deepEqual(await conflictOf(put(3, Buffer.from("x"))), [409, "started"]);
    assert.deepEqual(await conflictOf(api.startImport({ path: { id: begun.id }, body: {} })), [409, "ended"]);
    await assertSound(project);
  });

  it("does not start with other bytes than were announced, nor with a part that is too small", async () => {
    const { api } = await house.project();
    const file = "id\n1\n";
    const begin = async (body: Partial<Made>) =>
      (await api.createImport({ body: { kind: "users", name: "a.csv", ...body } })).import.id;
    const reasonOf = async (id: string) => (await conflictOf(api.startImport({ path: { id }, body: {} })))[1];
    for (const body of [{ bytes: 6 }, { sha256: hash("sha256", "other") }]) {
      const id = await begin(body);
      await api.uploadImportPart({ path: { id, n: 1 }, file: blob(file) });
      assert.equal(await reasonOf(id), "incomplete");
    }
    const id = await begin({});
    for (const n of [1, 2]) await api.uploadImportPart({ path: { id, n }, file: blob(file) });
    assert.equal(await reasonOf(id), "incomplete");
  });

  it("says in a sentence what cannot be read", async () => {
    const project = await house.project();
    const files: [Buffer, RegExp][] = [
      [Buffer.from("PK\u0003\u0004 and more"), /Excel|zip/i],
      [Buffer.from("\ufeffid,email\n", "utf16le"), /UTF-16/],
      [Buffer.from("id,name\n1,Zo\xeb\n", "latin1"), /UTF-8/],
      [gzipSync(Buffer.from("id\n1\n")).subarray(0, 15), /gzip|packed/i],
    ];
    for (const [file, says] of files) {
      const id = await uploadFile(project, file, { kind: "users" });
      const { status, error } = await refusal(project.api.lookAtImport({ path: { id }, body: {} }));
      assert.equal(status, 400);
      assert.match(error, says);
    }
  });
});

describe("a start", () => {
  it("tries a file without writing, and brings it in as it was tried", async () => {
    const project = await house.project();
    const id = await uploadFile(project, PEOPLE, { kind: "users" });
    const before = await everything(project);
    const tried = await start(project, id, { dryRun: true });
    assert.deepEqual([counts(tried), tried.isDryRun], [done(4, 3, 0, 1), true]);
    assert.deepEqual(await everything(project), before);
    const brought = await start(project, id);
    assert.deepEqual([counts(brought), brought.isDryRun], [done(4, 3, 0, 1), false]);
    assert.deepEqual(
      counts(await bring(project, PEOPLE, { kind: "users" }, { dryRun: true })),
      done(4, 0, 3, 1),
    );
  });

  it("names the field of a mapping that does not fit", async () => {
    const project = await house.project();
    const id = await uploadFile(project, PEOPLE, { kind: "users" });
    const faults: [Start, RegExp][] = [
      [{ mapping: { userId: "nobody" } }, /^mapping\.userId /],
      [{ mapping: { email: "email" } }, /mapping\.userId/],
      [{ mapping: { userId: "id", event: "plan" } }, /mapping\.event/],
      [{ options: { timeZone: "Mars/Base" } }, /timeZone/],
      [{ mapping: { userId: 1 } as never }, /mapping\.userId/],
      [{ whoLeft: "everybody" as never }, /whoLeft/],
    ];
    for (const [body, says] of faults) {
      const { status, error } = await refusal(project.api.startImport({ path: { id }, body }));
      assert.equal(status, 400, error);
      assert.match(error, says);
    }
    assert.equal((await read(project, id)).state, "waiting");
  });

  it("runs one file of a project at a time, which can be stopped and goes on", async () => {
    const project = await house.project();
    const { api } = project;
    const [one, two] = [
      await uploadFile(project, "id\n1\n", { kind: "users" }),
      await uploadFile(project, "id\n2\n", { kind: "users" }),
    ];
    await api.startImport({ path: { id: one }, body: {} });
    for (const call of [
      () => api.startImport({ path: { id: two }, body: {} }),
      () => api.startImport({ path: { id: one }, body: {} }),
      () => api.deleteImport({ path: { id: one } }),
    ]) {
      assert.deepEqual(await conflictOf(call()), [409, "running"]);
    }
    await api.stopImport({ path: { id: one } });
    assert.deepEqual(await conflictOf(api.stopImport({ path: { id: one } })), [409, "not_running"]);
    await house.drain();
    assert.deepEqual(counts(await read(project, one)), { ...done(0, 0), state: "stopped" });
    assert.deepEqual(counts(await start(project, two)), done(1, 1));
    assert.deepEqual(counts(await start(project, one)), done(1, 1));
    await api.deleteImport({ path: { id: two } });
    assert.equal((await refusal(api.getImport({ path: { id: two } }))).status, 404);
    assert.deepEqual(
      (await api.listImports()).imports.map(({ id }) => id),
      [one],
    );
  });

  it("is for approvers and the secret key, and finds no file of another project", async () => {
    const [project, other] = [await house.project(), await house.project()];
    const id = await uploadFile(project, "id\n1\n", { kind: "users" });
    assert.equal((await refusal(project.agent.startImport({ path: { id }, body: {} }))).status, 403);
    assert.equal((await project.agent.getImport({ path: { id } })).import.id, id);
    for (const call of [
      () => other.api.getImport({ path: { id } }),
      () => other.api.lookAtImport({ path: { id }, body: {} }),
      () => other.api.startImport({ path: { id }, body: {} }),
      () => other.api.stopImport({ path: { id } }),
      () => other.api.deleteImport({ path: { id } }),
      () => other.api.uploadImportPart({ path: { id, n: 1 }, file: blob("x") }),
    ])
      assert.equal((await refusal(call())).status, 404);
  });
});

describe("the bytes of a file", () => {
  it("are deleted a week after nothing was done with it", async () => {
    const project = await house.project();
    const id = await uploadFile(project, "id\n1\n", { kind: "users" });
    await start(project, id, { dryRun: true });
    house.advance(6 * DAY_MS);
    await house.drain();
    assert.deepEqual((await read(project, id)).parts, [1]);
    house.advance(2 * DAY_MS);
    await house.drain();
    const { parts, state, fault } = await read(project, id);
    assert.deepEqual([parts, state], [[], "failed"]);
    assert.match(fault ?? "", /7 days/);
    assert.deepEqual(await conflictOf(project.api.startImport({ path: { id }, body: {} })), [
      409,
      "incomplete",
    ]);
  });
});
