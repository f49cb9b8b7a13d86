import type { Answer } from "@tidings/client";

export type Key = Answer<"listKeys">["keys"][number];
export type KeyKind = Key["kind"];

export const KEY_KINDS = ["publishable", "secret", "agent"] as const satisfies readonly KeyKind[];

const PREFIXES: Readonly<Record<KeyKind, string>> = {
  publishable: "pk_pub_",
  secret: "pk_",
  agent: "pk_agent_",
};

/** A key as a list shows it, with as much as is kept of it. */
export const maskOf = ({ kind, publishableKey, ending }: Key): string =>
  publishableKey ?? `${PREFIXES[kind]}…${ending ?? ""}`;

/** What a program does with a new key, in a line or two. @param origin address of the server */
export function lineOf(kind: KeyKind, key: string, origin: string): string {
  if (kind === "publishable") return `<script async src="${origin}/tidings.js" data-key="${key}"></script>`;
  if (kind === "secret") return `curl ${origin}/api/v1/campaigns -H "Authorization: Bearer ${key}"`;
  return `AGENT_KEY=${key} npx tidings agent run --url ${origin}`;
}
