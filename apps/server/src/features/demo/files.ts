import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { ApiError } from "../../platform/http/contract/errors.ts";
import type { FileContent, PublicFile } from "../../platform/http/public/public-file.ts";
import type { PublicAnswer, PublicRoute } from "../../platform/http/public/public-route.ts";
import { type App, resource } from "../../platform/runtime.ts";
import { entrance } from "./entry.ts";
import { openExperiment } from "./experiment/open-experiment.ts";
import { assertMayWatch } from "./experiment/routes.ts";
import { expectReaders } from "./greet.ts";
import { isPhoneToken } from "./local-push.ts";
import { lookForPhones, openPhone } from "./open-phone.ts";
import { openShop } from "./open-shop.ts";
import { listPushes } from "./pushes-store.ts";
import type { DemoShop } from "./store.ts";

const read = (name: string): Promise<Buffer> => readFile(new URL(`./${name}`, import.meta.url));

// As strict as a customer's policy may be, because the SDK has to work under it.
const POLICY =
  "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; form-action 'none'; frame-ancestors 'none'";

const isServed: PublicFile["isServed"] = (config) => config.demo;

async function answer(app: App, name: string, { publishableKey }: DemoShop): Promise<PublicAnswer> {
  const template = await read(name);
  const body = template
    .toString()
    .replaceAll("{{publishableKey}}", publishableKey)
    .replaceAll("{{reach}}", app.config.isPrivate ? "here" : "anywhere");
  return {
    status: 200,
    contentType: "text/html; charset=utf-8",
    headers: { "content-security-policy": POLICY },
    body,
  };
}

const page = (path: `/${string}`, name: string, open: (app: App) => Promise<DemoShop>): PublicRoute =>
  entrance(path, async (app) => {
    if (!app.config.demo) throw new ApiError("not_found");
    const shop = await open(app);
    expectReaders(app);
    return answer(app, name, shop);
  });

/** Every address of the shop serves the same page, whose script shows what belongs there. `/demo/device` plays a phone, `/demo/agent` shows an experiment. */
export const pages = [
  page("/demo", "shop/index.html", openShop),
  page("/demo/{place}", "shop/index.html", openShop),
  page("/demo/device", "device/index.html", openPhone),
  entrance("/demo/agent", async (app, request) => {
    await assertMayWatch(app, request, "viewer");
    return answer(app, "experiment/index.html", await openExperiment(app));
  }),
];

const ASSETS = {
  "shop/shop.js": "text/javascript; charset=utf-8",
  "shop/shop.css": "text/css; charset=utf-8",
  "shop/icon.svg": "image/svg+xml",
  "device/phone.js": "text/javascript; charset=utf-8",
  "device/phone.css": "text/css; charset=utf-8",
  "experiment/agent.js": "text/javascript; charset=utf-8",
  "experiment/agent.css": "text/css; charset=utf-8",
};

export const assets = Object.entries(ASSETS).map(([name, contentType]): PublicFile => {
  const content = resource(async (): Promise<FileContent> => ({ bytes: await read(name), contentType }));
  const [, file = ""] = name.split("/");
  return { path: `/demo/assets/${file}`, kept: "minutes", isServed, read: (app) => app.get(content) };
});

/** The device library, which the build has made. */
const deviceLibrary = resource(async (): Promise<FileContent> => {
  try {
    const path = createRequire(import.meta.url).resolve("@tidings/device");
    return { bytes: await readFile(path), contentType: "text/javascript; charset=utf-8" };
  } catch (cause) {
    throw new ApiError("unavailable", "The device library is not built: run npm run build.", { cause });
  }
});

/** What the script of the phone imports. */
export const deviceFile: PublicFile = {
  path: "/demo/assets/device.js",
  kept: "minutes",
  isServed,
  read: (app) => app.get(deviceLibrary),
};

const asJson = (value: unknown): FileContent => ({
  bytes: Buffer.from(JSON.stringify(value)),
  contentType: "application/json; charset=utf-8",
});

/** What was pushed to a phone of the demo, newest first. A phone without a push is new, so its campaign is planned at once. */
export const phoneInbox: PublicFile = {
  path: "/demo/device/inbox/{token}",
  kept: "never",
  isServed,
  async read(app, { token = "" }) {
    if (!isPhoneToken(token)) return null;
    const pushes = await listPushes(app.database.kysely, token);
    if (pushes.length === 0) await lookForPhones(app);
    return asJson({ pushes });
  },
};
