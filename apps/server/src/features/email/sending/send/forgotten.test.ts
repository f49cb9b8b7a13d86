import assert from "node:assert/strict";
import { after, before, describe, it } from "node:test";
import { launchEmail, people, progressOf, sendingProject } from "../../../../../test/email.ts";
import { testHouse } from "../../../../../test/harness.ts";
import { suppressionOf } from "../../../../../test/mail.ts";
import { type SmtpPeer, startSmtp } from "../../../../../test/peers/smtp.ts";
import { drainLoops } from "../../../../platform/loops/loops.ts";
import { processes } from "../../../../platform/loops/processes.ts";
import { openSender, readSenderSettings } from "../open-sender.ts";
import { planLoop } from "../plan/plan.ts";
import { recordReply, revokeSend } from "./attempt.ts";
import { emailChannel } from "./channel.ts";
import { beginSend, leaseSends } from "./lease.ts";

const house = testHouse();
let smtp: SmtpPeer;
before(async () => {
  smtp = await startSmtp();
});
after(() => smtp.close());

describe("a process whose database goes away for a moment", () => {
  /** Leases two messages without sending them, so that only the database knows of the leases. */
  async function leaseTwo() {
    const { app } = house.tidings;
    const project = await sendingProject(house, smtp.port);
    await people(project, ["ada", "bob"]);
    const { id } = await launchEmail(project);
    await drainLoops(app, [planLoop]);
    const settings = await readSenderSettings(
      { app, db: house.database.kysely, projectId: project.projectId },
      "marketing",
    );
    const terms = {
      purpose: "marketing" as const,
      projectId: project.projectId,
      leaseOwner: app.get(processes).leaseOwner(),
      settings,
    };
    const { leased } = await leaseSends(app, terms, id.slice("cmp_".length));
    const [first, second] = leased;
    assert.ok(first && second);
    return { app, project, id, first, second };
  }
  const arrived = ({ address }: { address: string }, from: number): number =>
    smtp.taken.slice(from).filter(({ to }) => to === address).length;

  it("gives up what it leased and never learned of, after half a minute", async () => {
    const from = smtp.taken.length;
    const { app, project, id, first, second } = await leaseTwo();
    assert.equal((await beginSend(app, first, 1)).ordinal, 1);
    house.advance(29_000);
    await house.drain();
    assert.equal((await progressOf(project, id)).sending, 2);
    house.advance(2_000);
    await house.drain();
    const { sending, unknown, accepted } = await progressOf(project, id);
    assert.deepEqual([sending, unknown, accepted], [0, 1, 1]);
    assert.deepEqual([arrived(first, from), arrived(second, from)], [0, 1]);
    assert.deepEqual(await house.differences(), {});
  });

  it("keeps what it is sending", async () => {
    const { app, project, id, first, second } = await leaseTwo();
    for (const each of [first, second]) app.get(emailChannel.inFlight).add(each);
    house.advance(60_000);
    await house.drain();
    assert.equal((await progressOf(project, id)).sending, 2);
    for (const each of [first, second]) app.get(emailChannel.inFlight).delete(each);
    await house.drain();
    assert.equal((await progressOf(project, id)).accepted, 2);
  });

  it("learns of an address that does not exist, also when the answer comes after the attempt was given up", async () => {
    const { app, project, id, first } = await leaseTwo();
    const sender = await openSender(app, project.projectId);
    assert.ok(!("fault" in sender));
    assert.equal((await beginSend(app, first, 1)).ordinal, 1);
    house.advance(31_000);
    await house.drain();
    assert.equal((await progressOf(project, id)).unknown, 1);
    assert.equal(await suppressionOf(house, project, first.address), null);
    const response = "5.1.1 No such user here";
    const reply = { kind: "rejected", stage: "recipient", code: 550, response } as const;
    await recordReply(app, sender, first, 1, reply);
    const { unknown, failed } = await progressOf(project, id);
    assert.deepEqual([unknown, failed], [0, 1]);
    assert.equal(await suppressionOf(house, project, first.address), "bounced");
    assert.deepEqual(await house.differences(), {});
  });

  it("takes back what it did not send, whether its attempt was written or not", async () => {
    const from = smtp.taken.length;
    const { app, project, id, first, second } = await leaseTwo();
    const sender = await openSender(app, project.projectId);
    assert.ok(!("fault" in sender));
    assert.equal((await beginSend(app, first, 1)).ordinal, 1);
    for (const each of [first, second]) await revokeSend(app, sender, each);
    const { waiting } = await progressOf(project, id);
    assert.equal(waiting, 2);
    await house.drain();
    assert.equal((await progressOf(project, id)).accepted, 2);
    assert.deepEqual([arrived(first, from), arrived(second, from)], [1, 1]);
    // Once the leases are over, another process may have leased the messages, and keeps them.
    await revokeSend(app, sender, first);
    assert.equal((await progressOf(project, id)).accepted, 2);
    assert.deepEqual(await house.differences(), {});
  });

  it("sends everything once when attempts cannot be written for a while", async () => {
    const from = smtp.taken.length;
    const { pool } = house.database;
    const project = await sendingProject(house, smtp.port);
    await people(
      project,
      Array.from({ length: 100 }, (_, i) => `user-${i}`),
    );
    const { id } = await launchEmail(project);
    await pool.query(`
      create sequence refusals;
      create function refuse() returns trigger language plpgsql as $$
        begin
          if nextval('refusals') <= 8 then raise exception 'away'; end if;
          return new;
        end $$;
      create trigger refuse before insert on email_attempts for each row execute function refuse()`);
    for (let turns = 0; turns < 12; turns++) {
      await house.drain().catch(() => undefined);
      house.advance(1_000);
    }
    await pool.query("drop trigger refuse on email_attempts");
    const { accepted, unknown, waiting, sending } = await progressOf(project, id);
    assert.deepEqual([accepted, unknown, waiting, sending], [100, 0, 0, 0]);
    const reached = smtp.taken.slice(from).map(({ to }) => to);
    assert.equal(reached.length, 100);
    assert.equal(new Set(reached).size, 100);
    assert.deepEqual(await house.differences(), {});
  });
});
