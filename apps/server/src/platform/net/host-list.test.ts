import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { isInHostList, nameInList, parseHostList } from "./host-list.ts";

const HOSTS = parseHostList("push.example.com,*.below.example.com,127.0.0.1:8443,[::1]:9443") ?? [];
const isIn = (address: string): boolean => isInHostList(new URL(address), HOSTS);

describe("a list of hosts", () => {
  it("has its hosts, at 443 or the port that it names, over TLS alone", () => {
    for (const address of [
      "https://push.example.com/x",
      "https://PUSH.example.com:443/x?y",
      "https://a.below.example.com/",
      "https://a.b.below.example.com/",
      "https://127.0.0.1:8443/",
      "https://[::1]:9443/",
    ])
      assert.ok(isIn(address), address);
    for (const address of [
      "http://push.example.com/",
      "https://push.example.com:8443/",
      "https://127.0.0.1/",
      "https://below.example.com/",
      "https://xbelow.example.com/",
      "https://push.example.com.evil.example/",
      "https://xpush.example.com/",
      "https://push.example.com./",
      "https://evil.example/push.example.com",
      "ftp://push.example.com/",
    ])
      assert.ok(!isIn(address), address);
  });
  it("names them without port and star", () => {
    assert.deepEqual(HOSTS.map(nameInList), ["push.example.com", "below.example.com", "127.0.0.1", "[::1]"]);
  });
});
