import type { Options } from "./api.ts";
import { type Client, createClient } from "./client.ts";
import type { LoadShow } from "./feed.ts";
import { warn } from "./warn.ts";

/** The calls of a page. */
export type Sdk = Client & { init(options: Options): void };

/** Whether this runs in a page, and not where a framework renders on its server. */
const isPage = (): boolean => typeof document !== "undefined";

/** Catches every error, because a fault of the SDK must not break the page. */
export function attempt(act: () => void): void {
  try {
    act();
  } catch (error) {
    warn(error);
  }
}

/** @param load loads what draws messages, which comes with the first one */
export function createSdk(load: LoadShow): Sdk {
  let client: Client | undefined;
  /** Calls that were made before `init`: a child component's effects run before its parent's. */
  const early: ((client: Client) => void)[] = [];
  const tell = (act: (client: Client) => void): void =>
    attempt(() => {
      if (client !== undefined) act(client);
      else if (isPage()) early.push(act);
    });
  const forward =
    <Name extends keyof Client>(name: Name): Client[Name] =>
    (...args: never[]) =>
      tell((known) => (known[name] as (...args: never[]) => void)(...args));
  return {
    init(options) {
      if (client !== undefined || !isPage()) return;
      attempt(() => {
        client = createClient(options, load);
      });
      for (const act of early.splice(0)) tell(act);
    },
    identify: forward("identify"),
    track: forward("track"),
    reset: forward("reset"),
    visitors: forward("visitors"),
  };
}
