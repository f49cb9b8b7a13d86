import { type Path, pointer } from "../../audience/language/parse/diagnostics.pure.ts";
import type { Diagnostic } from "../../audience/language/schema.ts";
import { htmlRemark } from "../../campaigns/authoring/message/html.pure.ts";
import type { AtTheEnd, Examined } from "../../content/email/public.ts";

/** Gmail shows about so many bytes of a mail's HTML. Google does not say how many; senders find 102 kB to 105 kB. */
export const GMAIL_SHOWS = 102_000;
/** From so many bytes on a mail is warned of: a little more text, or a longer name, takes it beyond what Gmail shows. */
const LONG_HTML = 100_000;

const NAMES: Readonly<Record<AtTheEnd, string>> = {
  unsubscribe: "the link to unsubscribe",
  opens: "the picture that counts opens",
};

function sizeMessage({ bytes, isPersonal, beyond }: Examined): string {
  const subject = isPersonal ? "With long personal values this mail" : "This mail";
  const size = `${subject} has ${Math.floor(bytes / 1_000)} kB of HTML`;
  if (bytes <= GMAIL_SHOWS) return `${size}. Gmail shows the first 102 kB of a mail.`;
  const hidden = beyond.map((what) => NAMES[what]).join(" and ");
  const rest = `${size}: Gmail shows the first 102 kB and hides the rest behind a link`;
  return hidden === "" ? `${rest}.` : `${rest}, ${hidden} among it.`;
}

/** What people should know of a mail before it is sent; `at` is the place of its message. */
export function remarksOfMail(examined: Examined, at: Path): Diagnostic[] {
  const body = [...at, "body"];
  const isLong = examined.bytes >= LONG_HTML;
  const warning = { severity: "warning", path: pointer(body) } as const;
  return [
    ...(isLong ? [{ ...warning, code: "gmail_clips", message: sizeMessage(examined) }] : []),
    ...(examined.writtenHtml === null ? [] : [htmlRemark(examined.writtenHtml, body, "a body is Markdown")]),
  ];
}
