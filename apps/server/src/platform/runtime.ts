import type { Clock } from "./clock.ts";
import type { Config } from "./config.ts";
import type { Database } from "./db/db.ts";
import type { Log } from "./log.ts";
import type { Metrics } from "./metrics.ts";

/** What every part of a running server shares. */
export type App = {
  config: Config;
  database: Database;
  clock: Clock;
  log: Log;
  metrics: Metrics;
  /** Origin of links that leave the house, without a trailing slash. */
  publicUrl(): string;
  /** The one instance of a resource in this server, made on first use. */
  get<T>(resource: Resource<T>): T;
};

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
