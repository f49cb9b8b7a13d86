import type { Answer } from "@tidings/client";

export type Key = Answer<"listKeys">["keys"][number];
export type KeyKind = Key["kind"];

export const KEY_KINDS = ["publishable", "secret", "agent", "send"] as const satisfies readonly KeyKind[];

const PREFIXES: Readonly<Record<KeyKind, string>> = {
  publishable: "pk_pub_",
  secret: "pk_",
  agent: "pk_agent_",
  send: "pk_send_",
};

/** A key as a list shows it, with as much as is kept of it. */
export const maskOf = ({ kind, publishableKey, ending }: Key): string =>
  publishableKey ?? `${PREFIXES[kind]}…${ending ?? ""}`;

/** The shortest mail of a template: a receipt. */
const RECEIPT = `{"template":"receipt","to":{"email":"ada@example.com"},"data":{}}`;

/** What a program does with a new key, in a line or two. @param origin address of the server */
export function lineOf(kind: KeyKind, key: string, origin: string): string {
  if (kind === "publishable") return `<script async src="${origin}/tidings.js" data-key="${key}"></script>`;
  if (kind === "secret") return `curl ${origin}/api/v1/campaigns -H "Authorization: Bearer ${key}"`;
  if (kind === "send")
    return `curl ${origin}/api/v1/send -H "Authorization: Bearer ${key}" -H "Content-Type: application/json" -d '${RECEIPT}'`;
  return `AGENT_KEY=${key} npx tidings agent run --url ${origin}`;
}
