import { escapeHtml } from "../../../platform/html.ts";
import { type Field, fillField, type Person, type Template } from "../template/template.pure.ts";
import { decodeEntities } from "./entities.ts";
import type { Marks } from "./marks.ts";
import type { Target } from "./target.ts";

/** The part of a mail that is written: it decides how text is escaped. */
export type Flavour = "html" | "plain";

/** What differs between the recipients of a letter, within its two parts. */
export type Slot =
  | { kind: "field"; field: Field; flavour: Flavour }
  | { kind: "token" }
  /** An address with fields. */
  | { kind: "url"; target: Target; flavour: Flavour }
  /** The same behind a counted link: `<target>&s=<signature>`. */
  | { kind: "click"; target: Target; flavour: Flavour };

/** How links are made; `publicUrl` is an origin without a slash at its end. */
export type Links = { publicUrl: string; countsClicks: boolean; signTarget: (url: string) => string };

/** Writes the texts of a message for one of the two parts, with a mark for every slot. */
export type Pen = {
  /** Static text of ours or of the project. */
  text(text: string): string;
  /** Text of a Markdown token; `literal` where no `&copy;` is read. */
  markdown(marked: string, literal?: boolean): string;
  template(template: Template): string;
  /** Where a link of the message leads, counted where that was asked for. */
  link(target: Target): string;
  /** The address itself, never counted: of an image. */
  address(target: Target): string;
  /** A page of ours about this very message, such as `unsubscribe`. */
  own(path: string): string;
};

const escapeFor = (text: string, flavour: Flavour): string => (flavour === "html" ? escapeHtml(text) : text);

/** The one slot of its kind: the recipient's token stands in every link of ours. */
const TOKEN: Slot = { kind: "token" };

const staticUrl = (target: Target): string | null =>
  target.parts.length === 1 && typeof target.parts[0] === "string" ? target.parts[0] : null;

const fillTarget = (target: Target, person: Person): string =>
  target.parts
    .map((part) =>
      typeof part === "string" ? part : encodeURIComponent(fillField(part, person).toWellFormed()),
    )
    .join("");

/** What a slot says to one recipient, escaped for where it stands. */
export function fillSlot(
  slot: Slot,
  recipient: { person: Person; token: string },
  signTarget: Links["signTarget"],
): string {
  if (slot.kind === "token") return recipient.token;
  if (slot.kind === "field") return escapeFor(fillField(slot.field, recipient.person), slot.flavour);
  const url = fillTarget(slot.target, recipient.person);
  if (slot.kind === "url") return escapeFor(url, slot.flavour);
  return escapeFor(`${encodeURIComponent(url)}&s=${signTarget(url)}`, slot.flavour);
}

export function createPen(flavour: Flavour, fields: Marks<Field>, slots: Marks<Slot>, links: Links): Pen {
  const escaped = (text: string): string => slots.text(escapeFor(text, flavour));
  const places = new Map<Field, string>();
  const place = (field: Field): string => {
    const mark = places.get(field) ?? slots.put({ kind: "field", field, flavour });
    places.set(field, mark);
    return mark;
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
      return url === null
        ? own("click?to=") + slots.put({ kind: "click", target, flavour })
        : own(`click?to=${encodeURIComponent(url)}&s=${links.signTarget(url)}`);
    },
    address,
    own,
  };
}
