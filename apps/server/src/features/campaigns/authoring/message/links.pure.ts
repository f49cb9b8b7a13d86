import { placesInWords, placesOf } from "../../../access/perimeter/hosts.pure.ts";
import { placesInMarkdown, placesInTarget, placesInText } from "../../../content/email/html/links.pure.ts";
import type { EmailMessage } from "../../../content/email/message.pure.ts";
import type { PushContent } from "../../../content/push/message.pure.ts";
import type { Channel } from "../schema.ts";
import type { WebMessage } from "./message.pure.ts";

/** Where a link of a message leads: a host, or the scheme of an app with a colon; and the field that has it, such as `cta.url`. */
export type LinkedHost = { field: string; host: string };

type Found = readonly [field: string, hosts: readonly string[]];

const hostsOfUrl = (url: string | undefined): string[] => (url === undefined ? [] : placesOf(url));

function textsIn(value: unknown): string[] {
  if (typeof value === "string") return [value];
  return typeof value === "object" && value !== null ? Object.values(value).flatMap(textsIn) : [];
}

/** The texts of a value for the app: those in it where it is JSON, else itself. */
function textsOfData(value: string): string[] {
  try {
    return textsIn(JSON.parse(value) as unknown);
  } catch {
    return [value];
  }
}

const IS_ADDRESS = /^\s*(?:[a-z][a-z0-9+.-]*:\S|[\\/]{2})/i;

/** Where a value for the app leads, if the app takes it for an address, or for a text with addresses. */
const hostsOfData = (value: string): string[] =>
  textsOfData(value).flatMap((text) => [
    ...(IS_ADDRESS.test(text) ? placesOf(text) : []),
    ...placesInWords(text),
  ]);

function found(channel: Channel, content: unknown): readonly Found[] {
  // Contents are checked by the rules of their channel before they are stored.
  switch (channel) {
    case "web_inapp": {
      const { cta, media } = content as WebMessage;
      return [
        ["cta.destination.url", hostsOfUrl(cta?.destination?.url)],
        ["cta.url", hostsOfUrl(cta?.url)],
        ["media.url", hostsOfUrl(media?.url)],
      ];
    }
    case "email": {
      const { subject, previewText, body, cta } = content as EmailMessage;
      return [
        ["subject", placesInText(subject)],
        ["previewText", placesInText(previewText ?? "")],
        ["body", placesInMarkdown(body)],
        ["cta.label", placesInText(cta?.label ?? "")],
        ["cta.url", cta === undefined ? [] : placesInTarget(cta.url)],
      ];
    }
    case "push": {
      const { destination, image, data = {} } = content as PushContent;
      const values = Object.entries(data).map(([key, value]): Found => [`data.${key}`, hostsOfData(value)]);
      return [["destination.url", hostsOfUrl(destination.url)], ["image", hostsOfUrl(image)], ...values];
    }
  }
}

/** Where the links of a message lead, each host of a field once: links, buttons, pictures, and what mail programs make links of. */
export const hostsOf = (content: unknown, channel: Channel): LinkedHost[] =>
  found(channel, content).flatMap(([field, hosts]) => [...new Set(hosts)].map((host) => ({ field, host })));
