import type { PublicAnswer } from "../../../platform/http/public/public-route.ts";
import { escapeHtml, pageWriter } from "../../../platform/text/html.ts";

const STYLE = `
:root { color-scheme: light dark; --ink: #1c2024; --soft: #5b626b; --paper: #fff; --ground: #f2f4f6; --line: #d5dae0; --act: #1f5fbf; --on-act: #fff }
@media (prefers-color-scheme: dark) {
  :root { --ink: #eceef0; --soft: #a9b0b8; --paper: #1d2125; --ground: #121416; --line: #363c43; --act: #8ab4ff; --on-act: #10151c }
}
* { box-sizing: border-box }
body { margin: 0; min-height: 100vh; display: grid; place-items: center; padding: 1rem; background: var(--ground); color: var(--ink);
  font: 1.0625rem/1.55 system-ui, -apple-system, "Segoe UI", Roboto, sans-serif }
main { width: 100%; max-width: 30rem; padding: clamp(1.5rem, 6vw, 2.5rem); background: var(--paper); border: 1px solid var(--line);
  border-radius: .875rem; overflow-wrap: anywhere }
h1 { margin: 0 0 .75rem; font-size: 1.5rem; line-height: 1.25; text-wrap: balance }
p { margin: 0 0 1rem }
p.soft { color: var(--soft) }
p:last-child, form { margin: 0 }
button { font: inherit; font-weight: 600; min-height: 2.875rem; padding: .5rem 1.25rem; border: 2px solid var(--act);
  border-radius: .5rem; background: var(--act); color: var(--on-act); cursor: pointer }
button.quiet { background: transparent; color: var(--act) }
button:focus-visible { outline: 3px solid var(--act); outline-offset: 3px }
@media (max-width: 26rem) { button { width: 100% } }
`;

/** For pages and pictures that mail leads to: no cache stores them, and the next site does not learn their address. */
export const PRIVATE = {
  "cache-control": "no-store",
  "referrer-policy": "no-referrer",
  "x-robots-tag": "noindex, nofollow",
} as const;

const write = pageWriter({ style: STYLE, headers: PRIVATE, allows: ["form-action 'self'"] });

type Words = { title: string; text: readonly string[]; soft?: string };
/** `to` is the last part of the page's own path. */
type Action = { to: "unsubscribe" | "resubscribe"; label: string; isQuiet?: true };

function page(status: number, { title, text, soft }: Words, action?: Action): PublicAnswer {
  const paragraphs = text.map((words) => `<p>${escapeHtml(words)}</p>`);
  if (soft !== undefined) paragraphs.push(`<p class="soft">${escapeHtml(soft)}</p>`);
  const form =
    action === undefined
      ? ""
      : `<form method="post" action="${action.to}"><button${action.isQuiet ? ' class="quiet"' : ""}>${escapeHtml(action.label)}</button></form>`;
  return write(status, title, [`<h1>${escapeHtml(title)}</h1>`, ...paragraphs, form].join("\n"));
}

export const askPage = (sender: string): PublicAnswer =>
  page(
    200,
    {
      title: `Stop email from ${sender}?`,
      text: [`Press the button, and ${sender} sends no more of these emails to your address.`],
    },
    { to: "unsubscribe", label: "Unsubscribe" },
  );

export const donePage = (sender: string): PublicAnswer =>
  page(
    200,
    {
      title: "You are unsubscribed",
      text: [`${sender} sends no more of these emails to your address.`],
      soft: "A message that is on its way already may still arrive. Was this a mistake? You can take it back.",
    },
    { to: "resubscribe", label: "Subscribe again", isQuiet: true },
  );

export const backPage = (sender: string): PublicAnswer =>
  page(
    200,
    {
      title: "You are subscribed again",
      text: [`${sender} may send email to your address as before.`],
    },
    { to: "unsubscribe", label: "Unsubscribe", isQuiet: true },
  );

export const offPage = (sender: string): PublicAnswer =>
  page(200, {
    title: "Email stays off",
    text: [
      `This page cannot turn email from ${sender} on again. If you would like to get it, please write to ${sender}.`,
    ],
  });

export const deadLinkPage = (): PublicAnswer =>
  page(404, {
    title: "This link does not work",
    text: ["It may have been cut off on its way. Please open it from the email again."],
  });

/** The answer to the honeypot: only bots see it. */
export const emptyPage = (): PublicAnswer => ({
  status: 200,
  contentType: "text/html; charset=utf-8",
  headers: { ...PRIVATE, "content-security-policy": "default-src 'none'; frame-ancestors 'none'" },
  body: '<!doctype html><html lang="en"><head><title>Nothing here</title></head><body></body></html>\n',
});
