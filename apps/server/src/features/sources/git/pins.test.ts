import assert from "node:assert/strict";
import { once } from "node:events";
import { createServer } from "node:http";
import type { AddressInfo } from "node:net";
import { networkInterfaces } from "node:os";
import { describe, it } from "node:test";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import type { Addresses } from "../../../platform/net/public-host.ts";
import { curlPin, sshPin } from "./pins.pure.ts";
import { runGit } from "./running/run.ts";

const hasIpv6 = Object.values(networkInterfaces()).some((all) =>
  all?.some(({ address }) => address === "::1"),
);

const BOTH: Addresses = [
  { address: "2606:4700::1", family: 6 },
  { address: "9.9.9.9", family: 4 },
];

describe("what was looked at", () => {
  it("is where curl connects, an address of IPv6 in brackets", () => {
    const key = "http.curloptResolve";
    assert.deepEqual(curlPin("https://a.example/x", "a.example", BOTH), {
      [key]: "a.example:443:[2606:4700::1],9.9.9.9",
    });
    assert.deepEqual(curlPin("https://a.example:8443/x", "a.example", BOTH), {
      [key]: "a.example:8443:[2606:4700::1],9.9.9.9",
    });
    assert.deepEqual(curlPin("https://[2606:4700::1]/x", "2606:4700::1", BOTH), {});
  });

  it("is where git connects, for a name that nobody else knows", {
    skip: WITHOUT_GIT || !hasIpv6,
  }, async () => {
    const hosts: (string | undefined)[] = [];
    const server = createServer(({ headers }, answer) => {
      hosts.push(headers.host);
      answer.writeHead(404).end();
    });
    await once(server.listen(0, "::1"), "listening");
    // A server that listens on a port has an address of this kind.
    const { port } = server.address() as AddressInfo;
    const url = `http://pinned.invalid:${port}/x.git`;
    const pin = curlPin(url, "pinned.invalid", [{ address: "::1", family: 6 }]);
    await runGit({ args: ["ls-remote", url], config: pin, env: { GIT_ALLOW_PROTOCOL: "http" } });
    server.close();
    assert.equal(hosts[0], `pinned.invalid:${port}`);
  });

  it("is where ssh connects, with the keys of the host's name", () => {
    const to = "-o HostName=2606:4700::1 -o";
    for (const url of ["git@a.example:x.git", "ssh://git@a.example:22/x"])
      assert.equal(sshPin(url, "a.example", BOTH), ` ${to} 'HostKeyAlias=a.example' -o CheckHostIP=no`);
    assert.equal(
      sshPin("ssh://git@a.example:2222/x", "a.example", BOTH),
      ` ${to} 'HostKeyAlias=[a.example]:2222' -o CheckHostIP=no`,
    );
  });
});
