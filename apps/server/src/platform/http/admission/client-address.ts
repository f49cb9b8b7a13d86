import { isIP } from "node:net";
import type { FastifyInstance, FastifyRequest } from "fastify";
import { plainAddress, type TrustedProxies } from "../../net/trusted-proxies.ts";
import type { App } from "../../runtime.ts";

declare module "fastify" {
  interface FastifyRequest {
    /**
     * The visitor: the address of the connection, or what trusted proxies say of it. Fastify's own `ip` would take what is no address for one,
     * and one with a port for another one each time.
     */
    readonly address: string;
  }
}

const FORWARDED_FOR = "x-forwarded-for";
const UNKNOWN = "unknown";

/** The address in an entry of X-Forwarded-For, which some proxies write with a port; null for anything else. */
function addressIn(entry: string): string | null {
  const text = entry.trim();
  if (isIP(text) !== 0) return plainAddress(text);
  const [, v6, v4] = /^(?:\[([^\]]+)\]|([\d.]+))(?::\d{1,5})?$/.exec(text) ?? [];
  return plainAddress(v6 ?? v4 ?? "");
}

/**
 * The address of the visitor. Each proxy adds at the end of X-Forwarded-For whom it was asked by, so the list is read from its end, for as long as the proxy
 * that wrote an entry is trusted: what a visitor wrote stands further left, and is never reached.
 * @param remote address of the connection
 */
export function clientAddress(
  remote: string,
  forwardedFor: string | undefined,
  trusted: TrustedProxies | null,
): string {
  let address = plainAddress(remote) ?? UNKNOWN;
  if (trusted === null || forwardedFor === undefined) return address;
  const entries = forwardedFor.split(",");
  for (let hop = 0; hop < entries.length && trusted.trusts(address, hop); hop++) {
    const before = addressIn(entries.at(-1 - hop) ?? "");
    if (before === null) break;
    address = before;
  }
  return address;
}

/** The header as one list, also where it came several times. */
const forwardedForOf = ({ headers }: FastifyRequest): string | undefined => {
  const given = headers[FORWARDED_FOR];
  return Array.isArray(given) ? given.join(",") : given;
};

const NO_PROXY =
  "requests come with X-Forwarded-For, and no proxy is trusted: all visitors of a proxy are counted as one address. Set TRUSTED_PROXIES to its address";
const OTHERS = "requests come with X-Forwarded-For from an address that is not in TRUSTED_PROXIES";

/** Gives every request its `address`, and says once in the log where a header about it is not believed. */
export function addClientAddress(server: FastifyInstance, { config: { trustedProxies }, log }: App): void {
  let isLogged = false;
  server.decorateRequest("address", {
    getter(this: FastifyRequest) {
      const { remoteAddress } = this.raw.socket;
      return clientAddress(remoteAddress ?? "", forwardedForOf(this), trustedProxies);
    },
  });
  server.addHook("onRequest", (request, _reply, done) => {
    if (!isLogged && request.headers[FORWARDED_FOR] !== undefined) {
      const remote = plainAddress(request.raw.socket.remoteAddress ?? "") ?? UNKNOWN;
      if (trustedProxies?.trusts(remote, 0) !== true) {
        isLogged = true;
        log.warn(trustedProxies === null ? NO_PROXY : OTHERS);
      }
    }
    done();
  });
}
