import { Resolver } from "node:dns/promises";

/** The texts of a name's TXT records, each joined from its strings; or why DNS gave no answer. */
export type TxtAnswer = { texts: string[] } | { failed: string };

const TIMEOUT_MS = 700;
const TRIES = 2;

/** Asks DNS for TXT records: the system's servers, or one (`192.0.2.53:53`). */
export function txtLookup(server: string | null): (name: string) => Promise<TxtAnswer> {
  const resolver = new Resolver({ timeout: TIMEOUT_MS, tries: TRIES });
  if (server !== null) resolver.setServers([server]);
  return async (name) => {
    try {
      return { texts: (await resolver.resolveTxt(name)).map((strings) => strings.join("")) };
    } catch (error) {
      const code = (error as NodeJS.ErrnoException).code ?? String(error);
      // Whether the name does not exist or has no such records: both mean that there are none.
      return code === "ENOTFOUND" || code === "ENODATA" ? { texts: [] } : { failed: code };
    }
  };
}
