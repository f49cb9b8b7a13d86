import type { Token } from "marked";
import { ANY_VALUE, placesIn, placesOf } from "../../access/hosts.pure.ts";
import { type Filling, fillingsOf, quotedIn } from "../template/fillings.pure.ts";
import { parseTemplate } from "../template/template.pure.ts";
import { decodeEntities } from "./entities.ts";
import { type Body, inside, parseBody, tokensOf } from "./markdown.pure.ts";
import { wordsOfBody } from "./words.pure.ts";

/** An address of a link or an image, with what only traits say as `ANY_VALUE`. */
const addressOf = ({ href, autolink }: { href: string; autolink?: boolean }, { fields }: Body): string =>
  fields
    .read(href)
    .map((part) => (typeof part !== "string" ? ANY_VALUE : autolink === true ? part : decodeEntities(part)))
    .join("");

/** Where an address leads; where a field stands before its host is written out, the address stands for itself. */
const placesOfTemplate = (address: string): string[] =>
  /^[^/\\?#]*\ue000/.test(address) && !/^\s*mailto:/i.test(address) ? [address] : placesOf(address);

function addressesIn(tokens: readonly Token[], body: Body): string[] {
  return tokensOf(tokens).flatMap((token) => [
    ...(token.type === "link" || token.type === "image" ? [addressOf(token, body)] : []),
    ...addressesIn(inside(token), body),
  ]);
}

const shown = (place: string): string => place.replaceAll(ANY_VALUE, "{{ … }}");

const readWith = (body: Body, fillings: readonly Filling[]): string[] =>
  fillings.map((fill) => wordsOfBody(body, fill));

/** Where a Markdown text leads: its links and images however they are written, and what programs that show mail make links of. */
export function placesInMarkdown(source: string): string[] {
  const body = parseBody(source, "stored");
  if ("fault" in body) return placesInText(source);
  const addresses = addressesIn(body.tokens, body).flatMap(placesOfTemplate);
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
  const template = parseTemplate(source, "stored");
  if ("fault" in template) return placesOf(source);
  const address = template.parts.map((part) => (typeof part === "string" ? part : ANY_VALUE)).join("");
  return placesOfTemplate(address).map(shown);
}
