import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { launchEmail, people, progressOf, sendingProject } from "../../../../../test/email.ts";
import { refusal, type TestProject, testHouse } from "../../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { giveRole, makePerson } from "../../../../../test/people.ts";

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

/** A campaign of whose messages the mail server took each without an answer. */
async function lost(ids: readonly string[]) {
  const project = await sendingProject(house, smtp.port);
  smtp.behave({ onMessage: () => "drop" });
  await people(project, ids, "unknown.example");
  const campaign = await launchEmail(project, { name: "Lost" });
  await house.drain();
  smtp.behave({});
  smtp.taken.length = 0;
  const editor = await editorOf(project);
  const { sends } = await editor.api.listUnknownSends();
  assert.equal(sends.length, ids.length);
  const idOf = (userId: string): string => sends.find((send) => send.userId === userId)?.deliveryId ?? "";
  return { project, campaign, editor, sends, idOf };
}

describe("mail whose fate is unknown", () => {
  it("is a queue with what is known of each, in pages", async () => {
    const { campaign, editor, sends } = await lost(["ada", "ben", "eve"]);
    const [send] = sends.filter(({ userId }) => userId === "ada");
    assert.ok(send);
    const { reason, deliveryId: _, ...known } = send;
    assert.deepEqual(known, {
      campaignId: campaign.id,
      campaignName: "Lost",
      campaignStatus: "running",
      userId: "ada",
      address: "ada@unknown.example",
      attemptedAt: house.now(),
      attempts: 1,
      isSuppressed: false,
      resentBy: null,
      resentAt: null,
      canResend: true,
    });
    assert.ok(reason, "what the connection said last");
    const pages = await Promise.all(
      ["1", "2", "3"].map((page) =>
        editor.api.listUnknownSends({ query: { perPage: 2, page: Number(page) } }),
      ),
    );
    assert.deepEqual(
      pages.map((page) => [page.sends.length, page.total, page.pageCount]),
      [
        [2, 3, 2],
        [1, 3, 2],
        [0, 3, 2],
      ],
    );
  });

  it("is sent again, or marked as sent as if the mail server had said so; who decided is kept", async () => {
    const { project, campaign, editor, idOf } = await lost(["ada", "ben"]);
    const { api, person } = editor;
    const marked = await api.decideUnknownSends({ body: { verdict: "sent", deliveryIds: [idOf("ben")] } });
    assert.deepEqual(marked, { decided: [idOf("ben")], refused: [] });
    assert.deepEqual(await progressOf(project, campaign.id), {
      planned: 2,
      waiting: 0,
      sending: 0,
      accepted: 1,
      unknown: 1,
      failed: 0,
      frequencyCapped: 0,
      suppressed: 0,
    });
    const { deliveries } = await project.api.listCampaignDeliveries({ path: { id: campaign.id } });
    const ben = deliveries.find(({ id }) => id === idOf("ben"));
    assert.deepEqual([ben?.state, ben?.sentAt, ben?.deliveredAt], ["delivered", house.now(), house.now()]);
    const { campaign: seen } = await project.api.getCampaign({ path: { id: campaign.id } });
    assert.deepEqual([seen.stats.sent, seen.stats.delivered], [1, 1]);
    const { rows } = await house.database.pool.query(
      "select response from email_outcomes where project_id = $1 and kind = 'accepted'",
      [project.projectId],
    );
    assert.deepEqual(rows, [{ response: `marked as sent by ${person.name}` }]);

    const resent = await api.decideUnknownSends({ body: { verdict: "resend", deliveryIds: [idOf("ada")] } });
    assert.deepEqual(resent, { decided: [idOf("ada")], refused: [] });
    smtp.behave({ onMessage: () => "drop" });
    await house.drain();
    const [again] = (await api.listUnknownSends()).sends;
    assert.deepEqual([again?.attempts, again?.resentBy, again?.resentAt], [2, person.name, house.now()]);
    smtp.behave({});
    await api.decideUnknownSends({ body: { verdict: "resend", deliveryIds: [idOf("ada")] } });
    await house.drain();
    assert.deepEqual(
      smtp.taken.map(({ to }) => to),
      ["ada@unknown.example"],
    );
    assert.equal((await progressOf(project, campaign.id)).accepted, 2);
    assert.equal((await api.listUnknownSends()).total, 0);
    const { rows: entries } = await house.database.pool.query<{ detail: { after: unknown } }>(
      "select detail from audit_entries where by_id = $1 and operation <> 'signIn' order by id",
      [person.id],
    );
    assert.deepEqual(
      entries.map(({ detail }) => detail.after),
      [
        { verdict: "sent", deliveryIds: [idOf("ben")] },
        { verdict: "resend", deliveryIds: [idOf("ada")] },
        { verdict: "resend", deliveryIds: [idOf("ada")] },
      ],
    );
  });

  it("has one effect where people decide at once, whatever they decide", async () => {
    const { project, campaign, editor, idOf, sends } = await lost(["ada", "ben", "eve", "mel"]);
    const other = await editorOf(project);
    const ids = sends.map(({ deliveryId }) => deliveryId);
    const answers = await Promise.all([
      editor.api.decideUnknownSends({ body: { verdict: "resend", deliveryIds: ids } }),
      other.api.decideUnknownSends({ body: { verdict: "sent", deliveryIds: ids.toReversed() } }),
      other.api.decideUnknownSends({ body: { verdict: "resend", deliveryIds: [idOf("ada"), idOf("ada")] } }),
    ]);
    const decided = answers.flatMap((answer) => answer.decided);
    assert.deepEqual(decided.toSorted(), ids.toSorted(), "each was decided once");
    for (const { refused } of answers)
      for (const { because } of refused) assert.equal(because, "not_unknown");
    await house.drain();
    const resent = answers.flatMap(({ decided: done }, index) => (index === 1 ? [] : done));
    assert.equal(smtp.taken.length, resent.length);
    assert.equal((await progressOf(project, campaign.id)).accepted, 4);
  });

  it("says about which nothing was decided, and why", async () => {
    const { project, campaign, editor, idOf } = await lost(["ada", "ben", "eve"]);
    const elsewhere = await lost(["ada"]);
    const { api } = editor;
    await project.api.eraseUser({ path: { id: "ada" } });
    await house.drain();
    const erased = (await api.listUnknownSends()).sends.find(({ userId }) => userId === null);
    assert.deepEqual([erased?.address, erased?.canResend], [null, false]);
    const foreign = elsewhere.idOf("ada");
    const deliveryIds = [erased?.deliveryId ?? "", foreign, "\u{1f4a5}", "none", idOf("ben")];
    const { decided, refused } = await api.decideUnknownSends({ body: { verdict: "resend", deliveryIds } });
    assert.deepEqual(decided, [idOf("ben")]);
    assert.deepEqual(
      Object.fromEntries(refused.map((each) => [each.deliveryId, [each.because, each.status]])),
      {
        [erased?.deliveryId ?? ""]: ["user_erased", "unknown"],
        [foreign]: ["not_found", null],
        "\u{1f4a5}": ["not_found", null],
        none: ["not_found", null],
      },
    );
    await project.api.setCampaignStatus({ path: { id: campaign.id }, body: { action: "end" } });
    const ended = await api.decideUnknownSends({ body: { verdict: "resend", deliveryIds: [idOf("eve")] } });
    assert.deepEqual(ended.refused, [
      { deliveryId: idOf("eve"), because: "campaign_ended", status: "unknown" },
    ]);
    const left = (await api.listUnknownSends()).sends.map(({ deliveryId }) => deliveryId);
    assert.equal(left.length, 2);
    // What cannot be sent again can still be marked as sent, the message of an erased user too.
    const sent = await api.decideUnknownSends({ body: { verdict: "sent", deliveryIds: left } });
    assert.deepEqual(sent.refused, []);
    assert.equal((await api.listUnknownSends()).total, 0);
    assert.equal((await elsewhere.editor.api.listUnknownSends()).total, 1, "other projects keep theirs");
  });

  it("is decided by editors, in requests of at most 100", async () => {
    const { project, idOf } = await lost(["ada"]);
    const person = await makePerson(house);
    await giveRole(house, project.projectId, person, "viewer");
    const viewer = createPeopleClient(house.url, person.headers(project.projectId));
    assert.equal((await viewer.listUnknownSends()).total, 1);
    const body = { verdict: "resend" as const, deliveryIds: [idOf("ada")] };
    assert.equal((await refusal(viewer.decideUnknownSends({ body }))).status, 403);
    const { api } = await editorOf(project);
    for (const deliveryIds of [[], Array.from({ length: 101 }, (_, n) => `del_${n}`), ["x".repeat(129)]])
      assert.equal((await refusal(api.decideUnknownSends({ body: { ...body, deliveryIds } }))).status, 400);
    assert.equal((await viewer.listUnknownSends()).total, 1);
  });
});
