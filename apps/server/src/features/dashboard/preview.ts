import { readFile } from "node:fs/promises";
import { createRequire } from "node:module";
import { ApiError } from "../../platform/http/contract/errors.ts";
import type { FileContent, PublicFile } from "../../platform/http/public/public-file.ts";
import type { PublicRoute } from "../../platform/http/public/public-route.ts";
import { resource } from "../../platform/runtime.ts";

/** The most hosts that pictures are loaded from at once, so that the policy stays a header. */
const MAX_HOSTS = 30;

const isOrigin = (text: string): boolean =>
  /^https?:/.test(text) && URL.canParse(text) && new URL(text).origin === text;

/**
 * The frame has no origin, so nothing in a message reaches the session of the person who looks at it. It runs one script of ours. Pictures of
 * this server load at once, those of another host only from `hosts` (origins), which the person chose: a request tells its host who looks at
 * the message, and when.
 */
const policyOf = (own: string, hosts: readonly string[]): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    "style-src 'unsafe-inline'",
    `img-src ${["'self'", "data:", own, ...hosts].join(" ")}`,
    "base-uri 'none'",
    "form-action 'none'",
    "frame-ancestors 'self'",
    "sandbox allow-scripts",
  ].join("; ");

const PAGE = `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1">
<title>Preview</title>
<style>body{margin:0}</style>
<body><script src="/app/preview.js"></script></body>
</html>
`;

/** The frame in which the dashboard has a message drawn; each `pictures` of its address is an origin that pictures may come from. */
export const previewPage: PublicRoute = {
  method: "GET",
  path: "/app/preview",
  respond: async (app, { query }) => ({
    status: 200,
    contentType: "text/html; charset=utf-8",
    body: PAGE,
    headers: {
      "cache-control": "no-store",
      "content-security-policy": policyOf(
        new URL(app.publicUrl()).origin,
        query.getAll("pictures").filter(isOrigin).slice(0, MAX_HOSTS),
      ),
      "cross-origin-resource-policy": "same-origin",
    },
  }),
};

const script = resource(async (): Promise<FileContent> => {
  try {
    const path = createRequire(import.meta.url).resolve("@tidings/web/preview.js");
    return { bytes: await readFile(path), contentType: "text/javascript; charset=utf-8" };
  } catch (cause) {
    throw new ApiError("unavailable", "The preview is not built: run npm run build.", { cause });
  }
});

/** What draws in the frame: the code of the browser SDK. */
export const previewScript: PublicFile = {
  path: "/app/preview.js",
  kept: "minutes",
  read: (app) => app.get(script),
};
