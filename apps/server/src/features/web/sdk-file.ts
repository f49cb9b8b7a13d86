import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { ApiError } from "../../platform/http/contract/errors.ts";
import type { FileContent, PublicFile } from "../../platform/http/public/public-file.ts";
import { resource } from "../../platform/runtime.ts";

/** A file that the build of the browser SDK, or of what devices run, has made. */
const built = (name: `@tidings/${"web" | "device"}/${string}.js`) =>
  resource(async (): Promise<FileContent> => {
    try {
      const path = createRequire(import.meta.url).resolve(name);
      return { bytes: await readFile(path), contentType: "text/javascript; charset=utf-8" };
    } catch (cause) {
      throw new ApiError("unavailable", "The browser SDK is not built: run npm run build.", { cause });
    }
  });

const script = built("@tidings/web/tidings.js");
const show = built("@tidings/web/show.js");
const pushPage = built("@tidings/device/web.js");
const pushWorker = built("@tidings/device/web-worker.js");

/** The browser SDK, for a script tag. */
export const sdkFile: PublicFile = {
  path: "/tidings.js",
  kept: "minutes",
  read: (app) => app.get(script),
};

/** What `/tidings.js` loads with the first message of a page. Its name is in that script, and has a digest of what is in it. */
export const showFile: PublicFile = {
  path: "/tidings/{file}",
  kept: "forever",
  async read(app, { file = "" }) {
    if (!/^show-[0-9a-f]{16}\.js$/.test(file)) return null;
    const [content, { bytes }] = [await app.get(show), await app.get(script)];
    // A page that loaded the script of another version gets this version's, which takes the same calls. It must not be kept by that name.
    return bytes.includes(file) ? content : { ...content, kept: "never" };
  },
};

/** Web push in a page, as a module. */
export const pushPageFile: PublicFile = {
  path: "/tidings-push.js",
  kept: "minutes",
  read: (app) => app.get(pushPage),
};

/** Web push in a site's worker, which imports it by `importScripts`. */
export const pushWorkerFile: PublicFile = {
  path: "/tidings-sw.js",
  kept: "minutes",
  read: (app) => app.get(pushWorker),
};
