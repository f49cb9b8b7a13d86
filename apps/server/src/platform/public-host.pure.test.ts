import assert from "node:assert/strict";
import { describe, it } from "node:test";
import { hostKind } from "./public-host.pure.ts";

const PRIVATE = [
  ...[
    "127.0.0.1",
    "127.1",
    "0x7f.1",
    "0x7f000001",
    "017700000001",
    "2130706433",
    "0",
    "127.0.0.1.",
    "0177.1",
  ],
  ...["0.0.0.0", "10.0.0.5", "172.31.255.255", "192.168.1.1", "169.254.169.254", "100.64.0.1", "192.0.0.170"],
  ...["192.0.2.1", "198.51.100.1", "203.0.113.1", "198.18.0.1", "192.88.99.1", "224.0.0.1", "240.0.0.1"],
  ...["255.255.255.255", "１２７.0.0.1", "127。0。0。1", "256.1.1.1", "1.2.3.4.5", "08.1.1.1", ""],
  ...["[::1]", "::1", "::", "[::ffff:10.0.0.5]", "[::ffff:a00:5]", "[::7f00:1]", "[::127.0.0.1]"],
  ...["[::ffff:0:127.0.0.1]", "[64:ff9b::7f00:1]", "[64:ff9b:1::7f00:1]", "[100::1]", "[100:0:0:1::1]"],
  ...["[2001::1]", "[2001:2::1]", "[2001:10::1]", "[2001:db8::1]", "[2002:7f00:1::]", "[2002:a00:5::1]"],
  ...["[3fff::1]", "[5f00::1]", "[fc00::1]", "[fd00::1]", "[fe80::1]", "fe80::1%eth0", "[fe80::1%25eth0]"],
  ...["2606:4700::1%lo", "[fec0::1]", "[ff02::1]", "[::1", "a:b", "a b", "a/b", "a@b.example", "a.example?"],
  ...["localhost", "LOCALHOST", "localhost.", "a.localhost", "a.b.localhost..", "ⓛocalhost", "db", "db."],
  ...["localhost.localdomain", "printer.local", "a.internal", "metadata.google.internal", "home.arpa"],
  ...["nas.home.arpa", "a.lan", "a.corp", "a.home", "a.intranet", "a.private", "a.test"],
];
const ADDRESSES = [
  "9.9.9.9",
  "172.32.0.1",
  "100.128.0.1",
  "192.0.3.1",
  "[2606:4700::1]",
  "2a00::1",
  "2001:200::1",
];
const NAMES = [
  "git.example.com",
  "GIT.Example.COM.",
  "localhost.example",
  "local.example",
  "notlocalhost.example",
];

describe("a host", () => {
  it("of this machine or its network is told from others, however it is spelled", () => {
    for (const [kind, hosts] of [
      ["private", PRIVATE],
      ["address", ADDRESSES],
      ["name", NAMES],
    ] as const)
      for (const host of hosts) assert.equal(hostKind(host), kind, JSON.stringify(host));
  });
});
