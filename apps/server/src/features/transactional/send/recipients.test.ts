import assert from "node:assert/strict";
import { after, afterEach, before, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject } from "../../../../test/email.ts";
import { refusal, testHouse } from "../../../../test/harness.ts";
import { type SmtpPeer, startSmtp } from "../../../../test/peers/smtp.ts";
import { receiptTemplate, rowsOf, sendReceipt } from "../../../../test/requested-receipts.ts";
import { userRef } from "../../../domain/ids.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());
afterEach(async () => {
  await house.drain();
  smtp.taken.length = 0;
  assert.deepEqual(await house.differences(), {});
});

/** The users of a project by their ids, and whether each lies under the key of its id. */
async function usersOf(projectId: string) {
  const { rows } = await house.database.pool.query<{ external_id: string; user_key: string; lane: number }>(
    "select external_id, user_key, lane from users where project_id = $1 order by 1",
    [projectId],
  );
  return rows.map(({ external_id: id, user_key: key, lane }) => {
    const own = userRef(projectId, id);
    return [id, own.userKey === key && own.lane === lane];
  });
}

describe("someone of whom only an address is known", () => {
  it("is one user, however the address is written", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    for (const email of ["Ada@Example.com", " ada@example.com ", "ada@EXAMPLE.com", "ada@bücher.example"])
      await sendReceipt(project, { to: { email } });
    await sendReceipt(project, { to: { email: "ada@xn--bcher-kva.example" } });
    assert.deepEqual(await usersOf(project.projectId), [
      ["mailto:ada@example.com", true],
      ["mailto:ada@xn--bcher-kva.example", true],
    ]);
    const { sends } = await project.api.listSends({ query: { userId: "mailto:ada@example.com" } });
    assert.equal(sends.length, 3);
    await house.drain();
    assert.deepEqual(smtp.taken.map(({ to }) => to).sort(), [
      "Ada@example.com",
      "ada@bücher.example",
      "ada@bücher.example",
      "ada@example.com",
      "ada@example.com",
    ]);
  });

  it("may have an address as long as the id of a user can name, and no longer", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    const domain = `${Array.from({ length: 3 }, () => "d".repeat(57)).join(".")}.example`;
    const [longest, longer] = [249, 250].map((length) => {
      const local = "a".repeat(60);
      return `${local}@${"x".repeat(length - local.length - domain.length - 2)}.${domain}`;
    });
    const { error } = await refusal(sendReceipt(project, { to: { email: longer ?? "" } }));
    assert.match(error, /to\.email must have at most 249 characters/);
    await sendReceipt(project, { to: { email: longest ?? "" } });
    const userId = `mailto:${longest}`;
    assert.equal((await project.api.listSends({ query: { userId } })).sends.length, 1);
    await project.api.eraseUser({ path: { id: userId } });
    assert.deepEqual(await rowsOf(house, project), { users: 0, deliveries: 1, sends: 1, data: 0, files: 0 });
  });

  it("is reached by no campaign for everyone", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await people(project, ["ben"]);
    await sendReceipt(project);
    const { id } = await launchEmail(project);
    await house.drain();
    assert.deepEqual(smtp.taken.map(({ to }) => to).sort(), ["ada@example.com", "ben@example.com"]);
    assert.equal((await progressOf(project, id)).planned, 1);
  });

  it("has no mail as a user, who has no address", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await sendReceipt(project);
    const { status, body } = await refusal(
      sendReceipt(project, { to: { userId: "mailto:ada@example.com" } }),
    );
    assert.equal(status, 409);
    assert.equal((body as { reason?: string }).reason, "no_address");
  });

  it("is not counted as active", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await sendReceipt(project);
    const { rows } = await house.database.pool.query("select 1 from active_users where project_id = $1", [
      project.projectId,
    ]);
    assert.deepEqual(rows, []);
  });
});

describe("a user", () => {
  it("whose address a page gave has no receipt until a server has confirmed it", async () => {
    const project = await sendingProject(house, smtp.port);
    await receiptTemplate(project);
    await people(project, ["ada"]);
    const { status, body } = await refusal(sendReceipt(project, { to: { userId: "ada" } }));
    assert.equal(status, 409);
    assert.equal((body as { reason?: string }).reason, "address_unconfirmed");
    // Campaigns go to such an address, up to a number for each hour: that does not make it the user's.
    await launchEmail(project);
    await house.drain();
    assert.equal((await refusal(sendReceipt(project, { to: { userId: "ada" } }))).status, 409);
  });

  it("of another project is not found, and neither is their mail", async () => {
    const project = await sendingProject(house, smtp.port);
    const other = await sendingProject(house, smtp.port);
    for (const each of [project, other]) await receiptTemplate(each);
    await other.api.identify({ body: { userId: "ada", traits: { email: "ada@example.com" } } });
    assert.equal((await refusal(sendReceipt(project, { to: { userId: "ada" } }))).status, 404);
    const { id } = await sendReceipt(other, { to: { userId: "ada" } });
    assert.equal((await refusal(project.api.getSend({ path: { id } }))).status, 404);
    assert.equal((await refusal(project.api.listSends({ query: { before: id } }))).status, 404);
    assert.deepEqual((await project.api.listSends({ query: {} })).sends, []);
  });
});
