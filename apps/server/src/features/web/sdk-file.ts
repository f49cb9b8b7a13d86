import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { ApiError } from "../../platform/http/errors.ts";
import type { FileContent, PublicFile } from "../../platform/http/public-file.ts";
import { resource } from "../../platform/runtime.ts";

const script = resource(async (): Promise<FileContent> => {
  try {
    const path = createRequire(import.meta.url).resolve("@tidings/web/tidings.js");
    return { bytes: await readFile(path), contentType: "text/javascript; charset=utf-8" };
  } catch (cause) {
    throw new ApiError("unavailable", "The browser SDK is not built: run npm run build.", { cause });
  }
});

/** The browser SDK, for a script tag. */
export const sdkFile: PublicFile = {
  path: "/tidings.js",
  kept: "minutes",
  read: (app) => app.get(script),
};
