import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject } from "../../../../../test/email.ts";
import { type TestProject, testHouse } from "../../../../../test/harness.ts";
import { sentMail, type TestMail } from "../../../../../test/mail.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { uuidOf } from "../../../../domain/ids.ts";
import { MINUTE_MS, SECOND_MS } from "../../../../platform/time/clock.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

const uuid = (id: string): string => uuidOf("cmp", id) ?? "";
const faultOf = async ({ api }: TestProject, id: string): Promise<string | null> =>
  (await api.getCampaignEmail({ path: { id } })).fault?.message ?? null;

/** A campaign that is to fail, the first of all; one more of its project, and one of another project. */
async function three() {
  const [project, other] = [await sendingProject(house, smtp.port), await sendingProject(house, smtp.port)];
  for (const each of [project, other]) await people(each, ["ada"]);
  const launched = async (owner: TestProject, name: string) => {
    house.advance(1);
    return (await launchEmail(owner, { name })).id;
  };
  const broken = await launched(project, "Broken");
  return {
    project,
    other,
    broken,
    sibling: await launched(project, "Of the same project"),
    stranger: await launched(other, "Of another project"),
  };
}

/** Half a minute of work. An error of the failing campaign is expected, and must not stop the others. */
async function work(): Promise<void> {
  for (let round = 0; round < 10; round++) {
    await house.drain().catch(() => undefined);
    house.advance(3 * SECOND_MS);
  }
}

describe("a campaign that fails", () => {
  it("by what is planned for it keeps no other one from being planned", async () => {
    const { pool } = house.database;
    const { project, other, broken, sibling, stranger } = await three();
    await pool.query(`
      create function refuse() returns trigger language plpgsql as $$
        begin
          if new.campaign_id = '${uuid(broken)}' then raise exception 'no room'; end if;
          return new;
        end $$;
      create trigger refuse before insert on email_sends for each row execute function refuse()`);
    await work();
    assert.equal((await progressOf(project, sibling)).accepted, 1);
    assert.equal((await progressOf(other, stranger)).accepted, 1);
    assert.equal((await progressOf(project, broken)).planned, 0);
    assert.match((await faultOf(project, broken)) ?? "", /audience/);
    assert.equal(await faultOf(project, sibling), null);
    await pool.query("drop trigger refuse on email_sends");
    await work();
    assert.equal((await progressOf(project, broken)).accepted, 1);
    assert.equal(await faultOf(project, broken), null);
  });

  it("by what it says keeps no other one from being sent", async () => {
    const { pool } = house.database;
    const { project, other, broken, sibling, stranger } = await three();
    const damage = (content: string) =>
      pool.query("update variants set content = $2 where campaign_id = $1", [uuid(broken), content]);
    await damage('{"subject": 5}');
    await work();
    assert.equal((await progressOf(project, sibling)).accepted, 1);
    assert.equal((await progressOf(other, stranger)).accepted, 1);
    const { planned, waiting } = await progressOf(project, broken);
    assert.deepEqual([planned, waiting], [1, 1]);
    assert.match((await faultOf(project, broken)) ?? "", /message of this campaign/);
    await damage('{"subject": "Hello", "body": "Hi"}');
    house.advance(10 * MINUTE_MS);
    await work();
    assert.equal((await progressOf(project, broken)).accepted, 1);
    assert.equal(await faultOf(project, broken), null);
  });

  it("by its project's settings keeps no other project's messages from being given up", async () => {
    const { pool } = house.database;
    const [project, other] = [await sendingProject(house, smtp.port), await sendingProject(house, smtp.port)];
    const lost = async (owner: TestProject) => {
      const mail = await sentMail(house, owner, { status: "sending" });
      await pool.query(
        "update email_sends set leased_until = $2, lease_owner = gen_random_uuid() where campaign_id = $1",
        [mail.campaignId, house.now() - 1],
      );
      return mail;
    };
    const [broken, stranger] = [await lost(project), await lost(other)];
    await people(project, ["ben"]);
    const { id } = await launchEmail(project);
    await pool.query("update settings set value = '17' where project_id = $1 and key = 'email.from'", [
      project.projectId,
    ]);
    await work();
    const statusOf = async ({ campaignId, userKey }: TestMail): Promise<string | undefined> => {
      const { rows } = await pool.query<{ status: string }>(
        "select status from email_sends where campaign_id = $1 and user_key = $2",
        [campaignId, userKey],
      );
      return rows[0]?.status;
    };
    assert.deepEqual([await statusOf(broken), await statusOf(stranger)], ["sending", "unknown"]);
    assert.match((await faultOf(project, id)) ?? "", /^email\.from is kept as something it cannot be/);
  });
});
