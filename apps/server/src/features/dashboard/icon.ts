import { readFile } from "node:fs/promises";
import type { FileContent, PublicFile } from "../../platform/http/public/public-file.ts";
import { resource } from "../../platform/runtime.ts";

const icon = resource(
  async (): Promise<FileContent> => ({
    bytes: await readFile(new URL("./icon.svg", import.meta.url)),
    contentType: "image/svg+xml",
  }),
);

/** What browsers show in the tab of a page of ours. They ask for the second path where a page names none. */
export const icons: readonly PublicFile[] = (["/favicon.svg", "/favicon.ico"] as const).map((path) => ({
  path,
  kept: "minutes",
  read: (app) => app.get(icon),
}));
