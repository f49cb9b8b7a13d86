/** A message as the server delivers it. Its content is checked where it is shown: it may be older than this SDK. */
export type Message = { deliveryId: string; content: Content };

export type Content = {
  presentation?: unknown;
  title?: unknown;
  body?: unknown;
  cta?: { label?: unknown; url?: unknown; destination?: { kind?: unknown; url?: unknown } };
  media?: { url?: unknown; alt?: unknown };
};

/** The parts of a message that are drawn: texts, and addresses that are safe to open. */
export type Drawing = {
  isModal: boolean;
  title: string;
  body: string;
  /** `href` is null for a button that opens nothing. */
  action: { label: string; href: string | null } | null;
  image: { src: string; alt: string } | null;
};

const text = (value: unknown): string => (typeof value === "string" ? value.trim() : "");

/** An address with one of these schemes, resolved against the page; null for anything else. */
function safeUrl(value: unknown, schemes: readonly string[]): string | null {
  const address = text(value);
  // Resolved against the page, an empty text would be the page's own address.
  if (address === "") return null;
  try {
    const url = new URL(address, location.href);
    return schemes.includes(url.protocol.slice(0, -1)) ? url.href : null;
  } catch {
    return null;
  }
}

const OWN_SCHEMES = ["https", "http", "mailto"];
/** Links of these schemes run code in the page, so they are refused even where a setting allows them. */
const NEVER = ["javascript", "data", "vbscript", "blob", "file"];

function actionOf(cta: NonNullable<Content["cta"]>, appSchemes: readonly string[]): Drawing["action"] {
  const label = text(cta.label);
  const { destination } = cta;
  const target = destination ? (destination.url ?? null) : cta.url;
  if (label === "") return null;
  if (target === undefined) return { label, href: null };
  const allowed =
    destination?.kind === "app" ? appSchemes.filter((scheme) => !NEVER.includes(scheme)) : OWN_SCHEMES;
  const href = safeUrl(target, allowed);
  // A message with an address that cannot be opened gets no button.
  return href === null ? null : { label, href };
}

/** The parts of a message to draw, or null when it has no text. */
export function drawingOf(content: Content, appSchemes: readonly string[]): Drawing | null {
  const title = text(content.title);
  const body = text(content.body);
  if (title === "" && body === "") return null;
  const src = safeUrl(content.media?.url, ["https", "http"]);
  return {
    isModal: content.presentation === "modal" || (content.presentation !== "toast" && src !== null),
    title,
    body,
    action: content.cta ? actionOf(content.cta, appSchemes) : null,
    image: src === null ? null : { src, alt: text(content.media?.alt) },
  };
}
