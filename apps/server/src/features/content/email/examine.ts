import type { Token } from "marked";
import { longFilling } from "../template/fillings.pure.ts";
import { type EmailOptions, renderHtml } from "./compiled-email.ts";
import { type Body, inside, tokensOf } from "./html/markdown.pure.ts";
import { fillSlot } from "./html/renderer.ts";
import type { EmailMessage } from "./message.pure.ts";

/** What stands at the end of a mail, where a mail program that shows its beginning does not show it. */
export type AtTheEnd = "unsubscribe" | "opens";

/** What is worth knowing of a mail before it is sent. */
export type Examined = {
  /** Bytes of its HTML, decoded, with links that are counted and personal fields that say much. */
  bytes: number;
  /** Whether it has personal fields, so that it is longer for some users than for others. */
  isPersonal: boolean;
  /** What does not end before the limit. */
  beyond: readonly AtTheEnd[];
  /** The first HTML that its author wrote, which readers see as text; null where there is none. */
  writtenHtml: string | null;
};

/** Where the addresses stand that are looked for. */
const PATHS: Readonly<Record<AtTheEnd, string>> = { unsubscribe: "unsubscribe", opens: "open.gif" };

/** Bytes of a text in a mail, whose lines end with CRLF. The end of the last line is not of the text, but of the boundary behind it. */
function bytesOf(text: string): number {
  const lines = text.replace(/\r\n?/g, "\n").replace(/\n$/, "");
  return Buffer.byteLength(lines) + lines.split("\n").length - 1;
}

function findHtml(tokens: readonly Token[], body: Body): string | null {
  for (const token of tokensOf(tokens)) {
    if (token.type === "html")
      return body.fields
        .read(token.raw)
        .map((part) => (typeof part === "string" ? part : `{{ ${part.source} }}`))
        .join("")
        .trim();
    const found = findHtml(inside(token), body);
    if (found !== null) return found;
  }
  return null;
}

/**
 * Looks at a mail as it will leave, by the code that writes it. `token` is as long as that of a delivery; `limit` is in bytes of the HTML.
 * The message must have passed `EmailMessage`; `body` is its body, parsed.
 */
export function examineEmail(
  message: EmailMessage,
  body: Body,
  options: EmailOptions,
  { token, limit }: { token: string; limit: number },
): Examined {
  const html = renderHtml(message, body, options);
  const recipient = { fill: longFilling, token };
  const text = html
    .map((part) => (typeof part === "string" ? part : fillSlot(part, recipient, options.signTarget)))
    .join("");
  const bytes = bytesOf(text);
  const isBeyond = (what: AtTheEnd): boolean => {
    const address = `${options.publicUrl}/e/${token}/${PATHS[what]}`;
    const at = text.lastIndexOf(address);
    return at >= 0 && bytesOf(text.slice(0, at + address.length)) > limit;
  };
  const beyond = bytes > limit ? (["unsubscribe", "opens"] as const).filter(isBeyond) : [];
  const isPersonal = html.some((part) => typeof part !== "string" && part.kind !== "token");
  return { bytes, isPersonal, beyond, writtenHtml: findHtml(body.tokens, body) };
}
