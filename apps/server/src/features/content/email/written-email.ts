import type { Template } from "../template/template.pure.ts";
import { writeHtml } from "./html/html.ts";
import { layOut } from "./html/layout.ts";
import type { Body } from "./html/markdown.pure.ts";
import { createPlaceholders } from "./html/placeholders.ts";
import { writePlain } from "./html/plain.ts";
import { createRenderer, type Flavour, type Links, type Renderer, type TextSlot } from "./html/renderer.ts";
import type { Target } from "./html/target.ts";
import { directionOf, languageOf } from "./language.ts";

/** What its pages and links need to know of a mail. */
export type SheetOptions = {
  /** The company's address, with line breaks where it has them. */
  postalAddress: string;
  /** Origin of our own pages, without a slash at its end. */
  publicUrl: string;
  track: { opens: boolean; clicks: boolean };
  /** Signs the address that a click leads to; the signature is base64url. */
  signTarget: (url: string) => string;
  /** Whether the mail can be unsubscribed from; false for a test. */
  unsubscribable: boolean;
  /** Whether it leads to the page where its reader chooses topics: the mail of a campaign about one does. */
  choosable?: boolean;
};

export type EmailButton = { label: Template; target: Target };

/** The texts of a mail, read. */
export type WrittenEmail = {
  subject: Template;
  preview: Template;
  body: Body;
  button: EmailButton | null;
};

/** The part that is text to be read as it is. */
export function plainPart(parsed: WrittenEmail, options: SheetOptions, renderer: Renderer): string {
  const { body, button } = parsed;
  const address = options.postalAddress.trim().replace(/\r\n?/g, "\n");
  const footer = [
    renderer.text(address),
    ...(options.unsubscribable ? [`Unsubscribe: ${renderer.own("unsubscribe")}`] : []),
    ...(options.unsubscribable && options.choosable
      ? [`Choose what you get: ${renderer.own("preferences")}`]
      : []),
  ].filter((line) => line !== "");
  const blocks = [
    writePlain(body, renderer),
    ...(button === null ? [] : [`${renderer.template(button.label)}:\n${renderer.link(button.target)}`]),
    // "-- " begins a signature (RFC 3676, 4.3), which mail programs leave out of replies.
    ...(footer.length === 0 ? [] : [`-- \n${footer.join("\n")}`]),
  ];
  return `${blocks.join("\n\n")}\n`;
}

/** Static text of a template or body, without its fields. */
const staticText = (template: Template): string =>
  template.parts.filter((part) => typeof part === "string").join("");

/** The part in HTML, with placeholders for its slots. */
export function htmlPart(parsed: WrittenEmail, options: SheetOptions, renderer: Renderer): string {
  const { body, button } = parsed;
  const text = staticText(body.template);
  const direction = directionOf(text) ?? directionOf(staticText(parsed.subject)) ?? "ltr";
  const sheet = {
    language: languageOf(text),
    direction,
    title: renderer.template(parsed.subject),
    preview: renderer.template(parsed.preview),
    body: writeHtml(body, renderer, direction),
    button: button && { label: renderer.template(button.label), url: renderer.link(button.target) },
    postalAddress: options.postalAddress,
    unsubscribes: options.unsubscribable,
    chooses: options.choosable === true,
    countsOpens: options.track.opens,
    countsClicks: options.track.clicks,
  };
  return layOut(sheet, renderer);
}

/** What renders a message for either part of a mail, with one set of placeholders for both. */
export function renderersOf({ body }: WrittenEmail, { publicUrl, track, signTarget }: SheetOptions) {
  const slots = createPlaceholders<TextSlot>();
  const links: Links = { publicUrl, countsClicks: track.clicks, signTarget };
  const renderer = (flavour: Flavour): Renderer => createRenderer(flavour, body.fields, slots, links);
  return { slots, renderer };
}
