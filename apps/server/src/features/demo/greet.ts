import { loop } from "../../platform/loops/loops.ts";
import { resource } from "../../platform/runtime.ts";
import { sweepSoon } from "../deliveries/public.ts";
import { countReaders, findShopAcrossProjects } from "./store.ts";

const known = resource(() => ({ readers: 0 }));

/** Sweeps at once when a visitor of the shop leaves an address, because the visitor waits for the mail. Sweeps come once a minute. */
export const greetLoop = loop({
  name: "greet readers of the demo shop",
  restMs: 500,
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
