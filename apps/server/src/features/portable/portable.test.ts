import assert from "node:assert/strict";
import { hash } from "node:crypto";
import { after, before, describe, it } from "node:test";
import { assertNone } from "../../../test/contracts/complaints.ts";
import { setSettings } from "../../../test/email.ts";
import { feedback, launchCampaign, messagesOf } from "../../../test/factories.ts";
import { refusal, type TestProject, testHouse } from "../../../test/harness.ts";
import { observingStage } from "../../../test/observing.ts";
import { type SmtpPeer, startSmtp } from "../../../test/peers/smtp.ts";
import { hashOf, provingProject } from "../../../test/perimeter.ts";
import {
  answersOf,
  assertSameContent,
  countsOf,
  exportText,
  importText,
  livedProject,
} from "../../../test/portable.ts";
import { putCredential } from "../../../test/push.ts";
import { openBrowser } from "../../../test/visitors.ts";
import { exportedTables } from "../../domain/house-tables.ts";
import { FIRST_OCCASION } from "../../domain/ids.ts";
import { tables } from "../../features.ts";
import { createSecrets } from "../../platform/secrets/secrets.ts";
import { applyDeltas } from "../counting/rollups/public.ts";
import { exportProject } from "./export.ts";

const stage = await observingStage();
const there = testHouse({ apnsUrl: stage.apns.url });

/** A file of these lines, of which the first is its header. */
function fileOf(lines: readonly { type?: string }[]): string {
  const body = lines.map((line) => `${JSON.stringify(line)}\n`).join("");
  const counts: Record<string, number> = {};
  for (const { type = "" } of lines.slice(1)) counts[type] = (counts[type] ?? 0) + 1;
  return `${body}${JSON.stringify({ type: "end", counts, sha256: hash("sha256", body) })}\n`;
}

describe("export and import", () => {
  let smtp: SmtpPeer;
  let original: TestProject;
  let text: string;
  before(async () => {
    smtp = await startSmtp();
    original = await livedProject(stage, smtp);
    there.at(stage.house.now());
    text = await exportText(stage.house, original.projectId, true);
  });
  after(() => smtp.close());

  it("comes from a house in order, with something in every table", async () => {
    assert.deepEqual(await stage.house.differences(), {});
    const counts = countsOf(text);
    const empty = tables.filter((table) => "exported" in table && counts[table.name] === undefined);
    assertNone(
      empty.map(
        ({ name, owner }) =>
          `${name}: no row of it was exported. Let POST of an operation in features/${owner} make one, or make it in livedProject (test/portable.ts)`,
      ),
    );
  });

  it("makes the same project elsewhere: same content, same answers, in order", async () => {
    const { project, counts, paused } = await importText(there, text);
    assert.deepEqual(await there.differences(), {});
    assert.deepEqual(counts, countsOf(text));
    assert.ok(paused > 0);
    const ran = (await original.api.listCampaigns()).campaigns.filter(({ status }) => status === "running");
    const { campaigns } = await project.api.listCampaigns();
    const byImport = campaigns.filter(({ pausedBy }) => pausedBy?.by === "import");
    assert.deepEqual([byImport.length, byImport[0]?.pausedBy?.at], [ran.length, there.now()]);
    // The import has applied the deltas of the file; here they are applied before the two are compared.
    await applyDeltas(stage.house.tidings.app);
    const applied = await exportText(stage.house, original.projectId, true);
    assertSameContent(await exportText(there, project.projectId, true), applied);
    const [before, after] = [await answersOf(original), await answersOf(project)];
    for (const [index, answer] of after.entries()) assert.equal(answer, before[index]);
  });

  it("brings visitors: who became a user is that user, and who signs in later becomes one", async () => {
    const { project } = await importText(there, text);
    const eventsOf = async (id: string) => (await project.api.listUserEvents({ path: { id } })).events.length;
    await openBrowser(project, "new-user").track("looked", "after the move");
    assert.equal(await eventsOf("vera"), 3);
    const known = openBrowser(project, "known-user");
    const before = await eventsOf("bob");
    await known.track("paid", "paid after the move");
    assert.equal(await eventsOf("bob"), before + 1);
    await openBrowser(project, "only-there").signIn("wanda");
    assert.equal(await eventsOf("wanda"), 2);
    assert.equal((await project.api.getUser({ path: { id: "wanda" } })).user.traits.from, "only-there");
    // As in the project of before, what was sent already is not recorded again.
    await openBrowser(project, "only-there").track("looked", "only-there-looked");
    assert.equal(await eventsOf("wanda"), 2);
    assert.deepEqual(await there.differences(), {});
  });

  it("brings the imports that were brought in, with new ids, and leaves behind what was only tried or waits", async () => {
    const { imports: was } = await original.api.listImports();
    assert.equal(was.length, 4);
    const { project } = await importText(there, text);
    const { imports, total } = await project.api.listImports();
    assert.deepEqual([imports.length, total], [2, 2]);
    const [users, left] = imports;
    assert.deepEqual([users?.kind, users?.whoLeft], ["users", { importId: left?.id }]);
    assert.ok(imports.every(({ id }) => was.every((each) => each.id !== id)));
    const known = was.find(({ kind, isDryRun, state }) => kind === "users" && !isDryRun && state === "done");
    assert.deepEqual({ ...users, id: "", whoLeft: null }, { ...known, id: "", whoLeft: null });
    assert.deepEqual(
      users?.reasons.map(({ reason, count, firstLine }) => [reason, count, firstLine]),
      [["address", 1, 3]],
    );
    // The bytes and the single refusals were left behind.
    assert.deepEqual(users?.parts, []);
    const { rows } = await there.database.pool.query(
      "select count(*) as count from import_refusals where project_id = $1",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ count: 0 }]);
  });

  it("takes the file of an older version, with plans in tables of their own, and texts that shared a test", async () => {
    const UNKNOWN = ["control_id", "since_epoch", "event", "attribution_days"];
    const FORMER = {
      email_plans: { after: "email_sends", columns: { sweeps: "passes", next_sweep_at: "next_pass_at" } },
      push_plans: {
        after: "push_conversions",
        columns: {
          sweeps: "passes",
          next_sweep_at: "next_pass_at",
          reevaluated_at: "checked_at",
          reevaluate_at: "recheck_at",
        },
      },
    } as const;
    const lines = text
      .trimEnd()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line));
    // An older version did not say when a sweep was through its audience, nor how long it rests, which hangs on how long it took.
    for (const { row } of lines.filter(({ type }) => type === "campaign_sweeps"))
      Object.assign(row, { passed_at: null, rest_ms: 60_000 });
    const present = fileOf(lines);
    const channelOf = new Map(
      lines.filter(({ type }) => type === "campaigns").map(({ row }) => [row.id, row.channel]),
    );
    const sweeps = lines.filter(({ type }) => type === "campaign_sweeps").map(({ row }) => row);
    const [header, ...records] = lines.filter(({ type }) => type !== "campaign_sweeps");
    header.schema = "0042_links_of_campaigns.sql";
    delete header.tables.campaign_sweeps;
    header.tables.verdict_tests = header.tables.verdict_tests.filter(
      (name: string) => !UNKNOWN.includes(name),
    );
    for (const { row } of records.filter(({ type }) => type === "verdict_tests"))
      for (const name of UNKNOWN) {
        assert.ok(row[name], name);
        delete row[name];
      }
    for (const [name, { after: type, columns }] of Object.entries(FORMER)) {
      const was = new Map<string, string>(Object.entries(columns));
      const theirs = sweeps.filter((row) => channelOf.get(row.campaign_id) === name.replace("_plans", ""));
      assert.ok(theirs.length > 0, `there are ${name}`);
      const rows = theirs.map(
        ({ campaign_id, fault, fault_at, unconfirmed, closed_at, passed_at, rest_ms, ...row }) => ({
          campaign_id,
          fault,
          fault_at,
          ...(name === "email_plans" ? { unconfirmed } : { closed_at }),
          ...Object.fromEntries([...was].map(([column, older]) => [older, row[column]])),
        }),
      );
      header.tables[name] = Object.keys(rows[0] ?? {});
      const place = records.findLastIndex((record) => record.type === type) + 1;
      records.splice(place, 0, ...rows.map((row) => ({ type: name, row })));
    }
    const { project } = await importText(there, fileOf([header, ...records]));
    assert.deepEqual(await there.differences(), {});
    assertSameContent(
      await exportText(there, project.projectId, true),
      await exportText(there, (await importText(there, present)).project.projectId, true),
    );
  });

  const isSince = (table: string): boolean => table === "send_data" || table.startsWith("journey");

  it("takes a file from before tables and columns were renamed, and before deliveries had occasions", async () => {
    const lines = text
      .trimEnd()
      .split("\n")
      .slice(0, -1)
      .map((line) => JSON.parse(line))
      // Only receipts come again on later occasions. There were none, and no journeys.
      .filter(
        ({ type, row }) => !isSince(type ?? "") && (row?.occasion ?? FIRST_OCCASION) === FIRST_OCCASION,
      );
    for (const name of Object.keys(lines[0].tables)) if (isSince(name)) delete lines[0].tables[name];
    for (const { type, row } of lines)
      if (type === "campaigns") Object.assign(row, { journey_id: null, step_id: null });
    const present = fileOf(lines);
    const [header, ...records] = lines;
    header.schema = "0122_suppressions_in_order.sql";
    for (const names of Object.values<string[]>(header.tables))
      if (names.includes("occasion")) names.splice(names.indexOf("occasion"), 1);
    const RECEIPTS = ["receipts_stopped_at", "receipts_stopped_by"];
    header.tables.email_addresses = header.tables.email_addresses.filter(
      (name: string) => !RECEIPTS.includes(name),
    );
    const addresses = records.filter(({ type }) => type === "email_addresses");
    assert.ok(addresses.some(({ row }) => row.receipts_stopped_by !== null));
    for (const { row } of addresses) for (const name of RECEIPTS) delete row[name];
    const dated = records.filter(({ row }) => row.occasion !== undefined);
    assert.deepEqual(new Set(dated.map(({ row }) => row.occasion)), new Set([FIRST_OCCASION]));
    for (const { row } of dated) delete row.occasion;
    // Sweeps had two tables, which the test before this one is about.
    const renamed = exportedTables(tables).filter(({ formerly = {} }) => Object.keys(formerly).length === 1);
    for (const { name, formerly = {} } of renamed)
      for (const [type, columns] of Object.entries(formerly)) {
        const older = new Map(Object.entries(columns).map(([former, column]) => [column, former]));
        const names: string[] = header.tables[name].map((column: string) => older.get(column) ?? column);
        assert.notDeepEqual([type, names], [name, header.tables[name]]);
        delete header.tables[name];
        header.tables[type] = names;
        for (const record of records.filter((each) => each.type === name)) {
          const values = Object.entries(record.row);
          record.type = type;
          record.row = Object.fromEntries(
            values.map(([column, value]) => [older.get(column) ?? column, value]),
          );
        }
      }
    const { project } = await importText(there, fileOf([header, ...records]));
    assert.deepEqual(await there.differences(), {});
    assertSameContent(
      await exportText(there, project.projectId, true),
      await exportText(there, (await importText(there, present)).project.projectId, true),
    );
  });

  it("serves nobody again what they have done with, on the web, by mail or by push", async () => {
    const { project } = await importText(there, text);
    const { campaigns } = await project.api.listCampaigns();
    assert.deepEqual(
      campaigns.filter(({ status }) => status === "running"),
      [],
    );
    await there.drain();
    assert.deepEqual(await messagesOf(project, "bob", "/pricing"), []);
    const mails = smtp.taken.length;
    const pushes = stage.apns.taken.length;
    await setSettings(there, project, { "email.capMax": "0" });
    smtp.behave({});
    for (const { id, name, status } of campaigns)
      if (status === "paused" && !["Second mail", "Third mail", "News"].includes(name))
        await project.api.setCampaignStatus({ path: { id }, body: { action: "launch" } });
    const served = async ({ api, ...rest }: TestProject, userId: string) => {
      const names = new Map((await api.listCampaigns()).campaigns.map(({ id, name }) => [id, name]));
      const messages = await messagesOf({ api, ...rest }, userId, "/pricing");
      return messages.map(({ campaignId }) => names.get(campaignId));
    };
    for (const userId of ["bob", "cleo", "dora", "ünï", "somebody new"])
      assert.deepEqual(await served(project, userId), await served(original, userId), userId);
    assert.deepEqual(await served(project, "somebody new"), ["For everyone"]);
    assert.ok(!(await served(project, "dora")).includes("Pros on the web"), "she subscribed");
    await there.drain();
    there.advance(60_000);
    await there.drain();
    const mailed = smtp.taken.slice(mails).map(({ to }) => to.replace("@example.com", ""));
    assert.deepEqual(
      mailed.sort(),
      ["frida", "lea", "max", "mia"],
      "those who had not been mailed, and nobody else",
    );
    assert.equal(stage.apns.taken.length, pushes);
    assert.deepEqual(await there.differences(), {});
  });

  it("goes on where the old project was: feedback, events, devices", async () => {
    const { project } = await importText(there, text);
    const { id } = await launchCampaign(project, { name: "After the move" });
    const [message] = await messagesOf(project, "dora");
    await feedback(project, message?.deliveryId ?? "", "dora", "shown");
    await project.sdk.track({ body: { userId: "dora", event: "looked" } });
    assert.equal((await project.api.getCampaign({ path: { id } })).campaign.stats.shown, 1);
    await project.api.eraseUser({ path: { id: "dora" } });
    const { installations } = await project.api.listInstallations();
    assert.equal(installations.length, (await original.api.listInstallations()).installations.length);
    assert.deepEqual(await there.differences(), {});
  });

  it("makes a second project of a second import, and one beside the original", async () => {
    const before = await exportText(stage.house, original.projectId, true);
    const twice = [await importText(there, text), await importText(there, text, "Twice")];
    const beside = await importText(stage.house, text);
    const ids = new Set([...twice, beside].map(({ keys }) => keys.projectId));
    assert.equal(ids.size, 3);
    assert.deepEqual([twice[0]?.name, twice[1]?.name], ["Test", "Twice"]);
    assertSameContent(await exportText(stage.house, original.projectId, true), before);
    assert.deepEqual(await there.differences(), {});
    assert.deepEqual(await stage.house.differences(), {});
  });

  it("brings a refused token back with the next credential, and with the first one where none came along", async () => {
    const { projectId } = original;
    for (const [file, expectedRevision] of [
      [text, 1],
      [await exportText(stage.house, projectId), 0],
    ] as const) {
      const { project } = await importText(there, file);
      const petras = async () =>
        (await project.api.listInstallations({ query: { userId: "petra" } })).installations[0]?.hasToken;
      assert.equal(await petras(), false);
      await putCredential(project, stage.apns.credential, {}, expectedRevision);
      await there.drain();
      assert.equal(await petras(), true);
    }
    assert.deepEqual(await there.differences(), {});
  });

  it("leaves secrets out unless they are asked for, and says which", async () => {
    const without = await exportText(stage.house, original.projectId);
    const secret = `smtp://127.0.0.1:${smtp.port}`;
    assert.ok(text.includes(secret) && !without.includes(secret));
    assert.ok(text.includes("BEGIN PRIVATE KEY") && !without.includes("BEGIN PRIVATE KEY"));
    const { project, secrets } = await importText(there, without);
    assert.deepEqual(secrets, [
      "email.smtpUrl",
      "the DKIM key of acme.example",
      "the identity secret",
      "the push credential of com.example.app, ios, production",
    ]);
    assert.deepEqual(await there.differences(), {});
    const again = await exportText(there, project.projectId, true);
    assert.ok(!again.includes("smtp://"));
    assert.match(again, /"key":"email.smtpUrl","before":"set","after":null,"changed_by":"import"/);
  });

  it("asks nobody for a proof that nothing can judge", async () => {
    const { project: proving, secret } = await provingProject(stage.house);
    const proof = { userId: "ada", userHash: hashOf(secret, "ada") };
    const whole = await importText(there, await exportText(stage.house, proving.projectId, true));
    await whole.project.sdk.identify({ body: proof });
    assert.equal((await refusal(whole.project.sdk.identify({ body: { userId: "ada" } }))).status, 401);
    const without = await importText(there, await exportText(stage.house, proving.projectId));
    await without.project.sdk.identify({ body: { userId: "ada" } });
    assert.deepEqual(await there.differences(), {});
  });

  it("refuses to write secrets that cannot be opened here", async () => {
    const others = createSecrets(Buffer.alloc(32, "another key"));
    const { kysely } = stage.house.database;
    const exporting = { projectId: original.projectId, tables, withSecrets: true, now: 0 };
    await assert.rejects(
      exportProject(kysely, others, exporting, async () => undefined),
      /^PortableError: .* cannot be opened: it was sealed with another SECRET_KEY|^Error: .* cannot be opened/,
    );
  });

  it("writes one instant, whatever happens meanwhile", async () => {
    const { kysely } = stage.house.database;
    const { secrets } = stage.house.tidings.app;
    const exporting = { projectId: original.projectId, tables, withSecrets: true, now: stage.house.now() };
    const before = await exportText(stage.house, original.projectId, true);
    const parts: string[] = [];
    let meanwhile: Promise<unknown> | null = null;
    await exportProject(kysely, secrets, exporting, async (part) => {
      parts.push(part);
      meanwhile ??= original.sdk.track({ body: { userId: "late", event: "late" } });
      await meanwhile;
    });
    const written = parts.join("");
    assert.ok(parts.length > 1 && !written.includes('"late"'));
    assertSameContent(written, before);
  });
});
