import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isPrivateHost } from "./public-host.ts";

describe("a host", () => {
  it("of this machine or its network is told from others, however it is spelled", async () => {
    const spellings = ["127.0.0.1", "127.1", "0x7f.1", "2130706433", "0", "localhost", "[::1]", "::"];
    const networks = ["10.0.0.5", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1"];
    const six = ["[fd00::1]", "[fe80::1]", "[::ffff:10.0.0.5]", "[::ffff:a00:5]"];
    for (const host of [...spellings, ...networks, ...six])
      assert.equal(await isPrivateHost(host), true, host);
    for (const host of ["192.0.2.25", "172.32.0.1", "[2001:db8::1]", "nowhere.invalid"])
      assert.equal(await isPrivateHost(host), false, host);
  });
});
