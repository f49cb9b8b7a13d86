import dns from "node:dns";
import { syncBuiltinESMExports } from "node:module";
import { BlockList, isIP, Socket } from "node:net";

/** Names and addresses outside of this machine that were requested in this process since they were last read. */
const requested = new Set<string>();

const LOOPBACK = new BlockList();
LOOPBACK.addSubnet("127.0.0.0", 8, "ipv4");
LOOPBACK.addAddress("::1", "ipv6");
// A client that connects to "any address" reaches this machine.
LOOPBACK.addAddress("0.0.0.0", "ipv4");
LOOPBACK.addAddress("::", "ipv6");

const isOutside = (address: string): boolean =>
  isIP(address) !== 0 && !LOOPBACK.check(address, isIP(address) === 6 ? "ipv6" : "ipv4");

/** Names that the system answers by itself (RFC 6761). */
const isLoopbackName = (name: string): boolean => /(^|\.)localhost\.?$/i.test(name) || isIP(name) !== 0;

const watch = (name: unknown): void => {
  if (typeof name === "string" && name !== "" && !isLoopbackName(name)) requested.add(name);
};

const { connect } = Socket.prototype;
Socket.prototype.connect = function (this: Socket, ...options: unknown[]) {
  this.on("connectionAttempt", (address: string) => {
    if (isOutside(address)) requested.add(address);
  });
  return Reflect.apply(connect, this, options);
};

/** The same function, which remembers the name that it is called with. */
const watched = <F extends (...parts: never[]) => unknown>(find: F): F =>
  new Proxy(find, {
    apply(target, self, parts) {
      watch(parts[0]);
      return Reflect.apply(target, self, parts);
    },
  });
dns.lookup = watched(dns.lookup);
dns.promises.lookup = watched(dns.promises.lookup);
syncBuiltinESMExports();

/**
 * Names and addresses that tests of this process requested for since the last call, in words; "" where there are none. What is outside answers
 * elsewhere on each machine, or never, and then a test waits for its limit. Git and other processes are not watched.
 */
export function takeOutside(): string {
  const found = [...requested].join(", ");
  requested.clear();
  return found;
}
