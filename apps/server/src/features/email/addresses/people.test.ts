import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { launchEmail, people, sendingProject } from "../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { giveRole, makePerson } from "../../../../test/people.ts";
import { FIRST_OCCASION, userRef, uuidFor } from "../../../domain/ids.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { recordReports } from "../feedback/report.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => assert.deepEqual(await house.differences(), {}));

async function editorOf({ projectId }: TestProject) {
  const person = await makePerson(house);
  await giveRole(house, projectId, person, "editor");
  return { person, api: createPeopleClient(house.url, person.headers(projectId)) };
}

describe("addresses that get no mail", () => {
  it("are added and lifted by people, and mail keeps to it from the next message on", async () => {
    const project = await sendingProject(house, smtp.port);
    const { person, api } = await editorOf(project);
    await people(project, ["ada", "ben"], "sup.example");
    const stopped = await api.suppressEmailAddress({ body: { address: " Ada@SUP.example " } });
    assert.deepEqual(stopped, { address: "Ada@sup.example", before: null, changed: true });
    const again = await api.suppressEmailAddress({ body: { address: "ada@sup.example" } });
    assert.deepEqual([again.before, again.changed], ["manual", false]);
    await launchEmail(project);
    await house.drain();
    assert.deepEqual(
      smtp.taken.map(({ to }) => to),
      ["ben@sup.example"],
    );
    const { addresses, total } = await api.listSuppressedAddresses();
    assert.equal(total, 1);
    assert.deepEqual(addresses, [
      {
        address: "Ada@sup.example",
        reason: "manual",
        suppressedAt: house.now(),
        receiptsStoppedBy: "manual",
        receiptsStoppedAt: house.now(),
        by: person.name,
        campaign: null,
        user: null,
      },
    ]);
    const lifted = await api.allowEmailAddress({ body: { address: "ada@sup.example" } });
    assert.deepEqual([lifted.before, lifted.changed], ["manual", true]);
    assert.equal((await api.allowEmailAddress({ body: { address: "ada@sup.example" } })).changed, false);
    assert.equal((await api.listSuppressedAddresses()).total, 0);
    house.advance(120_000);
    await launchEmail(project, { name: "Second" });
    await house.drain();
    assert.ok(smtp.taken.some(({ to }) => to === "ada@sup.example"));
    const { decisions } = await api.listSuppressionDecisions();
    assert.deepEqual(
      decisions.map(({ before, after, by }) => [before, after, by]),
      [
        ["manual", null, person.name],
        [null, "manual", person.name],
      ],
    );
    const { rows } = await house.database.pool.query<{ entry: string }>(
      "select a::text as entry from audit_entries a where by_id = $1 and operation <> 'signIn'",
      [person.id],
    );
    assert.equal(rows.length, 4);
    for (const { entry } of rows) assert.doesNotMatch(entry, /sup\.example/i, "it outlives an erasure");
  });

  it("are found by a part, by a reason and in pages, of this project alone", async () => {
    const project = await house.project();
    const other = await house.project();
    const { api } = await editorOf(project);
    const { api: theirs } = await editorOf(other);
    await theirs.suppressEmailAddress({ body: { address: "theirs@find.example" } });
    for (const name of ["ada", "a_a", "a%a", "ben", "bücher"]) {
      house.advance(1_000);
      const address = name === "bücher" ? "info@bücher.example" : `${name}@find.example`;
      await api.suppressEmailAddress({ body: { address } });
    }
    await house.database.pool.query(
      "update email_addresses set suppressed_by = 'complained' where project_id = $1 and address like 'ben%'",
      [project.projectId],
    );
    const found = async (query: Parameters<typeof api.listSuppressedAddresses>[0]) =>
      (await api.listSuppressedAddresses(query)).addresses.map(({ address }) => address);
    assert.deepEqual(await found({}), [
      "info@xn--bcher-kva.example",
      "ben@find.example",
      "a%a@find.example",
      "a_a@find.example",
      "ada@find.example",
    ]);
    assert.deepEqual(await found({ query: { q: "A_A" } }), ["a_a@find.example"]);
    assert.deepEqual(await found({ query: { q: "%" } }), ["a%a@find.example"]);
    assert.deepEqual(await found({ query: { reason: "complained" } }), ["ben@find.example"]);
    assert.deepEqual(await found({ query: { q: "theirs" } }), []);
    const second = await api.listSuppressedAddresses({ query: { perPage: 2, page: 3, q: "" } });
    assert.deepEqual([second.addresses.length, second.total, second.pageCount], [1, 5, 3]);
    const ben = (await api.listSuppressedAddresses({ query: { reason: "complained" } })).addresses[0];
    assert.equal(ben?.by, null, "no person decided that");
    await house.database.pool.query(
      "update email_addresses set suppressed_by = 'manual' where project_id = $1",
      [project.projectId],
    );
    assert.equal((await theirs.listSuppressedAddresses()).total, 1);
    assert.equal((await theirs.allowEmailAddress({ body: { address: "ada@find.example" } })).changed, false);
  });

  it("are decided about once where people decide at once", async () => {
    const project = await house.project();
    const editors = await Promise.all([editorOf(project), editorOf(project), editorOf(project)]);
    const body = { address: "race@find.example" };
    const stopped = await Promise.all(editors.map(({ api }) => api.suppressEmailAddress({ body })));
    assert.equal(stopped.filter(({ changed }) => changed).length, 1);
    const lifted = await Promise.all(editors.map(({ api }) => api.allowEmailAddress({ body })));
    assert.equal(lifted.filter(({ changed }) => changed).length, 1);
    const { decisions } = await (editors[0] ?? (await editorOf(project))).api.listSuppressionDecisions();
    assert.equal(decisions.length, 2);
  });

  it("have to be addresses", async () => {
    const project = await house.project();
    const { api } = await editorOf(project);
    for (const address of [
      "ada",
      "ada@",
      "@find.example",
      "a b@find.example",
      "a\u0000@find.example",
      "\u{1f4a9}@x",
    ]) {
      const refused = await refusal(api.suppressEmailAddress({ body: { address } }));
      assert.equal(refused.status, 400, address);
    }
    assert.equal((await refusal(api.listSuppressedAddresses({ query: { q: "a\u0000" } }))).status, 400);
  });
});

describe("addresses that left after mail", () => {
  it("name the campaign and the user, and are found by day, campaign and reason", async () => {
    const project = await sendingProject(house, smtp.port);
    const { api } = await editorOf(project);
    await people(project, ["ada", "ben", "cleo"], "left.example");
    const first = await launchEmail(project, { name: "First" });
    await house.drain();
    house.advance(DAY_MS);
    const second = await launchEmail(project, { name: "Second" });
    await house.drain();
    const unsubscribe = async (userId: string, campaignId: string): Promise<number> => {
      house.advance(60_000);
      const app = house.tidings.app;
      await recordReports(
        app,
        [
          {
            ...userRef(project.projectId, userId),
            campaignId: uuidFor("cmp", campaignId),
            occasion: FIRST_OCCASION,
            event: "unsubscribed",
            stops: "unsubscribed",
            at: house.now(),
          },
        ],
        { projectId: project.projectId, name: "the recipient", now: house.now(), isRecipient: true },
      );
      return house.now();
    };
    const adaAt = await unsubscribe("ada", first.id);
    await unsubscribe("ben", second.id);
    // She comes back, and leaves after the other campaign: the newer one counts.
    await unsubscribe("cleo", first.id);
    await api.allowEmailAddress({ body: { address: "cleo@left.example" } });
    house.advance(DAY_MS);
    const cleoAt = await unsubscribe("cleo", second.id);
    await api.suppressEmailAddress({ body: { address: "by-hand@left.example" } });
    const list = async (query: Parameters<typeof api.listSuppressedAddresses>[0] = {}) => {
      const { addresses, total } = await api.listSuppressedAddresses(query);
      assert.equal(total, addresses.length);
      return addresses.map(({ address, campaign, user }) => [
        address?.split("@")[0],
        campaign?.name,
        user?.externalUserId,
      ]);
    };
    const [cleo, ben, ada] = [
      ["cleo", "Second", "cleo"],
      ["ben", "Second", "ben"],
      ["ada", "First", "ada"],
    ];
    assert.deepEqual(await list({ query: { reason: "unsubscribed" } }), [cleo, ben, ada]);
    assert.deepEqual(await list({ query: { campaignId: second.id } }), [cleo, ben]);
    assert.deepEqual(await list({ query: { campaignId: first.id } }), [ada]);
    assert.deepEqual(await list({ query: { reason: "manual" } }), [["by-hand", undefined, undefined]]);
    assert.deepEqual(await list({ query: { since: adaAt, until: adaAt } }), [ada], "both ends are included");
    assert.deepEqual(await list({ query: { since: cleoAt, q: "LEFT", campaignId: second.id } }), [cleo]);
    assert.deepEqual(await list({ query: { campaignId: "cmp_none" } }), []);
    const other = await editorOf(await house.project());
    assert.equal((await other.api.listSuppressedAddresses({ query: { campaignId: first.id } })).total, 0);
    const file = await fetch(`${house.url}/api/v1/extracts/suppressions.csv?campaignId=${second.id}`, {
      headers: { authorization: `Bearer ${project.secretKey}` },
    });
    const rows = (await file.text()).trimEnd().split("\r\n");
    assert.deepEqual(
      rows.slice(1).map((row) => row.split(",").filter((_, index) => [0, 1, 5, 7].includes(index))),
      [
        ["ben@left.example", "unsubscribed", "Second", "ben"],
        ["cleo@left.example", "unsubscribed", "Second", "cleo"],
      ],
    );
  });
});

describe("what the mail catcher keeps", () => {
  it("is listed and read by editors of its project", async () => {
    const project = await sendingProject(house, smtp.port, { "email.smtpUrl": "" });
    const { api, person } = await editorOf(project);
    await people(project, ["ada"], "caught.example");
    await launchEmail(project, {
      message: { subject: "Hello {{ user.name }}", body: "Hi **{{ user.name }}**!" },
    });
    await house.drain();
    const { mails, total } = await api.listCaughtMail();
    assert.equal(total, 1);
    const [line] = mails;
    assert.deepEqual(
      [line?.recipient, line?.subject, line?.at],
      ["ada@caught.example", "Hello ada", house.now()],
    );
    const { mail } = await api.getCaughtMail({ path: { mailId: line?.id ?? "" } });
    assert.match(mail.html ?? "", /<strong[^>]*>ada<\/strong>/);
    assert.match(mail.text ?? "", /Hi ada!/);
    assert.ok(mail.headers.some(({ name }) => name === "List-Unsubscribe-Post"));
    assert.equal(mail.pageUrl, `/demo/outbox/${mail.id}`);
    const headers = person.headers(project.projectId);
    assert.equal((await fetch(house.url + mail.pageUrl, { headers })).status, 200);
    assert.equal((await fetch(house.url + mail.pageUrl)).status, 401);
    const elsewhere = await editorOf(await house.project());
    assert.equal((await elsewhere.api.listCaughtMail()).total, 0);
    const foreign = await refusal(elsewhere.api.getCaughtMail({ path: { mailId: mail.id } }));
    assert.equal(foreign.status, 404);
  });
});
