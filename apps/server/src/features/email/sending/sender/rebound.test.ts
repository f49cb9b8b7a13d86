import assert from "node:assert/strict";
import { after, describe, it } from "node:test";
import { createPeopleClient } from "@tidings/client";
import { refusal, testHouse } from "../../../../../test/harness.ts";
import { startDnsServer } from "../../../../../test/peers/dns-server.ts";
import { startSmtp } from "../../../../../test/peers/smtp.ts";
import { giveRole, makePerson } from "../../../../../test/people.ts";

const dns = await startDnsServer();
const smtp = await startSmtp();
after(() => Promise.all([dns.close(), smtp.close()]));
const house = testHouse({ dnsServer: dns.address, publicUrl: "https://tidings.example" });

describe("a mail server that an owner named is reached", () => {
  it("on the public internet alone, whatever DNS says later; one that an operator named is reached anywhere", async () => {
    const project = await house.project();
    const [owner, operator] = await Promise.all(
      [false, true].map(async (isOperator) => {
        const person = await makePerson(house, { isOperator });
        await giveRole(house, project.projectId, person, "owner");
        return createPeopleClient(house.url, person.headers(project.projectId));
      }),
    );
    assert.ok(owner && operator);
    const host = "rebound.example.com";
    dns.zone.set(host, { addresses: ["2d00:0:0:0:0:0:0:26"] });
    const named = { smtpUrl: `smtp://${host}:${smtp.port}` };
    await owner.prepareEmailSender({
      body: { from: "News <news@acme.example>", postalAddress: "1 Way", ...named },
    });
    await operator.prepareEmailSender({ body: { domainVerified: true } });
    dns.zone.set(host, { addresses: ["127.0.0.1"] });
    const before = smtp.connections();
    const refused = await refusal(owner.testEmailSender());
    assert.match(refused.error, /rebound\.example\.com leads to this server or its network/);
    // The owner names it again: it is not an operator's for that.
    await owner.prepareEmailSender({ body: named }).catch(() => undefined);
    await refusal(owner.testEmailSender());
    assert.equal(smtp.connections(), before);
    await operator.prepareEmailSender({ body: { smtpUrl: `smtp://127.0.0.1:${smtp.port}` } });
    await owner.prepareEmailSender({
      body: { smtpUrl: `smtp://127.0.0.1:${smtp.port}`, postalAddress: "2 Way" },
    });
    await owner.testEmailSender();
    assert.equal(smtp.connections(), before + 1);
  });
});
