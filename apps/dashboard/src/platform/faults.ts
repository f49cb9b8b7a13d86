import { FIELD_NAMES } from "./field-names.ts";

/** What a rule says to programs, and what it says to people who see a form. */
const IN_WORDS: readonly (readonly [RegExp, string])[] = [
  [/^is required with (?:max|days), or both are null$/, "is needed too, or leave both empty"],
  [/^must have a title or a body$/, "must have a title or a text"],
  [
    /^must be an http, https or mailto address, or a path starting with \/$/,
    "must be an address such as https://example.com, or a path of your site such as /pricing",
  ],
  [
    /^must be an http or https address$/,
    "must be a whole address such as https://example.com/pricing, because a mail is read outside of your site",
  ],
  [
    /^(must link to http, https and mailto addresses only, not to \/.*)$/s,
    "$1. Write the whole address, because a mail is read outside of your site",
  ],
];

/** A rule as people read it: with the names that the form has for fields. */
function ruleInWords(rule: string): string {
  const [pattern, plainRule] = IN_WORDS.find(([each]) => each.test(rule)) ?? [];
  const plain = pattern === undefined || plainRule === undefined ? rule : rule.replace(pattern, plainRule);
  return plain.replace(/\b[a-z]+(?:[A-Z][a-z]+)+\b/g, (name) => {
    const label = FIELD_NAMES[name];
    return label === undefined ? name : `“${label}”`;
  });
}

/** What is wrong with one field, where the message of a refusal begins with its name. */
export const faultAt = (message: string | null, field: string): string | undefined =>
  message?.startsWith(`${field} `) || message?.startsWith(`${field}: `)
    ? ruleInWords(message.slice(field.length + 1).trim())
    : undefined;

/** `deliverFrom` as two words, for a field that has no name in any form. */
const spelled = (name: string): string => {
  const words = name.replaceAll("_", " ").replace(/[A-Z]/g, (capital) => ` ${capital.toLowerCase()}`);
  return words.charAt(0).toUpperCase() + words.slice(1);
};

/** What people call a field of the API: that of a variant's message is a field of the form. One without a name goes by what it is part of. */
export function nameOfPath(path: string): string {
  const [, ofVariant] = /^variants\[[^\]]*\]\.(name)$/.exec(path) ?? [];
  if (ofVariant !== undefined) return "Name of the variant";
  const [, nth] = /(?:^|\.)actions\[(\d+)\]/.exec(path) ?? [];
  if (nth !== undefined) return `Button ${Number(nth) + 1}`;
  const plain = path
    .replace(/^variants\[[^\]]*\]\./, "")
    .replace(/^message\./, "")
    .replace(/\[[^\]]*\]/g, "");
  for (let at = plain; at !== ""; at = at.slice(0, Math.max(0, at.lastIndexOf(".")))) {
    const name = FIELD_NAMES[at];
    if (name !== undefined) return name;
  }
  return spelled(plain.slice(plain.lastIndexOf(".") + 1));
}

/** A refusal that begins with the name of a field: those of the API begin in lower case, and sentences do not. */
const OF_FIELD = /^([a-z]\w*(?:\[[^\]]*\]|\.\w+)*)(?::| (?=must |is |are |has |needs ))\s*(.*)$/s;

/** What a refusal says, as people read it: the name of a field as forms have it, and no path. */
export function inWords(message: string): string {
  const [, path, rule] = OF_FIELD.exec(message) ?? [];
  if (path === undefined || rule === undefined) return message;
  return `${nameOfPath(path)}${message.charAt(path.length) === ":" ? ": " : " "}${ruleInWords(rule)}`;
}
