import {
  type Device,
  type DeviceOptions,
  type Fetch,
  openDevice,
  type Store,
} from "../../../../packages/device/src/index.ts";
import type { TestProject } from "../harness.ts";
import { APP } from "../push.ts";
import { keepSecrets } from "../secrets/secrets-of-the-run.ts";

/** Numbers from 0 to 1 that a seed decides (mulberry32). */
export function seeded(seed: number): () => number {
  let state = seed;
  return () => {
    state = (state + 0x6d2b79f5) | 0;
    let mixed = Math.imul(state ^ (state >>> 15), 1 | state);
    mixed = (mixed + Math.imul(mixed ^ (mixed >>> 7), 61 | mixed)) ^ mixed;
    return ((mixed ^ (mixed >>> 14)) >>> 0) / 4_294_967_296;
  };
}

/** What becomes of a request on its way. `late`: it fails, and reaches the server after later ones. */
type Fate = "passes" | "lost" | "answer lost" | "doubled" | "late" | "refused by a proxy";
const FATES: readonly Fate[] = ["lost", "answer lost", "doubled", "late", "refused by a proxy"];

/** A phone: what it keeps, the line that it has, and the app on it, which may be ended at any point. */
export type Phone = {
  kept: Map<string, string>;
  secrets: Map<string, string>;
  /** Every request that left: its path behind the installation and its body. */
  sent: { path: string; body: Record<string, unknown> }[];
  faults: string[];
  /** How likely a request goes wrong. */
  weather: number;
  /** Requests that are still on their way reach the server. */
  calm(): Promise<void>;
  /** A context of the app. `stop` ends it at once; `stopAfter` once it has used the storage or the line so often. */
  open(given?: Partial<DeviceOptions>): Device & { stop(): void; stopAfter(uses: number): void };
};

const FOREVER = new Promise<never>(() => {});

/** A phone of a project, whose luck a seed decides. */
export function phoneOf(project: TestProject, seed = 1): Phone {
  const random = seeded(seed);
  const [kept, secrets] = [new Map<string, string>(), new Map<string, string>()];
  const late: (() => Promise<unknown>)[] = [];
  const phone: Phone = { kept, secrets, sent: [], faults: [], weather: 0, calm, open };

  async function calm(): Promise<void> {
    for (const send of late.splice(0)) await send();
  }

  const send: Fetch = async (url, init) => {
    const fate: Fate =
      random() < phone.weather ? (FATES[Math.floor(random() * FATES.length)] ?? "lost") : "passes";
    const path = url.replace(/.*\/installations(\/[^/]+)?/, "");
    phone.sent.push({ path, body: JSON.parse(init.body) as Record<string, unknown> });
    const once = (): Promise<Response> => fetch(url, init);
    const wholly = async (): Promise<unknown> => (await once()).text();
    if (fate === "lost") throw new Error("The request was lost.");
    if (fate === "refused by a proxy") return new Response("<html>", { status: random() < 0.5 ? 502 : 404 });
    if (fate === "late") {
      late.push(wholly);
      throw new Error("The request is late.");
    }
    if (fate === "answer lost") {
      await wholly();
      throw new Error("The answer was lost.");
    }
    if (fate === "doubled") {
      const [answer] = await Promise.all([once(), wholly()]);
      return answer;
    }
    if (late.length > 0 && random() < 0.5) await calm();
    return once();
  };

  function open(given: Partial<DeviceOptions> = {}): ReturnType<Phone["open"]> {
    let uses = Number.POSITIVE_INFINITY;
    /** Nothing comes back once the context has ended, be it before or after the work. */
    async function whileAlive<Result>(work: () => Result | Promise<Result>): Promise<Result> {
      if (uses-- <= 0) return FOREVER;
      const result = await work();
      return uses <= 0 ? FOREVER : result;
    }
    const storeOf = (map: Map<string, string>): Store => ({
      get: (key) => whileAlive(() => map.get(key) ?? null),
      set: (key, value) =>
        whileAlive(() => {
          if (key === "tidings.secret") keepSecrets((JSON.parse(value) as { capability: string }).capability);
          map.set(key, value);
        }),
    });
    const device = openDevice({
      url: project.url,
      key: project.publishableKey,
      appId: APP,
      platform: "ios",
      storage: storeOf(kept),
      secrets: storeOf(secrets),
      fetch: (url, init) => whileAlive(() => send(url, init)),
      // It tries again when the test says so.
      after: () => () => {},
      onFault: ({ message }) => phone.faults.push(message),
      ...given,
    });
    return {
      ...device,
      stop() {
        uses = 0;
      },
      stopAfter(left) {
        uses = left;
      },
    };
  }
  return phone;
}

/** A lock that contexts of one phone share, as Web Locks are. */
export function sharedLock(): NonNullable<DeviceOptions["exclusively"]> {
  let last: Promise<unknown> = Promise.resolve();
  return (work) => {
    const turn = last.then(work);
    last = turn.catch(() => {});
    return turn;
  };
}
