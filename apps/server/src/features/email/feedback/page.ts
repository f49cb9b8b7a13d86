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
p:last-child { margin: 0 }
form { margin: 0 0 .75rem }
form:last-child { margin: 0 }
a { color: var(--act) }
button { font: inherit; font-weight: 600; min-height: 2.875rem; padding: .5rem 1.25rem; border: 2px solid var(--act);
  border-radius: .5rem; background: var(--act); color: var(--on-act); cursor: pointer }
fieldset { margin: 0 0 1.25rem; padding: 0; border: 0 }
legend { margin: 0 0 .5rem; padding: 0 }
.choice { display: grid; grid-template-columns: 1.75rem 1fr; align-items: start; padding: .625rem 0; border-top: 1px solid var(--line) }
.choice input { width: 1.25rem; height: 1.25rem; margin: .2rem 0 0; accent-color: var(--act) }
.choice .soft { grid-column: 2; color: var(--soft) }
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
/** A button, or a link. `to` is the last part of the page's own path. */
type Action = { to: string; label: string; isQuiet?: true; isLink?: true };

const actionHtml = ({ to, label, isQuiet, isLink }: Action): string =>
  isLink
    ? `<p><a href="${escapeHtml(to)}">${escapeHtml(label)}</a></p>`
    : `<form method="post" action="${escapeHtml(to)}"><button${isQuiet ? ' class="quiet"' : ""}>${escapeHtml(label)}</button></form>`;

/** A page for a reader. `form`: HTML of what it asks, above its buttons. */
export function readerPage(
  status: number,
  { title, text, soft }: Words,
  { form = "", actions = [] }: { form?: string; actions?: readonly Action[] } = {},
): PublicAnswer {
  const paragraphs = text.map((words) => `<p>${escapeHtml(words)}</p>`);
  if (soft !== undefined) paragraphs.push(`<p class="soft">${escapeHtml(soft)}</p>`);
  const parts = [`<h1>${escapeHtml(title)}</h1>`, ...paragraphs, form, ...actions.map(actionHtml)];
  return write(status, title, parts.filter((part) => part !== "").join("\n"));
}

/** What a page is about: the name in the From of the mail, and the topic of its campaign, null for everything. */
export type PageOf = { sender: string; topic: string | null };

/** Stops all mail, in place of a topic. */
export const FROM_EVERYTHING = "unsubscribe?from=everything";
const stopAll = (sender: string): Action => ({
  to: FROM_EVERYTHING,
  label: `Stop all email from ${sender}`,
  isQuiet: true,
});
const CHOOSE: Action = { to: "preferences", label: "Choose what you get", isLink: true };

export const askPage = ({ sender, topic }: PageOf): PublicAnswer =>
  topic === null
    ? readerPage(
        200,
        {
          title: `Stop email from ${sender}?`,
          text: [`Press the button, and ${sender} sends no more of these emails to your address.`],
        },
        { actions: [{ to: "unsubscribe", label: "Unsubscribe" }] },
      )
    : readerPage(
        200,
        {
          title: `Stop ${topic} from ${sender}?`,
          text: [`Press the button, and ${sender} sends no more email about ${topic} to your address.`],
        },
        { actions: [{ to: "unsubscribe", label: `Unsubscribe from ${topic}` }, stopAll(sender), CHOOSE] },
      );

export const donePage = ({ sender, topic }: PageOf): PublicAnswer =>
  readerPage(
    200,
    {
      title: "You are unsubscribed",
      text: [
        topic === null
          ? `${sender} sends no more of these emails to your address.`
          : `${sender} sends no more email about ${topic} to your address.`,
      ],
      soft: "A message that is on its way already may still arrive. Was this a mistake? You can take it back.",
    },
    {
      actions: [
        { to: "resubscribe", label: "Subscribe again", isQuiet: true },
        ...(topic === null ? [] : [stopAll(sender), CHOOSE]),
      ],
    },
  );

export const backPage = ({ sender, topic }: PageOf): PublicAnswer =>
  readerPage(
    200,
    {
      title: "You are subscribed again",
      text: [
        topic === null
          ? `${sender} may send email to your address as before.`
          : `${sender} may send email about ${topic} to your address as before.`,
      ],
    },
    { actions: [{ to: "unsubscribe", label: "Unsubscribe", isQuiet: true }] },
  );

export const offPage = (sender: string): PublicAnswer =>
  readerPage(200, {
    title: "Email stays off",
    text: [
      `This page cannot turn email from ${sender} on again. If you would like to get it, please write to ${sender}.`,
    ],
  });

export const deadLinkPage = (): PublicAnswer =>
  readerPage(404, {
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
