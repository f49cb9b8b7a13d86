import { once } from "node:events";
import { createServer, type Server } from "node:http";
import type { AddressInfo } from "node:net";
import { after, before } from "node:test";

/** What a customer's site answers with, by path; the page at `/` for every path that is not given. */
export type Pages = Record<string, { html: string; headers?: Record<string, string>; type?: string }>;

/** A customer's site, on an origin of its own. */
export type Site = {
  url: string;
  port: number;
  /** Paths that browsers have asked for, in order. */
  requested: string[];
  /** What it serves from now on. */
  serve(pages: Pages): void;
};

/** A customer's site for the tests of one file. Call at the top. */
export function testSite(): Site {
  let pages: Pages = {};
  let server: Server;
  const site = {
    requested: [] as string[],
    serve: (given: Pages) => {
      pages = given;
    },
  } as Site;
  before(async () => {
    server = createServer((request, response) => {
      const { pathname } = new URL(request.url ?? "/", "http://site");
      site.requested.push(pathname);
      const page = pages[pathname] ?? pages["/"];
      response.writeHead(page === undefined ? 404 : 200, {
        "content-type": page?.type ?? "text/html; charset=utf-8",
        ...page?.headers,
      });
      response.end(page?.html);
    });
    server.listen(0, "127.0.0.1");
    await once(server, "listening");
    site.port = (server.address() as AddressInfo).port;
    site.url = `http://127.0.0.1:${site.port}`;
  });
  after(() => {
    server.closeAllConnections();
    server.close();
  });
  return site;
}

/** A page of a customer: what the documentation tells them to write, and a landmark with some content. */
export const pageWith = (scripts: string, content = ""): string => `<!doctype html>
<html lang="en">
<head><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>Shop</title>
${scripts}
</head>
<body><main><h1>Shop</h1>${content}</main></body>
</html>`;

/** The three lines. */
export const snippet = (tidings: string, key: string, userId: string, traits: object = {}): string =>
  `<script async src="${tidings}/tidings.js" data-key="${key}"></script>
<script>
  (window.tidings ??= []).push(["identify", ${JSON.stringify(userId)}, ${JSON.stringify(traits)}]);
</script>`;
