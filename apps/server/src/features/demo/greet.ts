import { loop } from "../../platform/loops.ts";
import { resource } from "../../platform/runtime.ts";
import { sweepSoon } from "../deliveries/public.ts";
import { countReaders, findShopAcrossProjects } from "./store.ts";

const known = resource(() => ({ readers: 0 }));

/** Whoever leaves an address in the shop waits for the mail: new members of an audience are otherwise found within a minute. */
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
