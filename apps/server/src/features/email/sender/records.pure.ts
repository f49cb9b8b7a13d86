/** The selector under which receivers find the key: `tidings._domainkey.<domain>` (RFC 6376, 3.6.2.1). */
export const DKIM_SELECTOR = "tidings";

/** A TXT record that a sender domain has to have. */
export type WantedRecord = { purpose: "dkim" | "spf"; name: string; value: string };

/** The texts that concern a record, and what is wrong with them; null when nothing is. */
export type Judgement = { found: string[]; problem: string | null };

/** The record that publishes a public key: base64 of its SubjectPublicKeyInfo (RFC 6376, 3.6.1). */
export const dkimRecord = (domain: string, publicKey: string): WantedRecord => ({
  purpose: "dkim",
  name: `${DKIM_SELECTOR}._domainkey.${domain}`,
  value: `v=DKIM1; k=rsa; p=${publicKey}`,
});

/** An SPF record that would do (RFC 7208): through the provider's include, or by the domain's own mail servers. */
export const spfRecord = (domain: string, include: string | null): WantedRecord => ({
  purpose: "spf",
  name: domain,
  value: `v=spf1 ${include === null ? "mx" : `include:${include}`} ~all`,
});

/** Tags and values of a DKIM record, trimmed; null when the text is no such record (RFC 6376, 3.2). */
function dkimTags(text: string): Map<string, string> | null {
  const tags = new Map<string, string>();
  for (const part of text.split(";")) {
    if (part.trim() === "") continue;
    const at = part.indexOf("=");
    const tag = part.slice(0, at).trim();
    if (at < 1 || tags.has(tag)) return null;
    tags.set(tag, part.slice(at + 1).trim());
  }
  return tags;
}

function dkimProblem(text: string, publicKey: string): string | null {
  const tags = dkimTags(text);
  if (tags === null || !tags.has("p")) return "is not a DKIM key";
  if ((tags.get("v") ?? "DKIM1") !== "DKIM1" || (tags.get("k") ?? "rsa") !== "rsa")
    return "is not a DKIM1 key of kind rsa";
  const published = tags.get("p")?.replace(/\s+/g, "");
  if (published === "") return "has no key: it was revoked";
  return published === publicKey ? null : "has another key";
}

/** Whether the texts at the name of the key publish this one, alone. */
export function judgeDkim(texts: readonly string[], publicKey: string): Judgement {
  const [only, ...more] = texts;
  if (only === undefined) return { found: [], problem: "is not there" };
  const problem = more.length > 0 ? "has more than one text" : dkimProblem(only, publicKey);
  return { found: [...texts], problem };
}

type SpfTerm = { qualifier: string; name: string; value: string };

const MECHANISMS = ["all", "include", "a", "mx", "ptr", "ip4", "ip6", "exists"];

/** Terms of an SPF record (RFC 7208, 4.6.1), or the first that the RFC does not know. */
function spfTerms(record: string): SpfTerm[] | { unknown: string } {
  const terms: SpfTerm[] = [];
  for (const text of record.trim().toLowerCase().split(/ +/).slice(1)) {
    const [, modifier, value = ""] = /^([a-z][\w.-]*)=(.*)$/.exec(text) ?? [];
    const [, qualifier = "", mechanism = "", target = ""] =
      /^([+?~-]?)([a-z0-9]+)(?:[:/](.*))?$/.exec(text) ?? [];
    if (modifier !== undefined) terms.push({ qualifier: "", name: `${modifier}=`, value });
    else if (MECHANISMS.includes(mechanism))
      terms.push({ qualifier: qualifier || "+", name: mechanism, value: target });
    else return { unknown: text };
  }
  return terms;
}

function spfProblem(record: string, include: string | null): string | null {
  const terms = spfTerms(record);
  if ("unknown" in terms) return `has a term that nobody knows: ${terms.unknown}`;
  const all = terms.findIndex(({ name }) => name === "all");
  // Receivers ignore terms after "all"; a redirect counts only where there is no "all" (RFC 7208, 5.1 and 6.1).
  const reached = all < 0 ? terms : terms.slice(0, all);
  const passes = reached.filter(
    ({ name, qualifier }) => name === "redirect=" || (qualifier === "+" && MECHANISMS.includes(name)),
  );
  if (passes.length === 0 && ["-", "~"].includes(terms[all]?.qualifier ?? "")) return "lets nobody send";
  const isIncluded = passes.some(
    ({ name, value }) => name === "include" && value.replace(/\.$/, "") === include,
  );
  return include === null || isIncluded ? null : `does not have include:${include}`;
}

/** Whether the texts of a domain have one SPF record that lets some server send, with the include where one is wanted. */
export function judgeSpf(texts: readonly string[], include: string | null): Judgement {
  const found = texts.filter((text) => /^v=spf1( |$)/i.test(text));
  const [only, ...more] = found;
  if (only === undefined) return { found, problem: "is not there" };
  // Receivers treat two records as an error and ignore both (RFC 7208, 4.5).
  if (more.length > 0) return { found, problem: "is there more than once: one SPF record is allowed" };
  return { found, problem: spfProblem(only, include) };
}
