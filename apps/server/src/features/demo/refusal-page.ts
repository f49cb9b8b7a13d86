import { readFileSync } from "node:fs";
import { NOT_FOR_OTHER_PAGES } from "../../platform/http/common-headers.ts";
import type { PublicAnswer } from "../../platform/http/public/public-route.ts";
import { pageWriter } from "../../platform/text/html.ts";

const write = pageWriter({
  style: readFileSync(new URL("./mail-catcher/mail-catcher.css", import.meta.url), "utf8"),
  headers: { ...NOT_FOR_OTHER_PAGES, "cache-control": "no-store" },
  allows: [],
});

/** The answer to a visitor who is not signed in and has not come by the printed address: how to come in. */
export const refusalPage = (): PublicAnswer =>
  write(
    401,
    "Sign in first",
    `<h1>Sign in first</h1>
<p>This page is for people of this server. <a href="/app">Sign in</a>, and open it again.</p>
<p>Or open the address that the server printed when it started: it ends in <code>?token=…</code>, and opens this page for a week.</p>`,
  );
