import { setTimeout as sleep } from "node:timers/promises";
import type pg from "pg";
import { type App, resource } from "../runtime.ts";
import { MINUTE_MS, SECOND_MS } from "../time/clock.ts";
import { newUuid } from "../uuid.ts";
import { listen, notifyProcesses } from "./changes-store.ts";
import { quiet } from "./rest.ts";

/** How often a process announces changes to the others, while there are any. */
const ANNOUNCED_EVERY_MS = SECOND_MS;
/** How often a process checks that notifications reach it. */
const CHECK_EVERY_MS = MINUTE_MS;
/** A notification of its own that takes longer is lost. */
const CHECK_WITHIN_MS = 5 * SECOND_MS;
/** The pause before it listens again: twice as long each time, until notifications arrive. */
const FIRST_PAUSE_MS = SECOND_MS;
const LONGEST_PAUSE_MS = 5 * MINUTE_MS;
/** Begins the payload of a notification that says nothing but that it arrives. */
const CHECK = "check ";

/**
 * Changes that loops may have work with: management writes, and what loops do. Each process listens for those of the others on a
 * connection of its own, by PostgreSQL's notifications. Where these do not arrive (a pooler that gives every transaction another
 * connection), its loops do not rest for long.
 */
type Changes = {
  /** Announces a change to the loops of this process at once, and to other processes. */
  announce(): void;
  listen(): void;
  /** Stops listening, and waits until what was announced has left. */
  stop(): Promise<void>;
};

function createChanges(app: App): Changes {
  const { config, database, log } = app;
  const own = newUuid(app.clock());
  const stopping = new AbortController();
  const { signal } = stopping;
  let listening: Promise<void> | null = null;
  let announcing: Promise<void> | null = null;
  let hasNews = false;

  /** Announces a change to the others now, and once more after a pause if something has changed in it. */
  async function announceToOthers(): Promise<void> {
    do {
      hasNews = false;
      // Without it the others find by themselves what has changed, later.
      await notifyProcesses(database.background.pool, own).catch(() => undefined);
      await sleep(ANNOUNCED_EVERY_MS, undefined, { signal }).catch(() => undefined);
    } while (hasNews && !signal.aborted);
    announcing = null;
  }

  /** Rejects where a notification that this process sends to itself does not come. */
  async function check(client: pg.Client): Promise<void> {
    const payload = `${CHECK}${newUuid(app.clock())}`;
    const came = Promise.withResolvers<void>();
    const onNotification = (each: pg.Notification): void => {
      if (each.payload === payload) came.resolve();
    };
    client.on("notification", onNotification);
    const timer = setTimeout(
      () => came.reject(new Error("PostgreSQL's notifications do not arrive.")),
      CHECK_WITHIN_MS,
    );
    try {
      await Promise.all([notifyProcesses(database.background.pool, payload), came.promise]);
    } finally {
      clearTimeout(timer);
      client.off("notification", onNotification);
    }
  }

  /** Listens until the connection breaks or this process stops, which rejects. `onReach` is called once notifications arrive. */
  async function listenOnce(onReach: () => void): Promise<never> {
    const client = database.connectAlone("tidings changes");
    const over = Promise.withResolvers<never>();
    over.promise.catch(() => undefined);
    const stop = (): void => over.reject(new Error("This process stops."));
    signal.addEventListener("abort", stop);
    client.on("error", over.reject);
    client.on("end", () => over.reject(new Error("The connection has ended.")));
    client.on("notification", ({ payload }) => {
      if (payload !== own && payload?.startsWith(CHECK) !== true) app.get(quiet).change();
    });
    try {
      await Promise.race([client.connect(), over.promise]);
      await Promise.race([listen(client), over.promise]);
      for (;;) {
        await Promise.race([check(client), over.promise]);
        app.get(quiet).learnsOfOthers(true);
        onReach();
        await Promise.race([sleep(CHECK_EVERY_MS, undefined, { signal }), over.promise]);
      }
    } finally {
      signal.removeEventListener("abort", stop);
      app.get(quiet).learnsOfOthers(false);
      // A connection that does not end is left to itself.
      await Promise.race([client.end(), sleep(SECOND_MS)]).catch(() => undefined);
    }
  }

  async function goOnListening(): Promise<void> {
    let pauseMs = FIRST_PAUSE_MS;
    let isLogged = false;
    while (!signal.aborted) {
      try {
        await listenOnce(() => {
          pauseMs = FIRST_PAUSE_MS;
          isLogged = false;
        });
      } catch (cause) {
        if (signal.aborted) return;
        if (!isLogged)
          log.warn(
            { reason: cause instanceof Error ? cause.message : cause },
            "changes by other processes do not reach this one; its loops look for work more often",
          );
        isLogged = true;
      }
      await sleep(pauseMs, undefined, { signal }).catch(() => undefined);
      pauseMs = Math.min(2 * pauseMs, LONGEST_PAUSE_MS);
    }
  }

  return {
    announce() {
      app.get(quiet).change();
      // The embedded database has no other process that works.
      if (config.databaseUrl === null) return;
      hasNews = true;
      announcing ??= announceToOthers();
    },
    listen() {
      listening ??= goOnListening();
    },
    async stop() {
      stopping.abort();
      await Promise.all([listening, announcing]);
    },
  };
}

export const changes = resource(createChanges);

/**
 * To be called after a commit that may be work for loops. Those that rest look soon: after the pause that they make while things change,
 * counted from their last turn. Loops of other processes do the same.
 */
export const rouse = (app: App): void => app.get(changes).announce();
