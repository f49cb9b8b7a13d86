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

  it("are not made where no address may be reached: the message waits, with the reason", async () => {
    const before = peer.connections();
    const transport = openSmtp(server, "tidings.example", () => Promise.reject(new Error("not there")));
    const reply = await transport.send({ ...envelope, user: null }, message);
    transport.close();
    assert.deepEqual(reply, { kind: "deferred", stage: "connection", code: null, response: "not there" });
    assert.equal(peer.connections(), before);
  });
});
