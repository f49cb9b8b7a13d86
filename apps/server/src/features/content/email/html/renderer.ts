import { escapeHtml } from "../../../../platform/text/html.ts";
import type { Filling } from "../../template/fillings.pure.ts";
import type { Field, Template } from "../../template/template.pure.ts";
import { decodeEntities } from "./entities.pure.ts";
import type { Placeholders } from "./placeholders.ts";
import type { Target } from "./target.ts";

/** Which of the two parts of a mail is rendered; it decides how text is escaped. */
export type Flavour = "html" | "plain";

/** A place in the two parts of a mail whose text differs between recipients. */
export type TextSlot =
  | { kind: "field"; field: Field; flavour: Flavour }
  | { kind: "token" }
  /** An address with fields. */
  | { kind: "url"; target: Target; flavour: Flavour }
  /** The same behind a counted link: `<target>&s=<signature>`. */
  | { kind: "click"; target: Target; flavour: Flavour };

/** How links are made; `publicUrl` is an origin without a slash at its end. */
export type Links = { publicUrl: string; countsClicks: boolean; signTarget: (url: string) => string };

/** Renders the texts of a message for one of the two parts, with a placeholder for every slot. */
export type Renderer = {
  /** Static text, ours or the project's. */
  text(text: string): string;
  /** Text of a Markdown token; `literal` where entities such as `&copy;` stay as they are written. */
  markdown(marked: string, literal?: boolean): string;
  template(template: Template): string;
  /** The address of a link; it leads through our click counter where clicks are tracked. */
  link(target: Target): string;
  /** The address itself, without the click counter, as images need it. */
  address(target: Target): string;
  /** The address of one of our pages about this mail, such as `unsubscribe`. */
  own(path: string): string;
};

const escapeFor = (text: string, flavour: Flavour): string => (flavour === "html" ? escapeHtml(text) : text);

/** One slot for all places of the recipient's token, which stands in every link of ours. */
const TOKEN: TextSlot = { kind: "token" };

const staticUrl = (target: Target): string | null =>
  target.parts.length === 1 && typeof target.parts[0] === "string" ? target.parts[0] : null;

const fillTarget = (target: Target, fill: Filling): string =>
  target.parts
    .map((part) => (typeof part === "string" ? part : encodeURIComponent(fill(part).toWellFormed())))
    .join("");

/** The text of a slot for one recipient, escaped for its place. */
export function fillSlot(
  slot: TextSlot,
  recipient: { fill: Filling; token: string },
  signTarget: Links["signTarget"],
): string {
  if (slot.kind === "token") return recipient.token;
  if (slot.kind === "field") return escapeFor(recipient.fill(slot.field), slot.flavour);
  const url = fillTarget(slot.target, recipient.fill);
  if (slot.kind === "url") return escapeFor(url, slot.flavour);
  return escapeFor(`${encodeURIComponent(url)}&s=${signTarget(url)}`, slot.flavour);
}

export function createRenderer(
  flavour: Flavour,
  fields: Placeholders<Field>,
  slots: Placeholders<TextSlot>,
  links: Links,
): Renderer {
  const escaped = (text: string): string => slots.text(escapeFor(text, flavour));
  const places = new Map<Field, string>();
  const place = (field: Field): string => {
    const placeholder = places.get(field) ?? slots.put({ kind: "field", field, flavour });
    places.set(field, placeholder);
    return placeholder;
  };
  const write = (parts: readonly (string | Field)[], text: (part: string) => string): string =>
    parts.map((part) => (typeof part === "string" ? text(part) : place(part))).join("");

  const own = (path: string): string =>
    `${escaped(`${links.publicUrl}/e/`)}${slots.put(TOKEN)}${escaped(`/${path}`)}`;
  const address = (target: Target): string => {
    const url = staticUrl(target);
    return url === null ? slots.put({ kind: "url", target, flavour }) : escaped(url);
  };

  return {
    text: escaped,
    markdown: (marked, literal = false) =>
      write(fields.read(marked), (part) => escaped(literal ? part : decodeEntities(part))),
    template: (template) => write(template.parts, escaped),
    link(target) {
      if (!links.countsClicks || target.kind === "mail") return address(target);
      const url = staticUrl(target);
      // A page of ours, such as that on which a reader confirms, is no place that a mail leads people to.
      if (url?.startsWith(`${links.publicUrl}/e/`)) return address(target);
      return url === null
        ? own("click?to=") + slots.put({ kind: "click", target, flavour })
        : own(`click?to=${encodeURIComponent(url)}&s=${links.signTarget(url)}`);
    },
    address,
    own,
  };
}
