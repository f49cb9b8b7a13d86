import { z } from "zod";
import { Destination } from "../../../../domain/fields.ts";
import { mention, text } from "../../../../platform/http/contract/fields.ts";
import { parseTemplate } from "../../../content/template/template.pure.ts";

const MAX_URL = 2_048;

const parsedUrl = (value: string): URL | null => (URL.canParse(value) ? new URL(value) : null);

const OLDER_SCHEMES = new Set(["https:", "http:", "mailto:"]);

/** The older form of a link: http, https, mailto, or a path of the site. `//host` is not a path. */
const isOlderUrl = (url: string): boolean =>
  /^\/(?![/\\])/.test(url) ? !/[\\\s]/.test(url) : OLDER_SCHEMES.has(parsedUrl(url)?.protocol ?? "");

/** The most characters of a web message's texts, before and after personal fields are filled in. */
export const MAX_WEB_TEXT = { title: 120, body: 600, label: 80 } as const;

/** A text that may have personal fields, as in mail; a fault in them is the issue of its field. */
const personal = (max: number, min = 1) =>
  text(max, min).check((ctx) => {
    if (ctx.issues.length > 0) return;
    const template = parseTemplate(ctx.value);
    if ("fault" in template) ctx.issues.push({ code: "custom", message: template.fault, input: ctx.value });
  });

const Cta = z
  .strictObject({
    label: personal(MAX_WEB_TEXT.label).describe("Text of the button."),
    destination: mention(Destination, "Where it leads.").optional(),
    url: text(MAX_URL)
      .refine(isOlderUrl, "must be an http, https or mailto address, or a path starting with /")
      .optional()
      .describe("Where it leads."),
  })
  .refine(
    (cta) => cta.destination === undefined || cta.url === undefined,
    "must not have both a destination and a url",
  );

const MessageMedia = z
  .strictObject({
    url: text(MAX_URL)
      .refine((url) => /^https?:$/.test(parsedUrl(url)?.protocol ?? ""), "must be an http(s) address")
      .describe("Address that the upload of campaign media answered."),
    alt: text(300).optional().describe("What the image shows, for who cannot see it."),
    decorative: z.boolean().optional().describe("Whether the image says nothing that the text does not."),
  })
  .refine(
    (media) => (media.alt === undefined) === (media.decorative === true),
    "must have alt text, or decorative: true, and not both",
  );

/** The message of a web in-app campaign, as a request gives it. */
export const WebMessage = z
  .strictObject({
    presentation: z.enum(["toast", "modal"]).describe("A small card in a corner, or a window in the middle."),
    title: personal(MAX_WEB_TEXT.title, 0).optional().describe("The headline."),
    body: personal(MAX_WEB_TEXT.body, 0).optional().describe("The text."),
    cta: Cta.optional().describe("The button."),
    media: MessageMedia.optional().describe("An image."),
  })
  .refine((message) => Boolean(message.title?.trim() || message.body?.trim()), "must have a title or a body")
  .meta({ id: "WebInAppMessage" });
export type WebMessage = z.infer<typeof WebMessage>;
