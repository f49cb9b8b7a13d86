import type { PublicFile } from "../../../platform/http/public/public-file.ts";
import { digestOfFile } from "./rules.ts";
import { findMedia } from "./store.ts";

const PROJECT_ID = /^[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}$/;

/** Serves an image. */
export const mediaFile: PublicFile = {
  path: "/media/{projectId}/{file}",
  kept: "forever",
  async read(app, { projectId = "", file = "" }) {
    const digest = digestOfFile(file);
    if (digest === null || !PROJECT_ID.test(projectId)) return null;
    return findMedia(app.database.kysely, projectId, digest);
  },
};
