import type { Token } from "marked";
import { ANY_VALUE, placesIn, placesOf } from "../../../access/perimeter/hosts.pure.ts";
import { type Filling, fillingsOf, quotedIn } from "../../template/fillings.pure.ts";
import { parseTemplate } from "../../template/template.pure.ts";
import { wordsOfBody } from "../words.pure.ts";
import { decodeEntities } from "./entities.pure.ts";
import { type Body, inside, parseBody, tokensOf } from "./markdown.pure.ts";

/** An address of a link or an image, with what only traits say as `ANY_VALUE`. */
const addressOf = ({ href, autolink }: { href: string; autolink?: boolean }, { fields }: Body): string =>
  fields
    .read(href)
    .map((part) => (typeof part !== "string" ? ANY_VALUE : autolink === true ? part : decodeEntities(part)))
    .join("");

/** Where an address leads; where a field stands before its host is written out, the address stands for itself. */
const placesOfTemplate = (address: string): string[] =>
  /^[^/\\?#]*\ue000/.test(address) && !/^\s*mailto:/i.test(address) ? [address] : placesOf(address);

/** A link or picture of a Markdown text. `address` has `ANY_VALUE` for what only traits say. */
export type WrittenLink = { address: string; isPicture: boolean; hasWords: boolean };

const UNSEEN = /^[\s\p{Default_Ignorable_Code_Point}]*$/u;

function writtenIn(tokens: readonly Token[], body: Body): WrittenLink[] {
  return tokensOf(tokens).flatMap((token) => [
    ...(token.type === "link" || token.type === "image"
      ? [
          {
            address: addressOf(token, body),
            isPicture: token.type === "image",
            hasWords: !UNSEEN.test(decodeEntities(token.text)),
          },
        ]
      : []),
    ...writtenIn(inside(token), body),
  ]);
}

/** The links and pictures of a Markdown text in their order. `hasWords`: a link's text, a picture's description. */
export const linksInBody = (body: Body): WrittenLink[] => writtenIn(body.tokens, body);

/** An address with personal fields, with `ANY_VALUE` for each of them. */
export function addressOfTarget(source: string): string {
  const template = parseTemplate(source, "stored");
  if ("fault" in template) return source;
  return template.parts.map((part) => (typeof part === "string" ? part : ANY_VALUE)).join("");
}

const shown = (place: string): string => place.replaceAll(ANY_VALUE, "{{ … }}");

const readWith = (body: Body, fillings: readonly Filling[]): string[] =>
  fillings.map((fill) => wordsOfBody(body, fill));

/** Where a Markdown text leads: its links and images however they are written, and what programs that show mail make links of. */
export function placesInMarkdown(source: string): string[] {
  const body = parseBody(source, "stored");
  if ("fault" in body) return placesInText(source);
  const addresses = writtenIn(body.tokens, body).flatMap(({ address }) => placesOfTemplate(address));
  const words = [...readWith(body, fillingsOf(source)), ...quotedIn(source)];
  return [...addresses, ...words.flatMap(placesIn)].map(shown);
}

/** Where a text of a mail leads that is not Markdown: programs that show mail make links of what is written out. */
export function placesInText(source: string): string[] {
  const template = parseTemplate(source, "stored");
  if ("fault" in template) return placesIn(source);
  const words = fillingsOf(source).map((fill) =>
    template.parts.map((part) => (typeof part === "string" ? part : fill(part))).join(""),
  );
  return [...words, ...quotedIn(source)].flatMap(placesIn).map(shown);
}

/** Where an address leads that may have personal fields. */
export function placesInTarget(source: string): string[] {
  return "fault" in parseTemplate(source, "stored")
    ? placesOf(source)
    : placesOfTemplate(addressOfTarget(source)).map(shown);
}
