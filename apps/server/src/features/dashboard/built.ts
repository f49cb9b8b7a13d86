import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { dirname, extname, join } from "node:path";
import type { FileContent } from "../../platform/http/public/public-file.ts";
import { resource } from "../../platform/runtime.ts";

const TYPES: Readonly<Record<string, string>> = {
  ".js": "text/javascript; charset=utf-8",
  ".css": "text/css; charset=utf-8",
  ".woff2": "font/woff2",
  ".svg": "image/svg+xml",
  ".png": "image/png",
};

/** Names that the builder gives: nothing that leads out of its folder. */
const NAME = /^[A-Za-z0-9_-]+(\.[A-Za-z0-9_-]+)*\.[a-z0-9]+$/;

/** What the builder has made of the pages. Each file is read once; one that is not there is looked for again. */
export const built = resource(() => {
  const files = new Map<string, Buffer>();
  const read = async (name: string): Promise<Buffer | null> => {
    const known = files.get(name);
    if (known !== undefined) return known;
    try {
      const index = createRequire(import.meta.url).resolve("@tidings/dashboard/dist/index.html");
      const bytes = await readFile(join(dirname(index), name));
      files.set(name, bytes);
      return bytes;
    } catch {
      return null;
    }
  };
  return {
    /** The page around all pages; null where nothing is built. */
    index: async (): Promise<string | null> => (await read("index.html"))?.toString("utf8") ?? null,
    /** A script, a style sheet or an image; null where there is none of this name. */
    async asset(name: string): Promise<FileContent | null> {
      const contentType = TYPES[extname(name)];
      if (contentType === undefined || !NAME.test(name)) return null;
      const bytes = await read(`assets/${name}`);
      return bytes && { bytes, contentType };
    },
  };
});
