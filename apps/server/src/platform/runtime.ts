import type { Config } from "./config.ts";
import type { Database } from "./db/db.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";
import type { Secrets } from "./secrets/secrets.ts";
import type { Clock } from "./time/clock.ts";

/** The running server, as all of its parts see it. */
export type App = {
  config: Config;
  database: Database;
  clock: Clock;
  log: Log;
  secrets: Secrets;
  metrics: Metrics;
  /** Origin of links that leave the house, without a trailing slash. */
  publicUrl(): string;
  /** Where the API of this server is reached from this machine, without a trailing slash. */
  apiUrl(): string;
  /** The one instance of a resource in this server, made on first use. */
  get<T>(resource: Resource<T>): T;
  /** The function that a higher feature plugged into a port. */
  ask<Does>(port: Port<Does>): Does;
  /** The functions that higher features plugged into a port, in the order of the features; there may be none. */
  askAll<Does>(port: Port<Does>): readonly Does[];
};

/** The same app for work outside of requests, whose statements may take as long as they need. */
export const inBackground = (app: App): App => ({
  ...app,
  database: { ...app.database, ...app.database.background },
});

/**
 * A function that a lower feature calls and a higher one has: declared below, plugged in above, joined by the composition root, so that
 * imports only point down.
 */
export type Port<Does> = { name: string; does?: Does };

export const port = <Does>(name: string): Port<Does> => ({ name });

/** A port and the function for it. */
export type Plug = { port: Port<unknown>; does: unknown };

export const plug = <Does>(into: Port<Does>, does: Does): Plug => ({ port: into, does });

/** Finds what is plugged into a port. `ask` is for a port with one plug, `askAll` for one that takes any number. */
export function createPorts(plugs: readonly Plug[]): Pick<App, "ask" | "askAll"> {
  const askAll = <Does>(into: Port<Does>): readonly Does[] =>
    plugs.filter((each) => each.port === into).map(({ does }) => does as Does);
  return {
    askAll,
    ask<Does>(into: Port<Does>): Does {
      const [does, ...more] = askAll(into);
      if (does === undefined) throw new Error(`Nothing is plugged into ${into.name}.`);
      if (more.length > 0) throw new Error(`${into.name} takes one plug, and there are ${more.length + 1}.`);
      return does;
    },
  };
}

/**
 * The same app over other parts, with resources of its own. `plugs` stand in for whatever is plugged into their ports.
 */
export function appBeside(
  app: App,
  parts: Pick<App, "clock" | "config" | "database" | "metrics">,
  plugs: readonly Plug[],
): App {
  const own = createPorts(plugs);
  const isOwn = (into: Port<unknown>): boolean => plugs.some((each) => each.port === into);
  const beside: App = {
    ...app,
    ...parts,
    get: createResources(() => beside),
    ask: (into) => (isOwn(into) ? own.ask(into) : app.ask(into)),
    askAll: (into) => (isOwn(into) ? own.askAll(into) : app.askAll(into)),
  };
  return beside;
}

/** Something a feature keeps per running server (a group commit, a cache), declared beside its use. */
export type Resource<T> = { make: (app: App) => T };

/** Declares a resource. Nothing is made before an app asks for it, and no two apps share one. */
export const resource = <T>(make: (app: App) => T): Resource<T> => ({ make });

/** An app's resources, by declaration. */
export function createResources(app: () => App): App["get"] {
  const made = new Map<unknown, unknown>();
  return <T>(declared: Resource<T>): T => {
    if (!made.has(declared)) made.set(declared, declared.make(app()));
    return made.get(declared) as T;
  };
}
