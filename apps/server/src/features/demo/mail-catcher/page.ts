import { readFileSync } from "node:fs";
import type { PublicAnswer } from "../../../platform/http/public/public-route.ts";
import { escapeHtml, pageWriter } from "../../../platform/text/html.ts";
import type { ShownMail } from "../../content/email/public.ts";

const STYLE = readFileSync(new URL("./mail-catcher.css", import.meta.url), "utf8");

/** Caught mail is private: no cache keeps it, no other site can frame it or learn its address. */
const CLOSED = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "cross-origin-resource-policy": "same-origin",
  "x-robots-tag": "noindex",
};

const write = pageWriter({
  style: STYLE,
  headers: CLOSED,
  allows: ["frame-src 'self'", "form-action 'none'"],
});
const page = (title: string, main: string): PublicAnswer => write(200, title, main);

/** A text that a mail brought: escaped, and isolated so that right-to-left text changes nothing around it. */
const theirs = (text: string | null, otherwise: string): string =>
  text === null ? `<i>${otherwise}</i>` : `<bdi>${escapeHtml(text)}</bdi>`;

const when = (at: number): string => {
  const iso = new Date(at).toISOString();
  return `<time datetime="${iso}">${iso.slice(0, 19).replace("T", " ")} UTC</time>`;
};

/** A message in the list. */
export type MailListLine = Pick<ShownMail, "from" | "subject"> & {
  id: string;
  recipient: string;
  projectName: string;
  at: number;
};

const lineOf = ({ id, recipient, projectName, at, from, subject }: MailListLine): string =>
  `<li><a href="/demo/outbox/${id}">
<span class="subject">${theirs(subject, "no subject")}</span>
<span class="to">to ${theirs(recipient, "nobody")}</span>
<span class="about">${theirs(from, "no sender")} · ${theirs(projectName, "")} · ${when(at)}</span>
</a></li>`;

/** The list, newest first; `isCut` where there are more. */
export const listPage = (lines: readonly MailListLine[], isCut: boolean): PublicAnswer =>
  page(
    "Outbox",
    `<nav aria-label="Outbox"><a href="/demo/outbox">Look again</a></nav>
<h1>Outbox</h1>
<p class="soft">Mail of projects without a mail server stays here, for this machine to look at. None of it was sent.</p>
${
  lines.length === 0
    ? '<p class="empty">Nothing here yet.</p>'
    : `<ul class="mails">\n${lines.map(lineOf).join("\n")}\n</ul>`
}
${isCut ? `<p class="soft">These are the newest ${lines.length}.</p>` : ""}`,
  );

const fact = (name: string, value: string): string => `<dt>${name}</dt><dd>${value}</dd>`;

/** The page of a message: its header, its HTML in a frame, its text. */
export function mailPage(
  message: { id: string; recipient: string; at: number },
  mail: ShownMail,
): PublicAnswer {
  const { id, recipient, at } = message;
  const here = `/demo/outbox/${id}`;
  const headers = mail.headers
    .map(
      ({ name, value }) => `<tr><th scope="row">${escapeHtml(name)}</th><td>${escapeHtml(value)}</td></tr>`,
    )
    .join("\n");
  return page(
    mail.subject ?? "No subject",
    `<nav aria-label="Outbox"><a href="/demo/outbox">All mail</a></nav>
<h1>${theirs(mail.subject, "no subject")}</h1>
<dl>
${fact("From", theirs(mail.from, "nobody"))}
${fact("To", theirs(mail.to ?? recipient, "nobody"))}
${mail.to === recipient ? "" : fact("Envelope", theirs(recipient, "nobody"))}
${fact("Kept", when(at))}
</dl>
<h2 id="html">As a mail program shows it</h2>
${
  mail.html === null
    ? '<p class="empty">This mail has no HTML that can be read.</p>'
    : `<iframe src="${here}/html" title="The mail" sandbox="allow-popups allow-popups-to-escape-sandbox"></iframe>`
}
<h2 id="text">As plain text</h2>
${mail.text === null ? '<p class="empty">This mail has no text that can be read.</p>' : `<pre tabindex="0" role="region" aria-labelledby="text">${escapeHtml(mail.text)}</pre>`}
<details>
<summary>${mail.headers.length} headers</summary>
<div class="wide" tabindex="0" role="region" aria-label="Headers"><table><tbody>
${headers}
</tbody></table></div>
</details>
<p><a href="${here}/raw">Raw source</a></p>`,
  );
}

/**
 * The HTML of a mail as it is, in a frame that can only open links in a new tab: no script, no form, and pictures from `origin`
 * alone.
 */
export const framedPage = (html: string, origin: string): PublicAnswer => ({
  status: 200,
  contentType: "text/html; charset=utf-8",
  headers: {
    ...CLOSED,
    "content-security-policy": `default-src 'none'; style-src 'unsafe-inline'; img-src 'self' ${origin}; base-uri 'none'; form-action 'none'; frame-ancestors 'self'; sandbox allow-popups allow-popups-to-escape-sandbox`,
  },
  // Browsers use the first `base` of a document, so one in the mail has no effect.
  body: `<!doctype html><base target="_blank">${html}`,
});

export const rawPage = (raw: Buffer): PublicAnswer => ({
  status: 200,
  contentType: "text/plain; charset=utf-8",
  headers: { ...CLOSED, "content-security-policy": "default-src 'none'; sandbox" },
  body: raw,
});
