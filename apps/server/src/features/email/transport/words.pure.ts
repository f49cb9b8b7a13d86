/** Words that follow each other; where there are two parts, the second comes soon after the first. */
type Phrase = { first: string; then: string | null };

/** The phrases of a list: words as `readServerWords` reads them, separated by commas. `a … b`: some words may stand between. */
export const phrases = (list: string): readonly Phrase[] =>
  list.split(",").map((each) => {
    const [first = "", then = null] = each.trim().split(" … ");
    return { first, then };
  });

/** What a text of a mail server says. */
export type Words = {
  /** The reply code that it begins with, or that it quotes; null where it has none. */
  reply: number | null;
  /** Its enhanced status codes (RFC 3463) of failures, in their order. */
  codes: readonly string[];
  /** Whether it has no words at all. */
  isEmpty: boolean;
  /** Whether it says one of these. */
  say(wanted: readonly Phrase[]): boolean;
};

/** Characters that are read: a server says its reason first, and a text may be anything. */
const MAX_TEXT = 2_000;
/** Characters within which the second part of a phrase follows the first. */
const NEAR = 60;

// Each takes time in proportion to the text: no part of one can match the same characters in two ways.
const ENHANCED = /(?<![\d.])[45]\.[0-7]\.\d{1,3}(?![\d]|\.\d)/g;
/** What a returned mail puts before what it quotes. */
const TYPE = /^(?:smtp|esmtp|unknown|dns|x-[\w-]{1,40}) ?;/;
const FIRST_REPLY = /^[^a-z0-9]{0,5}([45]\d\d)(?!\d)/;
/** How returned mails lead to the reply that they quote: "host x said:", "host x [192.0.2.1]:", "after RCPT TO:<…>:", "returned '". */
const QUOTED_REPLY =
  /(?:\bsaid:|\breturned|\berror:|\]:|>:|size=\d{1,12}:|\bafter (?:end of data|initial connection|pipelined data):)\s{0,20}'?([45]\d\d)(?!\d)/;
/** A reply code at the beginning of a line, which may stand within a sentence. */
const LINE_CODE = /^[45]\d\d(-|$)/;
/** An address or the name of a host, which may contain any word. */
const NAME = /@|[a-z0-9]\.[a-z0-9]/;
/** Lists of senders that are not trusted, by which a text explains itself with a link alone. */
const LISTS = ["spamhaus", "dnsbl", "spamcop", "sorbs", "blocklist", "blacklist", "/rbl"];

/** The words of a text in lower case, one blank apart, without addresses, names of hosts, links and codes. */
function plainWords(text: string): string {
  // "FROM:<ada@acme.example>" is a word and an address.
  const words = text.split(/\s+|(?=<)/).flatMap((word) => {
    if (word.includes("://")) return LISTS.some((list) => word.includes(list)) ? ["blocklist"] : [];
    return NAME.test(word)
      ? []
      : word
          .replace(LINE_CODE, "")
          .replace(/[^a-z0-9]+/g, " ")
          .split(" ");
  });
  return ` ${words.filter((word) => word !== "").join(" ")} `;
}

function occurs(words: string, { first, then }: Phrase): boolean {
  const wanted = ` ${first} `;
  if (then === null) return words.includes(wanted);
  for (let at = words.indexOf(wanted); at >= 0; at = words.indexOf(wanted, at + 1)) {
    const after = at + wanted.length - 1;
    if (words.slice(after, after + NEAR).includes(` ${then} `)) return true;
  }
  return false;
}

/** Reads what a mail server wrote, as it is or as a returned mail quotes it ("smtp; 550 5.1.1 …"). Never throws. */
export function readServerWords(text: string): Words {
  const read = text.slice(0, MAX_TEXT).toLowerCase().replace(/['’`]/g, "").replace(TYPE, "").trim();
  const reply = FIRST_REPLY.exec(read)?.[1] ?? QUOTED_REPLY.exec(read)?.[1];
  const words = plainWords(read);
  return {
    reply: reply === undefined ? null : Number(reply),
    codes: [...read.matchAll(ENHANCED)].map(([code]) => code),
    isEmpty: words.trim() === "",
    say: (wanted) => wanted.some((phrase) => occurs(words, phrase)),
  };
}
