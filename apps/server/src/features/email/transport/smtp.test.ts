import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { startSmtp } from "../../../../test/peers/smtp.ts";
import { parseSmtpUrl } from "../../../platform/net/smtp-url.ts";
import { openSmtp } from "./public.ts";

const peer = await startSmtp();
after(() => peer.close());
const server = parseSmtpUrl(`smtp://mail.example:${peer.port}`) ?? assert.fail();
const envelope = { from: "news@acme.example", to: "ada@x.example" };
const message = Buffer.from("Subject: Hi\r\n\r\nHello\r\n");

describe("connections to a mail server", () => {
  it("go to the first address that answers of those that were found", async () => {
    const transport = openSmtp(server, "tidings.example", async (host) => {
      assert.equal(host, "mail.example");
      return [
        { address: "127.0.0.2", family: 4 },
        { address: "127.0.0.1", family: 4 },
      ];
    });
    const reply = await transport.send({ ...envelope, user: null }, message);
    transport.close();
    assert.deepEqual([reply.kind, peer.taken.length], ["accepted", 1]);
  });

  for (const [sent, arrives] of [
    ["Subject: Hi\r\n\r\nHello\r\n", null],
    ["Subject: Hi\r\n\r\nHello", "Subject: Hi\r\n\r\nHello\r\n"],
    ["Subject: Hi\r\n\r\n.\r\n..\r\n.x\r\ny.\r\n", null],
    [".x\r\n\r\n.", ".x\r\n\r\n.\r\n"],
    ["a\n.\nb\n", "a\r\n.\r\nb\r\n"],
    ["a\r.\rb\r", "a\r\n.\r\nb\r\n"],
    ["a\r\n.\nMAIL FROM:<eve@evil.example>\r\n", "a\r\n.\r\nMAIL FROM:<eve@evil.example>\r\n"],
    ["a\n.\r\nRSET\r\n", "a\r\n.\r\nRSET\r\n"],
    ["a\r.\r\nRSET\r\n", "a\r\n.\r\nRSET\r\n"],
    ["\n", "\r\n"],
    ["ä€🎉\r\n", null],
  ] as const)
    it(`bring ${JSON.stringify(sent)} as one message with whole lines, and more after it`, async () => {
      const before = peer.taken.length;
      const transport = openSmtp(server, "tidings.example", async () => [
        { address: "127.0.0.1", family: 4 },
      ]);
      for (const raw of [Buffer.from(sent), message])
        assert.equal((await transport.send({ ...envelope, user: null }, raw)).kind, "accepted");
      transport.close();
      const [first, second, ...others] = peer.taken.slice(before).map(({ raw }) => raw.toString());
      assert.deepEqual([first, second, others], [arrives ?? sent, message.toString(), []]);
    });

  it("are not made where no address may be reached: the message waits, with the reason", async () => {
    const before = peer.connections();
    const transport = openSmtp(server, "tidings.example", () => Promise.reject(new Error("not there")));
    const reply = await transport.send({ ...envelope, user: null }, message);
    transport.close();
    assert.deepEqual(reply, { kind: "deferred", stage: "connection", code: null, response: "not there" });
    assert.equal(peer.connections(), before);
  });
});
