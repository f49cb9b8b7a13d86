import { createServer } from "node:net";
import RudderStack from "@rudderstack/rudder-sdk-node";
import { Analytics } from "@segment/analytics-node";

/** What a library sends of users, until each call is answered. */
export type Library = {
  name: string;
  /** Sends some calls, each of an event `paid` with its number as `n`; resolves when the library has them delivered, or given up. */
  deliver(numbers: readonly number[]): Promise<void>;
  close(): Promise<void>;
};

/** Calls that were delivered, and what the libraries say of those that were not. */
export type Delivered = { delivered: number; retried: number; faults: string[] };

const USERS = 500;
const userOf = (n: number): string => `user-${n % USERS}`;
/** Requests under way, and calls of each. */
const FLUSH_AT = 50;
const RETRIES = 10;

/** Segment's library for servers, as it comes; it asks again by itself. */
export function segmentLibrary(url: string, writeKey: string, report: Delivered): Library {
  const analytics = new Analytics({ host: url, writeKey, flushAt: FLUSH_AT, flushInterval: 100 });
  analytics.on("http_request", ({ headers }) => {
    if ("X-Retry-Count" in headers) report.retried++;
  });
  const send = (n: number): Promise<void> =>
    new Promise((resolve) => {
      const call = { userId: userOf(n), event: "paid", properties: { n, by: "segment" } };
      analytics.track(call, (fault) => {
        if (fault === undefined) report.delivered++;
        else report.faults.push(`segment: ${String(fault)}`);
        resolve();
      });
    });
  return {
    name: "segment",
    deliver: async (numbers) => void (await Promise.all(numbers.map(send))),
    close: () => analytics.closeAndFlush(),
  };
}

/** RudderStack's library for servers, as it comes, which sends gzip. */
export function rudderLibrary(url: string, writeKey: string, report: Delivered): Library {
  const analytics = new RudderStack(writeKey, {
    dataPlaneUrl: url,
    flushAt: FLUSH_AT,
    flushInterval: 100,
    retryCount: RETRIES,
    logLevel: "none",
    errorHandler: () => undefined,
    axiosRetryConfig: { onRetry: () => void report.retried++ },
  });
  const send = (n: number): Promise<void> =>
    new Promise((resolve) => {
      const call = { userId: userOf(n), event: "paid", properties: { n, by: "rudder" } };
      // The types say that it is given nothing; it is given the fault.
      analytics.track(call, (...[fault]: unknown[]) => {
        if (fault === undefined) report.delivered++;
        else report.faults.push(`rudder: ${String(fault)}`);
        resolve();
      });
    });
  return {
    name: "rudder",
    deliver: async (numbers) => void (await Promise.all(numbers.map(send))),
    close: () => analytics.flush(),
  };
}

/** A port where nothing listens now: servers that are started again are found at it. */
export async function freePort(): Promise<number> {
  const server = createServer();
  await new Promise<void>((resolve) => server.listen(0, "127.0.0.1", resolve));
  const address = server.address();
  await new Promise((resolve) => server.close(resolve));
  if (address === null || typeof address === "string") throw new Error("There is no port.");
  return address.port;
}
