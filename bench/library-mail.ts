/** Markdown with personal fields that becomes about 5 KB of HTML. */
const PARAGRAPH =
  "Reports that used to take an afternoon are ready before your coffee is. Pick a template, choose who may see it, and let it arrive every Monday morning; whoever opens it sees the numbers of that minute, not of last week.";

export const BODY = [
  "# Good news, {{ user.name | default: 'friend' }}",
  PARAGRAPH,
  "You are on the **{{ user.plan }}** plan. [See what is new](https://acme.example/new) or [read the guide](https://acme.example/guide).",
  "- Faster exports\n- Shared folders\n- A calmer inbox",
  PARAGRAPH,
  "Yours, the people at [Acme](https://acme.example/), for {{ user.id }}",
].join("\n\n");

export const SUBJECT = "What is new for {{ user.name | default: 'you' }}";

const filled = (text: string, n: number): string =>
  text
    .replace(/\{\{ user\.name[^}]*\}\}/g, `Person ${n}`)
    .replace(/\{\{ user\.plan \}\}/g, "free")
    .replace(/\{\{ user\.id \}\}/g, `user-${n}`);

const STYLE = "margin:0 0 16px;font:16px/1.5 sans-serif;color:#1a1a1a";
const HTML = `<!doctype html><html><body style="margin:0;padding:24px;background:#f4f4f4">${BODY.split("\n\n")
  .map((part) => `<p style="${STYLE}">${part}</p>`)
  .join("")}${`<p style="${STYLE}">${PARAGRAPH}</p>`.repeat(10)}</body></html>`;

/** A message such as a program that uses a mail library would send: filled in by itself, about 5 KB of HTML. */
export const libraryMailOf = (n: number) => ({
  from: "Acme News <news@acme.example>",
  to: `user-${n}@example.com`,
  subject: filled(SUBJECT, n),
  text: filled(BODY, n),
  html: filled(HTML, n),
  headers: {
    "List-Unsubscribe": `<https://acme.example/unsubscribe/${n}>`,
    "List-Unsubscribe-Post": "List-Unsubscribe=One-Click",
  },
});
