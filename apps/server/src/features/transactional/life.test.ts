import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { people, sendingProject, setSettings } from "../../../test/email.ts";
import { type TestProject, testHouse } from "../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../test/peers/smtp.ts";
import { receiptTemplate, rowsOf, sendReceipt } from "../../../test/requested-receipts.ts";
import { parseDeliveryId } from "../../domain/ids.ts";
import { createSecrets } from "../../platform/secrets/secrets.ts";
import { DAY_MS } from "../../platform/time/clock.ts";
import { openRequest } from "./sealing.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => {
  smtp.behave({});
  await house.drain();
  smtp.taken.length = 0;
  assert.deepEqual(await house.differences(), {});
});

const read = async ({ api }: TestProject, id: string) => (await api.getSend({ path: { id } })).send;
const act = ({ api }: TestProject, id: string, action: "launch" | "pause" | "end") =>
  api.setCampaignStatus({ path: { id }, body: { action } });
const mails = (): string[] => smtp.taken.map(({ raw }) => raw.toString("latin1"));
const receipt = async () => {
  const project = await sendingProject(house, smtp.port);
  return { project, template: await receiptTemplate(project) };
};

describe("a receipt that waits", () => {
  it("leaves with the text that its template has then", async () => {
    const { project, template } = await receipt();
    const { id } = await sendReceipt(project);
    const { id: variant = "" } = template.variants[0] ?? {};
    await project.api.updateCampaign({
      path: { id: template.id },
      body: { variants: [{ id: variant, message: { subject: "New {{ data.number }}", body: "Now" } }] },
    });
    await house.drain();
    assert.match(mails()[0] ?? "", /^Subject: New A-1\r$/m);
    assert.equal((await read(project, id)).subject, "Receipt A-1");
  });

  it("fails with the path where the new text needs what its data lacks", async () => {
    const { project, template } = await receipt();
    const { id } = await sendReceipt(project);
    const { id: variant = "" } = template.variants[0] ?? {};
    await project.api.updateCampaign({
      path: { id: template.id },
      body: { variants: [{ id: variant, message: { subject: "{{ data.other.name }}", body: "Now" } }] },
    });
    await house.drain();
    const { state, reason, attempts } = await read(project, id);
    assert.equal(state, "failed");
    assert.match(reason ?? "", /data\.other\.name/);
    assert.deepEqual([attempts, mails()], [[], []]);
  });

  it("fails where it names a trait that its user has no more", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project, { message: { subject: "Hello {{ user.name }}", body: "Hi" } });
    const { api } = project;
    await api.identify({ body: { userId: "ada", traits: { email: "ada@example.com", name: "Ada" } } });
    const { id } = await sendReceipt(project, { to: { userId: "ada" } });
    await api.identify({ body: { userId: "ada", traits: { name: null, email: "new@example.com" } } });
    await house.drain();
    const { state, to } = await read(project, id);
    assert.deepEqual([state, to], ["failed", "ada@example.com"]);
  });

  it("stays while its template is paused, and never leaves once that has ended", async () => {
    const { project, template } = await receipt();
    const { id } = await sendReceipt(project);
    await act(project, template.id, "pause");
    await house.drain();
    assert.equal((await read(project, id)).state, "waiting");
    assert.match((await read(project, id)).reason ?? "", /paused/);
    await act(project, template.id, "launch");
    await house.drain();
    assert.equal(mails().length, 1);
    const { id: last } = await sendReceipt(project);
    await act(project, template.id, "end");
    await house.drain();
    assert.equal(mails().length, 1);
    assert.match((await read(project, last)).reason ?? "", /ended/);
  });
});

describe("what a sensitive mail is filled with", () => {
  const secret = "Geheim-4711";
  const file = { name: "geheim.txt", content: Buffer.from("Datei-4712").toString("base64") };
  const data = { number: secret, total: secret };
  const containsSecret = async ({ projectId }: TestProject): Promise<boolean> => {
    const { rows } = await house.database.pool.query<{ json: string }>(
      `select to_jsonb(r)::text || encode(coalesce(r.sealed, ''), 'escape') as json from send_data r where project_id = $1
      union all select to_jsonb(f)::text || encode(f.content, 'escape') from send_files f where project_id = $1
      union all select to_jsonb(s)::text from email_sends s where project_id = $1
      union all select to_jsonb(o)::text from email_outcomes o where project_id = $1
      union all select to_jsonb(k)::text from idempotency_keys k where project_id = $1
      union all select to_jsonb(a)::text from audit_entries a where project_id = $1
      union all select to_jsonb(w)::text from webhook_messages w where project_id = $1`,
      [projectId],
    );
    assert.ok(rows.length > 0);
    return rows.some(({ json }) => /geheim|4711|Datei|RGF0ZWktNDcxMg/i.test(json));
  };

  it("is sealed, in no answer, arrives, and is gone soon afterwards", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project, { sensitive: true });
    const { id } = await sendReceipt(project, { data, attachments: [file] });
    assert.equal(await containsSecret(project), false);
    const answers = [await read(project, id), (await project.api.listSends({ query: {} })).sends];
    assert.doesNotMatch(JSON.stringify(answers), /geheim|4711/i);
    await house.drain();
    const [mail = ""] = mails();
    assert.match(mail, /Geheim-4711/);
    assert.match(mail, /RGF0ZWktNDcxMg==/);
    house.advance(20_000);
    await house.drain();
    const { rows } = await house.database.pool.query(
      "select request, sealed from send_data where project_id = $1",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ request: null, sealed: null }]);
    const { state, to, data: shown } = await read(project, id);
    assert.deepEqual([state, to, shown], ["delivered", "ada@example.com", null]);
    assert.equal((await project.api.listSends({ query: {} })).sends[0]?.id, id);
  });

  it("says nothing of its values where it fails", async () => {
    const project = await sendingProject(house, smtp.port);
    const template = await receiptTemplate(project, { sensitive: true });
    const { id } = await sendReceipt(project, { data });
    const { id: variant = "" } = template.variants[0] ?? {};
    await project.api.updateCampaign({
      path: { id: template.id },
      body: {
        variants: [
          { id: variant, message: { subject: "Hi", body: "[x]({{ data.number }}) {{ data.more }}" } },
        ],
      },
    });
    await house.drain();
    const sent = await read(project, id);
    assert.equal(sent.state, "failed");
    assert.doesNotMatch(JSON.stringify(sent), /geheim|4711/i);
    assert.equal(await containsSecret(project), false);
  });

  it("opens with the SECRET_KEY that sealed it alone, for its own mail alone", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project, { sensitive: true });
    const { id } = await sendReceipt(project, { data });
    const key = parseDeliveryId(id);
    const { rows } = await house.database.pool.query<{ sealed: Buffer }>(
      "select sealed from send_data where project_id = $1",
      [project.projectId],
    );
    const sealed = rows[0]?.sealed;
    assert.ok(key && sealed);
    const { app } = house.tidings;
    assert.equal(openRequest(app, project.projectId, key, sealed)?.request.data.number, secret);
    assert.equal(openRequest(app, project.projectId, { ...key, occasion: 1 }, sealed), null);
    const other = { ...app, secrets: createSecrets(Buffer.alloc(32, "another")) };
    assert.equal(openRequest(other, project.projectId, key, sealed), null);
    await house.database.pool.query("update send_data set sealed = 'x' where project_id = $1", [
      project.projectId,
    ]);
    await house.drain();
    const { state, reason } = await read(project, id);
    assert.equal(state, "failed");
    assert.match(reason ?? "", /SECRET_KEY/);
  });

  it("is sealed for mail that was requested while its template was sensitive, and hidden for all others once it is", async () => {
    const { project, template } = await receipt();
    const { id } = await sendReceipt(project, { data, sendAt: house.now() + DAY_MS });
    await house.database.pool.query("update campaigns set is_sensitive = true where id = $1", [
      template.id.replace("cmp_", ""),
    ]);
    assert.doesNotMatch(JSON.stringify(await read(project, id)), /geheim|4711/i);
    await act(project, template.id, "end");
  });
});

describe("what a receipt was filled with", () => {
  it("is forgotten after send.keepDays, with its files, but not what still waits", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await setSettings(house, project, { "send.keepDays": "2" });
    const attachments = [{ name: "a.txt", content: "QQ==" }];
    const { id } = await sendReceipt(project, { attachments });
    const { id: later } = await sendReceipt(project, { attachments, sendAt: house.now() + 10 * DAY_MS });
    await house.drain();
    house.advance(2 * DAY_MS);
    await house.drain();
    assert.deepEqual(await rowsOf(house, project), { users: 1, deliveries: 2, sends: 2, data: 2, files: 2 });
    house.advance(11 * 60_000);
    await house.drain();
    assert.deepEqual(await rowsOf(house, project), { users: 1, deliveries: 2, sends: 2, data: 1, files: 1 });
    const old = await read(project, id);
    assert.deepEqual(
      [old.state, old.to, old.subject, old.data, old.files, old.attempts.length],
      ["delivered", null, null, null, [], 1],
    );
    assert.deepEqual(
      (await project.api.listSends({ query: {} })).sends.map((send) => send.id),
      [later],
    );
    house.advance(8 * DAY_MS);
    await house.drain();
    assert.equal((await read(project, later)).state, "delivered");
    assert.equal(mails().length, 2);
    house.advance(11 * 60_000);
    await house.drain();
    assert.equal((await rowsOf(house, project)).data, 0);
  });
});

describe("the list of mails", () => {
  it("has each once over all pages, though all were requested at one instant", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await people(project, ["x"]);
    const ids: string[] = [];
    for (let n = 0; n < 23; n++)
      ids.push((await sendReceipt(project, { to: { email: `user-${n % 4}@example.com` } })).id);
    const found: string[] = [];
    let before: string | null = null;
    do {
      const page: Awaited<ReturnType<typeof project.api.listSends>> = await project.api.listSends({
        query: { limit: 5, ...(before === null ? {} : { before }) },
      });
      found.push(...page.sends.map(({ id }) => id));
      before = page.next;
    } while (before !== null);
    assert.deepEqual(found.toSorted(), ids.toSorted());
    const { sends } = await project.api.listSends({ query: { userId: "mailto:user-1@example.com" } });
    assert.equal(sends.length, 6);
    assert.equal((await project.api.listSends({ query: { template: "receipt" } })).sends.length, 23);
  });
});
