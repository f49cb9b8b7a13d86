import assert from "node:assert/strict";
import { it } from "node:test";
import { launchEmail, people, sendingProject } from "../../../../test/email.ts";
import { refusal, testHouse } from "../../../../test/harness.ts";
import { startSmtp } from "../../../../test/peers/smtp.ts";
import { lastTo, textOf } from "../../../../test/topics.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";

const house = testHouse();

/** The address of the image that says that a mail was opened. */
const pixelOf = (mail: Parameters<typeof textOf>[0]): string =>
  /https?:\/\/[^\s"<>]*\/e\/[\w-]+\/open\.gif/.exec(textOf(mail))?.[0] ?? "";

it("lists addresses that got mails and of which no person opened one, the most mails first", async () => {
  const smtp = await startSmtp();
  const project = await sendingProject(house, smtp.port, { "email.capMax": "50" });
  await people(project, ["reads", "never", "left"]);
  const send = async () => {
    await launchEmail(project);
    await house.drain();
    house.advance(DAY_MS);
  };
  for (let mail = 0; mail < 3; mail++) await send();
  await people(project, ["newer"]);
  for (let mail = 0; mail < 2; mail++) {
    await launchEmail(project);
    await house.drain();
    house.advance(DAY_MS);
  }
  const opened = await fetch(pixelOf(lastTo(smtp, "reads@example.com")), {
    headers: { "user-agent": "Mozilla/5.0 (Macintosh; Intel Mac OS X 10_15_7) AppleWebKit/605.1.15" },
  });
  assert.equal(opened.status, 200);
  await house.drain();
  const link = /https?:\/\/[^\s"<>]*\/e\/[\w-]+\/unsubscribe/.exec(textOf(lastTo(smtp, "left@example.com")));
  await fetch(link?.[0] ?? "", { method: "POST" });
  const unread = async (query: object) => {
    const { addresses, total } = await project.api.listUnreadAddresses({ query });
    return [total, addresses.map(({ address, mails, externalUserId }) => [address, mails, externalUserId])];
  };
  // Each campaign that runs reaches who comes later as well, so all mails are five.
  const never = ["never@example.com", 5, "never"];
  const newer = ["newer@example.com", 5, "newer"];
  assert.deepEqual(await unread({ mails: 5 }), [2, [never, newer]]);
  assert.deepEqual(await unread({ mails: 5, perPage: 1, page: 2 }), [2, [newer]]);
  assert.deepEqual(await unread({ mails: 5, page: 9 }), [2, []]);
  assert.deepEqual(await unread({ mails: 6 }), [0, []]);
  assert.deepEqual(await unread({}), [0, []]);
  house.advance(300 * DAY_MS);
  assert.deepEqual(await unread({ mails: 1 }), [0, []]);
  assert.match((await refusal(unread({ mails: 0 }))).error, /^mails/);
  assert.match((await refusal(unread({ days: 0 }))).error, /^days/);
  const other = await house.project();
  assert.equal((await other.api.listUnreadAddresses({ query: { mails: 1 } })).total, 0);
  await smtp.close();
});
