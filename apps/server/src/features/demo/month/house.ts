import { AsyncLocalStorage } from "node:async_hooks";
import { type Client, createClient } from "@tidings/client";
import type { Database } from "../../../platform/db/db.ts";
import { fetchWithin, serverOf } from "../../../platform/http/server-of.ts";
import { createMetrics } from "../../../platform/metrics.ts";
import { type App, appBeside, plug } from "../../../platform/runtime.ts";
import { DAY_MS } from "../../../platform/time/clock.ts";
import { deleteKey, lendKey, listKeys } from "../../access/public.ts";
import { localMail } from "../../email/sending/public.ts";
import type { Transport } from "../../email/transport/reply.pure.ts";
import type { PushClient } from "../../push/providers/reply.pure.ts";
import { localPushes } from "../../push/sending/public.ts";

/** An instant that passes a little with each look at it, so that what is sent in a row does not leave at once. */
type Passing = { at: number; stepMs: number };

/** A house in which the past happens: the functions of the server, on a clock and ways out of their own. */
export type House = {
  app: App;
  projectId: string;
  /** When the month ends: epoch milliseconds of now. */
  now: number;
  /** The API with the secret key, as an app has it, with the publishable one, and as the hosted agent has it. */
  api: Client;
  sdk: Client;
  agent: Client;
  send: typeof fetch;
  /** Does something at an instant (epoch ms); what it calls takes that for now. */
  at<T>(instant: number, act: () => Promise<T>, stepMs?: number): Promise<T>;
};

/** What takes the place of mail server and push providers. */
export type WaysOut = {
  mail: (caught: Transport) => Transport;
  pushes: PushClient;
  openCatcher: (app: App, projectId: string) => Transport;
};

/** Opens the house on a database for as long as `live` takes. */
export async function withDemoHouse<T>(
  app: App,
  database: Database,
  { projectId, now, ways }: { projectId: string; now: number; ways: WaysOut },
  live: (house: House) => Promise<T>,
): Promise<T> {
  const passing = new AsyncLocalStorage<Passing>();
  const clock = (): number => {
    const found = passing.getStore();
    if (found === undefined) return now;
    const { at } = found;
    found.at += found.stepMs;
    return at;
  };
  const parts = {
    clock,
    database,
    metrics: createMetrics(),
    // Nothing leaves: mail has no server, and links lead here.
    config: { ...app.config, smtpUrl: null, isPrivate: true, rateLimits: "off" as const },
  };
  const own = appBeside(app, parts, [
    plug(localMail, (sender: App) => ways.mail(ways.openCatcher(sender, projectId))),
    plug(localPushes, async () => ways.pushes),
  ]);
  const server = own.ask(serverOf)(own);
  const send = fetchWithin(server);
  const url = app.publicUrl();
  const until = now + DAY_MS;
  const { kysely } = database;
  const lentBefore = new Set((await listKeys(kysely, projectId, 0)).map(({ id }) => id));
  const keyOf = (kind: "secret" | "publishable" | "agent") =>
    lendKey(kysely, { projectId, kind }, now, until);
  try {
    const house: House = {
      app: own,
      projectId,
      now,
      send,
      api: createClient(url, await keyOf("secret"), send),
      sdk: createClient(url, await keyOf("publishable"), send),
      agent: createClient(url, await keyOf("agent"), send),
      at: (instant, act, stepMs = 0) => passing.run({ at: instant, stepMs }, act),
    };
    const lived = await live(house);
    // Those that the house has lent itself, and no key of a person.
    for (const { id, isLent } of await listKeys(kysely, projectId, 0))
      if (isLent && !lentBefore.has(id)) await deleteKey(kysely, projectId, id, 0);
    return lived;
  } finally {
    await server.close();
  }
}
