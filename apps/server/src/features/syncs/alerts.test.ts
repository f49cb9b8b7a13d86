import assert from "node:assert/strict";
import { after, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { sendingProject } from "../../../test/email.ts";
import { testHouse } from "../../../test/harness.ts";
import { startS3 } from "../../../test/peers/s3.ts";
import { startSmtp } from "../../../test/peers/smtp.ts";
import { giveRole, makePerson } from "../../../test/people.ts";
import { MINUTE_MS } from "../../platform/time/clock.ts";

const house = testHouse({ syncsPrivate: true });

it("owners get one mail that a sync fails, and another one only after it has worked again", async () => {
  const mail = await startSmtp();
  after(() => mail.close());
  const store = await startS3();
  after(() => store.close());
  const project = await sendingProject(house, mail.port);
  const { projectId } = project;
  const owner = await makePerson(house);
  await giveRole(house, projectId, owner, "owner");
  await giveRole(house, projectId, await makePerson(house), "approver");
  const { url: endpoint, key, region, bucket } = store;
  const { sync } = await createPeopleClient(house.url, owner.headers(projectId)).createSync({
    body: {
      lists: ["users"],
      format: "csv",
      every: "day",
      to: { s3: { endpoint, region, bucket, prefix: "lake", ...key } },
    },
  });
  const tryAgain = async (times: number): Promise<void> => {
    for (let n = 0; n < times; n++) {
      house.advance(60 * MINUTE_MS);
      await house.drain();
      // The mail is for a turn of its own.
      await house.drain();
    }
  };
  const addressed = () => mail.taken.map(({ to }) => to);

  store.behave(() => ({ status: 503, code: "SlowDown" }));
  await tryAgain(2);
  assert.deepEqual(addressed(), [], "it may pass");
  await tryAgain(4);
  assert.deepEqual(addressed(), [owner.email]);
  const [first] = mail.taken;
  assert.match(String(first?.raw), /Subject: A sync cannot write its files/);
  assert.match(String(first?.raw), new RegExp(`/app/p/${projectId}/syncs`));
  assert.doesNotMatch(String(first?.raw), /SlowDown/);

  const people = createPeopleClient(house.url, owner.headers(projectId));
  const read = async () => (await people.getSync({ path: { id: sync.id } })).sync;
  assert.match((await read()).fault ?? "", /answered 503: SlowDown/);
  store.behave(() => null);
  await tryAgain(1);
  const { failingSince, fault, progress } = await read();
  assert.deepEqual([failingSince, fault, progress[0]?.list], [null, null, "users"]);
  assert.ok(store.objects.size >= 3);

  // The next day's files cannot be put there.
  store.behave(() => ({ status: 503, code: "SlowDown" }));
  await house.database.pool.query("update sync_windows set until = until - 86400000");
  await people.runSync({ path: { id: sync.id } });
  await tryAgain(3);
  assert.deepEqual(addressed(), [owner.email, owner.email]);
});
