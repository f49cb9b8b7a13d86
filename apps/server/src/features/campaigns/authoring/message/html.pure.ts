import { cutText } from "@tidings/client/text";
import { type Path, pointer } from "../../../audience/language/parse/diagnostics.pure.ts";
import type { Diagnostic } from "../../../audience/language/schema.ts";
import { decodeEntities } from "../../../content/email/html/entities.pure.ts";
import type { ReadText } from "./read-content.pure.ts";

const MAX_QUOTED = 60;
/** Stands for a character of a personal field, whose value is not part of a tag's name. */
const ANY_CHARACTER = "\ue000";

const ATTRIBUTE = String.raw`\s+[a-z_:][\w.:-]*(?:\s*=\s*(?:[^\s"'=<>${"`"}]+|'[^']*'|"[^"]*"))?`;
/** Tags and comments as Markdown reads them (CommonMark 6.6), and characters by name or number. */
const MARKUP = new RegExp(
  String.raw`<[a-z][a-z\d-]*(?:${ATTRIBUTE})*\s*/?>|</[a-z][a-z\d-]*\s*>|<!--|&(?:#\d{1,7}|#x[\da-f]{1,6}|[a-z]\w{1,30});`,
  "gi",
);

const isMarkup = (found: string): boolean => found.startsWith("<") || decodeEntities(found) !== found;

/** The first HTML in a text that is shown as it is written; null where there is none. Personal fields stay as they are written. */
export function findHtml({ text, template }: Pick<ReadText, "text" | "template">): string | null {
  const parts = template?.parts ?? [text];
  const written = parts.map((part) => (typeof part === "string" ? part : `{{ ${part.source} }}`));
  // As long as what is written, so that a place in one is the place in the other.
  const masked = written.map((part, index) =>
    typeof parts[index] === "string" ? part : ANY_CHARACTER.repeat(part.length),
  );
  for (const { 0: found, index } of masked.join("").matchAll(MARKUP))
    if (isMarkup(found))
      return written
        .join("")
        .slice(index, found === "<!--" ? undefined : index + found.length)
        .trim();
  return null;
}

/** The warning of HTML that readers see as text; `shownAs` says what the text is instead. */
export const htmlRemark = (html: string, at: Path, shownAs: string): Diagnostic => ({
  severity: "warning",
  code: "html_as_text",
  path: pointer(at),
  message: `HTML is shown as text, as in ${cutText(html.replace(/\s+/g, " "), MAX_QUOTED)}: ${shownAs}.`,
});
