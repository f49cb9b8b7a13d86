import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { testHouse } from "../../../../../test/harness.ts";
import { sentMail, suppressionOf } from "../../../../../test/mail.ts";
import { type FakeProvider, fakeSns } from "../../../../../test/provider-mail.ts";
import { providerMakers, reportedMail } from "../../../../../test/reported-mail.ts";
import { addressRef, allowAddress } from "../../addresses/public.ts";

const sns = await fakeSns();
after(() => sns.stop());
const house = testHouse({ snsCertOrigin: sns.origin });

const makers = providerMakers(sns);
const message = (name: FakeProvider["name"]) => reportedMail(house, makers, name);
const healthy = async (): Promise<void> => assert.deepEqual(await house.differences(), {});

for (const name of Object.keys(makers) as FakeProvider["name"][])
  describe(`a report of ${name}`, () => {
    it("is known by its Message-ID where it does not name the delivery", async () => {
      for (const [saying, event, stopped] of [
        ["permanent", "bounced", "bounced"],
        ["complaint", "complained", "complained"],
        ["unsubscribe", "unsubscribed", "unsubscribed"],
        ["returned", "bounced", null],
      ] as const) {
        const { say, fate, suppression, mail } = await message(name);
        await say(saying, house.now(), { messageId: `<${mail.messageToken}@acme.example>` });
        assert.deepEqual([(await fate()).state, await suppression()], [event, stopped], saying);
      }
      const { say, fate, mail } = await message(name);
      await say("permanent", house.now(), {
        deliveryId: "del_x",
        messageId: `${mail.messageToken}@acme.example`,
      });
      assert.equal((await fate()).state, "bounced");
      await healthy();
    });

    it("is not believed with a Message-ID that this server did not make", async () => {
      const { say, fate, suppression, mail, project } = await message(name);
      const theirs = await sentMail(house, await house.project());
      const before = await fate();
      const { address, messageToken: token } = mail;
      const { lane, addressKey } = addressRef(project.projectId, address);
      const other = token.startsWith("A") ? "B" : "A";
      for (const [messageId, recipient] of [
        [`<${other}${token.slice(1)}@acme.example>`, undefined],
        [`<${token.slice(0, -1)}${token.endsWith("A") ? "B" : "A"}@acme.example>`, address],
        [`<${theirs.messageToken}@acme.example>`, address],
        [`<${mail.link("x").split("/")[4]}@acme.example>`, address],
      ] as const)
        for (const saying of ["permanent", "complaint", "unsubscribe"] as const)
          await say(saying, house.now(), {
            messageId,
            ...(recipient === undefined ? {} : { address: recipient }),
          });
      assert.deepEqual([await fate(), await suppression()], [before, null], `${lane} ${addressKey}`);
      await healthy();
    });

    it("of an address that is gone or complained stops mail to it, without a message", async () => {
      for (const [saying, stopped] of [
        ["permanent", "bounced"],
        ["complaint", "complained"],
        ["suppressed", "bounced"],
        ["returned", null],
        ["unsubscribe", null],
        ["delivered", null],
      ] as const) {
        const { say, fate, suppression, mail } = await message(name);
        const before = await fate();
        await say(saying, house.now(), { address: "Anna@EXAMPLE.com" });
        assert.deepEqual([await fate(), await suppression()], [before, stopped], saying);
        assert.equal(mail.address, "anna@example.com");
      }
      await healthy();
    });

    it("of an address alone changes nothing where mail never left for it, or was let through since", async () => {
      const { say, suppression, project } = await message(name);
      const other = await house.project();
      const theirs = await sentMail(house, other, { userId: "ben" });
      const at = house.now();
      await say("permanent", at, { address: theirs.address });
      const { rows } = await house.database.pool.query("select from email_addresses where address_key = $1", [
        addressRef(project.projectId, theirs.address).addressKey,
      ]);
      assert.deepEqual([rows.length, await suppressionOf(house, other, theirs.address)], [0, null]);
      await say("permanent", at, { address: "anna@example.com" });
      assert.equal(await suppression(), "bounced");
      house.advance(1_000);
      const address = addressRef(project.projectId, "anna@example.com");
      await allowAddress(house.database.kysely, project.projectId, address, { at: house.now() });
      await say("permanent", at, { address: "anna@example.com" });
      assert.equal(await suppression(), null);
      house.advance(2_000);
      await say("permanent", house.now(), { address: "anna@example.com" });
      assert.equal(await suppression(), "bounced");
      await healthy();
    });
  });
