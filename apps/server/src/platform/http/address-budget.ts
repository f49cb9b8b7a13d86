import { isIPv6 } from "node:net";
import type { FastifyRequest } from "fastify";
import type { LimitName } from "../limits.ts";
import { type App, type Resource, resource } from "../runtime.ts";
import { type Bucket, PARTS, refill, takeOne } from "./budget.ts";
import { ApiError } from "./errors.ts";

/**
 * Requests a minute of those who show no key that is known: of one address, and of all together. Counted in this process alone.
 * An address is that of the connection, which behind a proxy is the proxy's.
 */
export type AddressBudget = {
  /** Takes one request; answers 0, or the whole seconds to wait, and then nothing was taken. */
  take(address: string, nowMs: number): number;
  /** Gives back a request that turned out to be none of these. */
  refund(address: string): void;
};

/** Addresses that are remembered, about 2 MB; one that has spent nothing lately is forgotten. */
const MAX_ADDRESSES = 10_000;

/** Whoever has one address of IPv6 has the whole network of 64 bits. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address;
  const [before = "", after] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...Array.from({ length: zeros }, () => "0"), ...tail].slice(0, 4).join(":");
}

export function createAddressBudget(perAddress: number, perProcess: number): AddressBudget {
  const all: Bucket = { spent: 0, atMs: 0 };
  const addresses = new Map<string, Bucket>();

  /** Forgets those who have everything back; where there are too many others, the one that came first. */
  function makeRoom(nowMs: number): void {
    for (const [network, bucket] of addresses) {
      refill(bucket, perAddress, nowMs);
      if (bucket.spent === 0) addresses.delete(network);
    }
    for (const network of addresses.keys()) {
      if (addresses.size < MAX_ADDRESSES) return;
      addresses.delete(network);
    }
  }

  function bucketOf(address: string, nowMs: number): Bucket {
    const network = networkOf(address);
    let bucket = addresses.get(network);
    if (bucket === undefined) {
      if (addresses.size >= MAX_ADDRESSES) makeRoom(nowMs);
      bucket = { spent: 0, atMs: nowMs };
      addresses.set(network, bucket);
    }
    refill(bucket, perAddress, nowMs);
    return bucket;
  }

  return {
    take(address, nowMs) {
      refill(all, perProcess, nowMs);
      const own = bucketOf(address, nowMs);
      const wait = takeOne(own, perAddress);
      if (wait > 0) return wait;
      const waitForAll = takeOne(all, perProcess);
      if (waitForAll > 0) own.spent -= PARTS;
      return waitForAll;
    },
    refund(address) {
      all.spent = Math.max(0, all.spent - PARTS);
      const own = addresses.get(networkOf(address));
      if (own !== undefined) own.spent = Math.max(0, own.spent - PARTS);
    },
  };
}

const UNLIMITED: AddressBudget = { take: () => 0, refund: () => undefined };

/** A budget whose ceilings are those of this server. */
const addressBudget = (perAddress: LimitName, perProcess: LimitName): Resource<AddressBudget> =>
  resource(({ config }) =>
    config.rateLimits === "off"
      ? UNLIMITED
      : createAddressBudget(config.limits[perAddress], config.limits[perProcess]),
  );

/** Keys that do not exist: each is a question to the database. */
export const unknownKeys = addressBudget("unknownKeysPerAddress", "unknownKeys");

const links = addressBudget("linkRequestsPerAddress", "linkRequests");
const hooks = addressBudget("hookRequestsPerAddress", "hookRequests");
const files = addressBudget("fileRequestsPerAddress", "fileRequests");

/** Which budget a path without a key belongs to. */
const budgetOf = (path: string): Resource<AddressBudget> =>
  path.startsWith("/e/") ? links : path.startsWith("/hooks/") ? hooks : files;

/** @throws ApiError rate_limited where there are seconds to wait */
export function afterAddressBudget(waitSeconds: number, message?: string): void {
  if (waitSeconds === 0) return;
  const headers = { "retry-after": String(waitSeconds), "access-control-expose-headers": "retry-after" };
  throw new ApiError("rate_limited", message, { headers });
}

/** The hook that takes a request for a path without a key from its budget. */
export function budgetHook(app: App, path: string): (request: FastifyRequest) => Promise<void> {
  const budget = app.get(budgetOf(path));
  return async ({ ip }) => afterAddressBudget(budget.take(ip, app.clock()));
}
