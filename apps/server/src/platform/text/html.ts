import { hash } from "node:crypto";
import type { PublicAnswer } from "../http/public/public-route.ts";

const ESCAPES: Readonly<Record<string, string>> = {
  "&": "&amp;",
  "<": "&lt;",
  ">": "&gt;",
  '"': "&quot;",
  "'": "&#39;",
};

/** Text escaped for HTML, also for a quoted attribute. */
export const escapeHtml = (text: string): string =>
  /[&<>"']/.test(text) ? text.replace(/[&<>"']/g, (character) => ESCAPES[character] ?? "") : text;

/** What all pages of one kind share: style, headers, and what their Content-Security-Policy allows beside that style. */
export type PageKind = {
  style: string;
  headers: Readonly<Record<string, string>>;
  /** Directives such as `form-action 'self'`. */
  allows: readonly string[];
};

/** Writes pages without scripts, which load nothing but the icon of their tab and which no other page may frame. `main` is HTML, `title` text. */
export function pageWriter({ style, headers, allows }: PageKind) {
  const policy = [
    "default-src 'none'",
    `style-src 'sha256-${hash("sha256", style, "base64")}'`,
    // The icon of the tab is all that a page loads, unless it allows more.
    ...(allows.some((directive) => directive.startsWith("img-src")) ? [] : ["img-src 'self'"]),
    ...allows,
    "base-uri 'none'",
    "frame-ancestors 'none'",
  ].join("; ");
  return (status: number, title: string, main: string): PublicAnswer => ({
    status,
    contentType: "text/html; charset=utf-8",
    headers: { ...headers, "content-security-policy": policy },
    body: `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="color-scheme" content="light dark">
<title>${escapeHtml(title)}</title>
<link rel="icon" href="/favicon.svg" type="image/svg+xml">
<style>${style}</style>
</head>
<body>
<main>
${main}
</main>
</body>
</html>
`,
  });
}
