import { isIPv6 } from "node:net";
import type { FastifyRequest } from "fastify";
import type { LimitName } from "../../limits.ts";
import { type App, type Resource, resource } from "../../runtime.ts";
import { ApiError } from "../contract/errors.ts";
import { type BudgetBucket, PARTS, refill, takeOne } from "./budget.ts";

/**
 * Requests a minute without a known key: of one address, and of all addresses together. Counted in this process alone. The address is
 * that of the request (`client-address.ts`); or it is the id of a person, of an account or of a browser.
 */
export type AddressBudget = {
  /** Takes one request and answers 0; or takes none and answers the whole seconds to wait. */
  take(address: string, nowMs: number): number;
  /** Puts back a request whose key turned out to be known. */
  refund(address: string): void;
};

/** The most addresses that are remembered, about 2 MB; those that have spent nothing lately are forgotten first. */
const MAX_ADDRESSES = 10_000;
/** So many are left when room is made, so that it is not made for each new address of a flood. */
const ADDRESSES_LEFT = 9_000;

/** The address that is counted: of IPv6 the network of 64 bits, because a caller with one address has all of them. */
export function networkOf(address: string): string {
  if (!isIPv6(address) || address.startsWith("::ffff:")) return address;
  const [before = "", after] = address.split("::");
  const head = before === "" ? [] : before.split(":");
  const tail = after === undefined || after === "" ? [] : after.split(":");
  const zeros = after === undefined ? 0 : Math.max(0, 8 - head.length - tail.length);
  return [...head, ...Array.from({ length: zeros }, () => "0"), ...tail].slice(0, 4).join(":");
}

/** @param perProcess of all addresses together; null where something else bounds them */
export function createAddressBudget(perAddress: number, perProcess: number | null): AddressBudget {
  const all: BudgetBucket = { spent: 0, atMs: 0 };
  const addresses = new Map<string, BudgetBucket>();

  /** Forgets addresses whose whole budget is back; if too many others are left, the oldest ones. */
  function makeRoom(nowMs: number): void {
    for (const [network, bucket] of addresses) {
      refill(bucket, perAddress, nowMs);
      if (bucket.spent === 0) addresses.delete(network);
    }
    for (const network of addresses.keys()) {
      if (addresses.size <= ADDRESSES_LEFT) return;
      addresses.delete(network);
    }
  }

  function bucketOf(address: string, nowMs: number): BudgetBucket {
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
      const own = bucketOf(address, nowMs);
      const wait = takeOne(own, perAddress);
      if (wait > 0 || perProcess === null) return wait;
      refill(all, perProcess, nowMs);
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
const addressBudget = (perAddress: LimitName, perProcess: LimitName | null): Resource<AddressBudget> =>
  resource(({ config: { rateLimits, limits } }) =>
    rateLimits === "off"
      ? UNLIMITED
      : createAddressBudget(limits[perAddress], perProcess && limits[perProcess]),
  );

/** Requests with keys that do not exist: each costs a statement. */
export const unknownKeys = addressBudget("unknownKeysPerAddress", "unknownKeys");

/** Requests of people, by their id. */
export const peopleRequests = addressBudget("requestsPerPerson", "requestsOfPeople");
/** Requests of those who come with a link and are not signed in yet. */
export const entries = addressBudget("entryRequestsPerAddress", "entryRequests");
/** Wrong tries to sign in, by account; of a browser that has signed in before by account and browser. What they cost is bounded apart. */
export const signIns = addressBudget("signInsPerAccount", null);
/** Wrong tries to sign in, by the address of those who are not known. */
export const failedSignIns = addressBudget("failedSignInsPerAddress", null);
/** Challenges for passkeys, each of which is a row for some minutes. */
export const challenges = addressBudget("passkeyRequestsPerAddress", "passkeyRequests");

const links = addressBudget("linkRequestsPerAddress", "linkRequests");
const hooks = addressBudget("hookRequestsPerAddress", "hookRequests");
const files = addressBudget("fileRequestsPerAddress", "fileRequests");

/** The budget of a path that needs no key. */
function budgetOf(path: string): Resource<AddressBudget> {
  if (path.startsWith("/e/")) return links;
  if (path.startsWith("/hooks/")) return hooks;
  return path.startsWith("/api/people/") ? entries : files;
}

/** @throws ApiError rate_limited where there are seconds to wait */
export function afterAddressBudget(waitSeconds: number, message?: string): void {
  if (waitSeconds === 0) return;
  const headers = { "retry-after": String(waitSeconds), "access-control-expose-headers": "retry-after" };
  throw new ApiError("rate_limited", message, { headers });
}

/** A hook that takes each request of a path without a key from its budget. */
export function budgetHook(app: App, path: string): (request: FastifyRequest) => Promise<void> {
  const budget = app.get(budgetOf(path));
  return async ({ address }) => afterAddressBudget(budget.take(address, app.clock()));
}
