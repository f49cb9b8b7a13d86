import { cutAfter } from "@tidings/client/text";
import { hostKind } from "../../../../platform/net/public-host.pure.ts";
import { ANY_VALUE, placesOf } from "../../../access/perimeter/hosts.pure.ts";
import { type Path, pointer } from "../../../audience/language/parse/diagnostics.pure.ts";
import type { Diagnostic } from "../../../audience/language/schema.ts";
import { addressOfTarget, linksInBody, type WrittenLink } from "../../../content/email/html/links.pure.ts";
import type { EmailMessage } from "../../../content/email/message.pure.ts";
import type { PushContent } from "../../../content/push/message.pure.ts";
import type { WebMessage } from "./message.pure.ts";
import type { ReadContent } from "./read-content.pure.ts";

/** The links and pictures of one field of a message. */
type Linked = { at: Path; links: readonly WrittenLink[] };

const MAX_SHOWN = 60;

const shown = (address: string): string =>
  cutAfter(address.trim().replaceAll(ANY_VALUE, "{{ … }}"), MAX_SHOWN);

const linkTo = (address: string): WrittenLink => ({ address, isPicture: false, hasWords: true });
const pictureOf = (address: string): WrittenLink => ({ ...linkTo(address), isPicture: true });

function linkedIn({ kind, content, body }: ReadContent): Linked[] {
  // Contents are checked by the rules of their channel before they are stored.
  switch (kind) {
    case "web_inapp": {
      // Its picture is one that was uploaded here.
      const { cta } = content as WebMessage;
      return [
        { at: ["cta", "url"], links: cta?.url === undefined ? [] : [linkTo(cta.url)] },
        { at: ["cta", "destination", "url"], links: cta?.destination ? [linkTo(cta.destination.url)] : [] },
      ];
    }
    case "email": {
      const { cta } = content as EmailMessage;
      return [
        { at: ["body"], links: body === null ? [] : linksInBody(body) },
        { at: ["cta", "url"], links: cta === undefined ? [] : [linkTo(addressOfTarget(cta.url))] },
      ];
    }
    case "receipt":
      // Where its links lead may depend on the data of each mail.
      return [];
    case "push": {
      const { destination, image } = content as PushContent;
      return [
        { at: ["destination", "url"], links: [linkTo(destination.url)] },
        { at: ["image"], links: image === undefined ? [] : [pictureOf(image)] },
      ];
    }
  }
}

/** Hosts that an address names; neither schemes of apps nor paths of the page, which name none. */
const hostsOf = (address: string): string[] => placesOf(address).filter((place) => !/^[^[]*:/.test(place));

const localHostOf = (address: string): string | undefined =>
  hostsOf(address).find((host) => hostKind(host) === "private");

const isOf = (address: string, origin: string): boolean =>
  URL.canParse(address) && new URL(address).origin === new URL(origin).origin;

const isPlainHttp = (address: string): boolean => /^\s*http:/i.test(address);

/** What is wrong with a link or a picture, each with the code of its warning. */
function faultsOf({ address, isPicture, hasWords }: WrittenLink, ownOrigin: string): [string, string][] {
  const found: [string, string][] = [];
  const isOwn = isOf(address, ownOrigin);
  const host = isOwn ? undefined : localHostOf(address);
  if (host !== undefined)
    found.push([
      "local_link",
      `${isPicture ? "A picture comes from" : "A link leads to"} ${shown(host)}, which only your own computer or network can reach.`,
    ]);
  else if (isPicture && !isOwn && isPlainHttp(address))
    found.push([
      "http_picture",
      `The picture ${shown(address)} comes by http, so that many readers do not see it: use https.`,
    ]);
  if (!isPicture && !hasWords)
    found.push(["empty_link", `The link to ${shown(address)} has no text, so that readers do not see it.`]);
  return found;
}

/**
 * What is wrong with the links and pictures of a message, as far as they show it themselves: nothing is fetched. Each fault once for a
 * field, with the first link that has it. Links to `ownOrigin`, where this server is reached, are as good as its own.
 */
export function remarksOfLinks(message: ReadContent, ownOrigin: string): Diagnostic[] {
  return linkedIn(message).flatMap(({ at: field, links }) => {
    const byCode = new Map<string, string[]>();
    for (const [code, message] of links.flatMap((link) => faultsOf(link, ownOrigin)))
      byCode.set(code, [...new Set([...(byCode.get(code) ?? []), message])]);
    return [...byCode].map(([code, [first = "", ...others]]) => ({
      severity: "warning" as const,
      code,
      path: pointer([...message.at, ...field]),
      message: others.length === 0 ? first : `${first} So it is with ${others.length} more.`,
    }));
  });
}
