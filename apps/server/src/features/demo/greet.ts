import { rouse } from "../../platform/loops/changes.ts";
import { loop } from "../../platform/loops/loops.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { MINUTE_MS } from "../../platform/time/clock.ts";
import { sweepSoon } from "../deliveries/public.ts";
import { countReaders, findShopAcrossProjects } from "./store.ts";

const known = resource(() => ({ readers: 0, until: 0 }));

/** How long after a visitor opened a page of the shop an address is expected. */
const EXPECTED_FOR_MS = 15 * MINUTE_MS;

/** To be called when a visitor opens a page of the shop. */
export function expectReaders(app: App): void {
  app.get(known).until = app.clock() + EXPECTED_FOR_MS;
  rouse(app);
}

/** Sweeps at once when a visitor of the shop leaves an address, because the visitor waits for the mail. Sweeps come once a minute. */
export const greetLoop = loop({
  name: "greet readers of the demo shop",
  restMs: 500,
  nextAt: (app) => (app.clock() < app.get(known).until ? app.clock() : Number.POSITIVE_INFINITY),
  async turn(app) {
    if (!app.config.demo) return false;
    const { kysely } = app.database;
    const shop = await findShopAcrossProjects(kysely);
    if (shop === null) return false;
    const state = app.get(known);
    const readers = await countReaders(kysely, shop.projectId);
    const isNews = readers > state.readers;
    state.readers = readers;
    if (isNews) await sweepSoon(kysely, shop.projectId, app.clock());
    return isNews;
  },
});
