import { randomBytes } from "node:crypto";
import type { PublicFile } from "../../platform/http/public/public-file.ts";
import type { PublicAnswer, PublicRoute } from "../../platform/http/public/public-route.ts";
import type { App } from "../../platform/runtime.ts";
import { built } from "./built.ts";

/** The pages load what this server has and nothing else; no script writes HTML from text. */
const policyOf = (nonce: string): string =>
  [
    "default-src 'none'",
    "script-src 'self'",
    `style-src 'self' 'nonce-${nonce}'`,
    // Components place themselves by the attribute `style`, which no page can be made to send elsewhere by.
    "style-src-attr 'unsafe-inline'",
    // Messages are drawn in a frame of their own, so no picture of another host is loaded here.
    "img-src 'self' data:",
    "font-src 'self'",
    "connect-src 'self'",
    "frame-src 'self'",
    "base-uri 'none'",
    "form-action 'self'",
    "frame-ancestors 'none'",
    "require-trusted-types-for 'script'",
    "trusted-types default",
  ].join("; ");

const NOT_BUILT = `<!doctype html>
<html lang="en"><meta charset="utf-8"><title>Tidings</title>
<p>The dashboard is not built. Run <code>npm run build</code>, then load this page again.</p>
</html>
`;

/** The page around all pages, which the browser then fills; the same for every address of the dashboard. */
async function respond(app: App): Promise<PublicAnswer> {
  const html = await app.get(built).index();
  const nonce = randomBytes(16).toString("base64");
  return {
    status: html === null ? 503 : 200,
    contentType: "text/html; charset=utf-8",
    body: html === null ? NOT_BUILT : html.replace("%NONCE%", nonce),
    headers: {
      "cache-control": "no-store",
      "content-security-policy": policyOf(nonce),
      "cross-origin-opener-policy": "same-origin",
      "cross-origin-resource-policy": "same-origin",
    },
  };
}

const paths = ["/app", "/app/*"] as const;

export const dashboardPages: readonly PublicRoute[] = paths.map((path) => ({ method: "GET", path, respond }));

/** Scripts, style sheets and images, whose names have a digest of what is in them. */
export const dashboardAssets: PublicFile = {
  path: "/app/assets/{name}",
  kept: "forever",
  read: (app, { name = "" }) => app.get(built).asset(name),
};
