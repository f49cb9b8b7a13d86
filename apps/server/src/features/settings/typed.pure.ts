import { endpointFault } from "@tidings/agent/endpoint-url";
import { z } from "zod";
import { parseIso } from "../../platform/http/contract/instants.ts";
import { parseSmtpUrl, SMTP_URL_RULE } from "../../platform/net/smtp-url.ts";
import { HOSTS_RULE, hostsText, parseHosts } from "../access/perimeter/hosts.pure.ts";
import { ORIGINS_RULE, originsText, parseOrigins } from "../access/perimeter/origins.pure.ts";
import { NAMES_RULE, namesText, parseNames } from "../access/projects/names.pure.ts";
import { AI_PRICES_RULE, aiPricesText, parseAiPrices } from "./prices.pure.ts";
import { cleanLine, parseRecordName, parseSender, senderText } from "./sender.pure.ts";
import { parsePriceTiers, priceTiersText, TIERS_RULE } from "./tiers.pure.ts";

/** How a person gives a value: what a field for it shows and takes. */
export type Control =
  | { kind: "flag" }
  | { kind: "number"; min: number; max: number }
  | { kind: "choice"; choices: readonly string[] }
  | { kind: "lines" }
  | { kind: "text" };

const controls = new WeakMap<object, Control>();

/** Says how the values of a parser are given, where it is not as a line of text. */
const givenAs = <Parser extends object>(control: Control, parser: Parser): Parser => {
  controls.set(parser, control);
  return parser;
};

/** How the values of a parser are given. */
export const controlOf = (parser: object): Control => controls.get(parser) ?? { kind: "text" };

/**
 * A parser of the text that a person types for a setting: `read` answers the value to store, or null when the text breaks the rule.
 * The rule is the end of the refusal, after the key: `must be …`.
 */
export const typed = <Value extends string | number | boolean>(
  rule: string,
  read: (text: string) => Value | null,
) =>
  z.string().transform((text, issues): Value => {
    const value = read(text);
    if (value !== null) return value;
    issues.addIssue(rule);
    return z.NEVER;
  });

export const sender = typed(
  "must be an address such as news@acme.example, or Acme News <news@acme.example>, with a name of at most 100 characters without quotes, backslashes, line breaks or control characters",
  (text) => {
    const found = parseSender(text);
    return found === null ? null : senderText(found);
  },
);

export const spfName = typed(
  "must be the name of a mail provider's SPF record such as amazonses.com",
  parseRecordName,
);

export const smtpUrl = typed(SMTP_URL_RULE, (text) => (parseSmtpUrl(text) === null ? null : text));

/** One line of text of 1 to `max` characters (Unicode code points). */
export const line = (max: number) =>
  typed(`must be 1 to ${max} characters without line breaks or control characters`, (text) => {
    const clean = cleanLine(text);
    return clean === null || clean === "" || [...clean].length > max ? null : clean;
  });

/** Lines of text of 1 to `max` characters together; `\n` as two typed characters is a line break. */
export const lines = (max: number) =>
  givenAs(
    { kind: "lines" },
    typed(`must be 1 to ${max} characters without control characters; \\n is a line break`, (text) => {
      const clean = text
        .trim()
        .split(/\r\n|\n|\\n/)
        .map(cleanLine);
      const kept = clean.join("\n").trim();
      return clean.includes(null) || kept === "" || [...kept].length > max ? null : kept;
    }),
  );

/** A whole number from `min` to `max`. */
export const whole = (min: number, max: number) =>
  givenAs(
    { kind: "number", min, max },
    typed(`must be a whole number from ${min} to ${max}`, (text) => {
      const value = /^(0|[1-9]\d{0,8})$/.test(text.trim()) ? Number(text) : Number.NaN;
      return value >= min && value <= max ? value : null;
    }),
  );

const yesOrNo = () =>
  typed("must be true or false", (text) => {
    const word = text.trim();
    return word === "true" ? true : word === "false" ? false : null;
  });

export const flag = givenAs({ kind: "flag" }, yesOrNo());

/** A flag that follows from another setting until a person chooses: what it is then is none of the two. */
export const chosenFlag = givenAs({ kind: "choice", choices: ["true", "false"] }, yesOrNo());

export const choice = <Word extends string>(...words: readonly Word[]) =>
  givenAs(
    { kind: "choice", choices: words },
    typed(
      words.length === 1 ? `must be ${words[0]}` : `must be one of ${words.join(", ")}`,
      (text) => words.find((word) => word === text.trim()) ?? null,
    ),
  );

/** An amount of money in USD, to the cent. */
export const usd = (max: number) =>
  typed(`must be an amount in USD from 0 to ${max} with at most two decimals`, (text) => {
    const value = /^(0|[1-9]\d{0,9})(\.\d{1,2})?$/.test(text.trim()) ? Number(text) : Number.NaN;
    return value <= max ? value : null;
  });

const DATE = /^\d{4}-\d{2}-\d{2}$/;
const EARLIEST_MS = Date.UTC(2001, 8, 9);

/** An instant, kept in UTC: a day stands for its start. */
export const typedInstant = typed(
  "must be a date such as 2026-01-15 (its start in UTC), or a date-time with an offset, not before 2001-09-09",
  (text) => {
    const given = text.trim();
    const ms = parseIso(DATE.test(given) ? `${given}T00:00Z` : given);
    return ms >= EARLIEST_MS ? new Date(ms).toISOString() : null;
  },
);

export const priceTiers = typed(TIERS_RULE, (text) => {
  const tiers = parsePriceTiers(text);
  return tiers === null ? null : priceTiersText(tiers);
});

/** The address of a model: what it is sent is encrypted, or stays on this machine. */
export const modelUrl = typed(
  "must be an https:// address, or an http:// address of this machine, without a user, a password and a fragment",
  (text) => (endpointFault(text.trim()) === null ? text.trim().replace(/\/+$/, "") : null),
);

/** What can be sent in a header, and found again in a JSON text in order to be taken out. */
export const modelKey = typed(
  "must be 1 to 2000 printable ASCII characters, without blanks, quotes and backslashes",
  (text) => (/^[!#-[\]-~]{1,2000}$/.test(text.trim()) ? text.trim() : null),
);

export const aiPrices = typed(AI_PRICES_RULE, (text) => {
  const rows = parseAiPrices(text);
  return rows === null ? null : aiPricesText(rows);
});

export const origins = typed(ORIGINS_RULE, (text) => {
  const found = parseOrigins(text);
  return found === null ? null : originsText(found);
});

export const names = typed(NAMES_RULE, (text) => {
  const found = parseNames(text);
  return found === null ? null : namesText(found);
});

export const hosts = typed(HOSTS_RULE, (text) => {
  const found = parseHosts(text);
  return found === null ? null : hostsText(found);
});
