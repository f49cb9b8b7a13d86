import { readFile } from "node:fs/promises";
import type { FileContent, PublicFile } from "../../platform/http/public-file.ts";
import { resource } from "../../platform/runtime.ts";
import { openShop } from "./open-shop.ts";
import { countShopCampaigns } from "./store.ts";

const read = (name: string): Promise<Buffer> => readFile(new URL(`./shop/${name}`, import.meta.url));

// As strict as a careful customer's: what the SDK does has to work under it.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const isServed: PublicFile["isServed"] = (config) => config.demo;

/** Every address of the shop is the same page, which then shows what belongs there. */
export const shopPages = (["/demo", "/demo/{place}"] as const).map(
  (path): PublicFile => ({
    path,
    kept: "never",
    policy: POLICY,
    isServed,
    async read(app) {
      const { publishableKey } = await openShop(app);
      const page = (await read("index.html")).toString().replaceAll("{{publishableKey}}", publishableKey);
      return { bytes: Buffer.from(page), contentType: "text/html; charset=utf-8" };
    },
  }),
);

const ASSETS = {
  "shop.js": "text/javascript; charset=utf-8",
  "shop.css": "text/css; charset=utf-8",
  "icon.svg": "image/svg+xml",
};

export const shopAssets = Object.entries(ASSETS).map(([name, contentType]): PublicFile => {
  const content = resource(async (): Promise<FileContent> => ({ bytes: await read(name), contentType }));
  return { path: `/demo/assets/${name}`, kept: "minutes", isServed, read: (app) => app.get(content) };
});

/** What came of the shop's own campaigns. Nothing of any other project is ever read here. */
export const shopNumbers: PublicFile = {
  path: "/demo/assets/numbers.json",
  kept: "never",
  isServed,
  async read(app) {
    const { projectId } = await openShop(app);
    const campaigns = await countShopCampaigns(app.database.kysely, projectId);
    return {
      bytes: Buffer.from(JSON.stringify({ campaigns })),
      contentType: "application/json; charset=utf-8",
    };
  },
};
