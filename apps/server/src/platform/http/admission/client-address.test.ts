import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { parseTrustedProxies } from "../../net/trusted-proxies.ts";
import { clientAddress } from "./client-address.ts";

const addressOf = (trusted: string, remote: string, forwardedFor?: string): string =>
  clientAddress(remote, forwardedFor, parseTrustedProxies(trusted));

describe("who asks", () => {
  it("is the other end of the connection where nobody is trusted", () => {
    assert.equal(clientAddress("198.51.100.1", "203.0.113.7", null), "198.51.100.1");
    assert.equal(clientAddress("::ffff:198.51.100.1", undefined, null), "198.51.100.1");
    assert.equal(clientAddress("", undefined, null), "unknown");
  });

  it("is whom the last trusted proxy was asked by", () => {
    const cases: [trusted: string, remote: string, forwardedFor: string | undefined, expected: string][] = [
      ["1", "127.0.0.1", "203.0.113.7", "203.0.113.7"],
      ["1", "127.0.0.1", "10.9.9.9, 203.0.113.7", "203.0.113.7"],
      ["2", "127.0.0.1", "10.9.9.9, 203.0.113.7, 10.0.0.2", "203.0.113.7"],
      ["2", "127.0.0.1", "203.0.113.7", "203.0.113.7"],
      ["127.0.0.1", "127.0.0.1", undefined, "127.0.0.1"],
      ["127.0.0.1", "198.51.100.1", "203.0.113.7", "198.51.100.1"],
      ["127.0.0.1,10.0.0.0/8", "127.0.0.1", "203.0.113.7, 10.1.2.3", "203.0.113.7"],
      ["127.0.0.1,10.0.0.0/8", "127.0.0.1", "10.9.9.9, 203.0.113.7, 10.1.2.3", "203.0.113.7"],
      ["127.0.0.1", "::ffff:127.0.0.1", "203.0.113.7", "203.0.113.7"],
      ["::1", "::1", "2001:db8::7", "2001:db8::7"],
      ["2001:db8::/32", "2001:DB8:0::1", "203.0.113.7", "203.0.113.7"],
      // Some proxies write the port, too.
      ["1", "127.0.0.1", "203.0.113.7:4711", "203.0.113.7"],
      ["1", "127.0.0.1", "[2001:db8::7]:4711", "2001:db8::7"],
      ["1", "127.0.0.1", "::ffff:203.0.113.7", "203.0.113.7"],
      // What is no address is as good as none.
      ["1", "127.0.0.1", "", "127.0.0.1"],
      ["1", "127.0.0.1", "unknown", "127.0.0.1"],
      ["1", "127.0.0.1", "203.0.113.7, _hidden", "127.0.0.1"],
      ["1", "127.0.0.1", "203.0.113.999", "127.0.0.1"],
      ["1", "127.0.0.1", ",,,", "127.0.0.1"],
    ];
    for (const [trusted, remote, forwardedFor, expected] of cases)
      assert.equal(
        addressOf(trusted, remote, forwardedFor),
        expected,
        `${trusted} ${remote} ${forwardedFor}`,
      );
  });
});

describe("the proxies that are trusted", () => {
  it("are a count, or addresses and networks", () => {
    for (const text of ["1", "16", "127.0.0.1", " 10.0.0.0/8 , ::1", "fd00::/8", "0.0.0.0/1"])
      assert.notEqual(parseTrustedProxies(text), null, text);
  });

  it("are nothing else, and never everybody", () => {
    for (const text of ["", "0", "17", "-1", "1.5", "true", "all", "*", "nginx", "10.0.0.0/33", "10.0.0.0/0"])
      assert.equal(parseTrustedProxies(text), null, text);
    for (const text of ["::/0", "10.0.0.0/8/8", "10.0.0.0/", "127.0.0.1,", "fe80::1%eth0", "127.0.0.1;::1"])
      assert.equal(parseTrustedProxies(text), null, text);
  });
});
