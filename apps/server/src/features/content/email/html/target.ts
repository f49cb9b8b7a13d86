import type { Field } from "../../template/template.pure.ts";

/**
 * Where a link leads: ASCII text that is percent-encoded already, and fields, whose values are percent-encoded when they are
 * filled in.
 */
export type Target = { kind: "web" | "mail"; parts: readonly (string | Field)[] };

/** Why a text cannot be a target: its scheme, a host that is not written out before the first field, or its length. */
export type TargetFault = "scheme" | "host" | "length";

export const MAX_TARGET = 2_048;

const WEB = /^(https?:\/\/[^/?#\\\s]+)([/?#].*)?$/is;
const MAIL = /^mailto:[^?\s]+@[^?\s]+(\?.*)?$/is;
const NOT_OF_A_URL = /%(?![\da-f]{2})|[^\w\-.~:/?#[\]@!$&'()*+,;=%]/giu;

/** Static text of a URL; what was percent-encoded already stays so (RFC 3986). */
const encodeStatic = (text: string): string =>
  text.replace(NOT_OF_A_URL, (character) => encodeURIComponent(character.toWellFormed()));

/** The origin with its host as DNS knows it, or null. A user name in front of the host only serves to deceive. */
function originOf(text: string): string | null {
  if (!URL.canParse(text)) return null;
  const url = new URL(text);
  return url.username === "" && url.password === "" ? url.origin : null;
}

/** Reads an address of a link: http(s) with a written-out host, or mailto with a written-out mailbox. */
export function readTarget(parts: readonly (string | Field)[]): Target | { fault: TargetFault } {
  const [first = "", ...others] = parts;
  if (typeof first !== "string") return { fault: "host" };
  if (parts.reduce((sum, part) => sum + (typeof part === "string" ? part.length : 1), 0) > MAX_TARGET)
    return { fault: "length" };
  const head = first.trimStart();
  const [web, written, path] = WEB.exec(head) ?? [];
  const [mail, query] = MAIL.exec(head) ?? [];
  const startsWell = /^(https?:\/\/|mailto:)/i.test(head);
  if (web === undefined && mail === undefined)
    return { fault: startsWell && others.length > 0 ? "host" : "scheme" };
  if (others.length > 0 && path === undefined && query === undefined) return { fault: "host" };
  const rest = others.map((part) => (typeof part === "string" ? encodeStatic(part) : part));
  if (mail !== undefined) return { kind: "mail", parts: [encodeStatic(head), ...rest] };
  const origin = originOf(written ?? "");
  if (origin === null) return { fault: "scheme" };
  const tail = path?.startsWith("/") ? path : `/${path ?? ""}`;
  return {
    kind: "web",
    parts: [origin + encodeStatic(others.length === 0 ? tail.trimEnd() : tail), ...rest],
  };
}
