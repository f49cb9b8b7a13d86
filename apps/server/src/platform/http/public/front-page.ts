import type { Config } from "../../config.ts";
import { escapeHtml, pageWriter } from "../../text/html.ts";
import type { PublicAnswer } from "./public-route.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b626b; --paper: #fff; --ground: #f2f4f6; --line: #d5dae0; --act: #1f5fbf }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceef0; --soft: #a9b0b8; --paper: #1d2125; --ground: #121416; --line: #363c43; --act: #8ab4ff }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { width: 100%; max-width: 34rem; padding: clamp(1.5rem, 6vw, 2.5rem); background: var(--paper); border: 1px solid var(--line);
  border-radius: .875rem }
h1 { margin: 0 0 .25rem; font-size: 1.5rem }
p { margin: 0 0 1.25rem; color: var(--soft) }
ul { margin: 0; padding: 0; list-style: none }
li { padding: .625rem 0; border-top: 1px solid var(--line); color: var(--soft) }
a { color: var(--act); font-weight: 600 }
`;

const write = pageWriter({ style: STYLE, headers: { "cache-control": "no-store" }, allows: [] });

type Place = { path: string; name: string; what: string };

/** The pages of this server, for a visitor of its root address. */
function placesOf({ demo, isPrivate }: Config): Place[] {
  return [
    { path: "/app", name: "Dashboard", what: "who may do what, and who changed what" },
    ...(demo
      ? [
          {
            path: "/demo",
            name: "Demo shop",
            what: "get a toast, buy something, watch the sale being counted",
          },
          { path: "/demo/device", name: "Demo phone", what: "a page that gets pushes" },
        ]
      : []),
    ...(isPrivate
      ? [{ path: "/demo/outbox", name: "Outbox", what: "mail of projects without a mail server" }]
      : []),
    { path: "/docs", name: "API reference", what: "every operation, to try" },
    { path: "/openapi.json", name: "OpenAPI document", what: "for generating a client" },
    { path: "/readyz", name: "Readiness", what: "whether the database answers" },
  ];
}

export function frontPage(config: Config): PublicAnswer {
  const entries = placesOf(config).map(
    ({ path, name, what }) => `<li><a href="${path}">${escapeHtml(name)}</a> ${escapeHtml(what)}</li>`,
  );
  return write(
    200,
    "Tidings",
    `<h1>Tidings is running</h1>\n<p>The API is at <code>/api/v1</code>, the script for your pages at <code>/tidings.js</code>.</p>\n<ul>\n${entries.join("\n")}\n</ul>`,
  );
}
