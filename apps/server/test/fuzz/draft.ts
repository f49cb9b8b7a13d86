import { toJson } from "./json.ts";

/** Names and values in their order, which may come twice; already spelled as they are sent. */
type Pairs = readonly (readonly [name: string, value: string])[];

/** A request before it is bytes. */
export type Draft = {
  method: string;
  /** With `{name}` where a value of `path` goes. */
  template: string;
  /** Percent-encoded. */
  path: Readonly<Record<string, string>>;
  /** Percent-encoded. */
  query: Pairs;
  headers: Pairs;
  /** A value of `json.ts`; undefined is no body. */
  body?: unknown;
  /** Sent instead of a JSON body. */
  bytes?: Buffer;
};

/** One change of a request. */
export type Edit = {
  part: "path" | "query" | "header" | "body" | "payload";
  /** The field as refusals name it: `variants[0].name`, a parameter, a header. Empty: the part as a whole. */
  name: string;
  apply(draft: Draft): Draft;
  /** The same change with less in it, least first. */
  smaller(): Edit[];
};

/** A request as it goes over the wire. */
export type Sendable = { method: string; target: string; headers: Pairs; payload: Buffer | null };

export function render(draft: Draft): Sendable {
  const { method, template, path, query, headers, body, bytes } = draft;
  const filled = template.replace(/\{(\w+)\}/g, (_, name: string) => path[name] ?? "");
  const search = query.map(([name, value]) => `${name}=${value}`).join("&");
  const payload = bytes ?? (body === undefined ? null : Buffer.from(toJson(body)));
  return { method, target: search === "" ? filled : `${filled}?${search}`, headers, payload };
}

const MAX_SHOWN = 600;

const shortened = (text: string): string =>
  text.length <= MAX_SHOWN
    ? text
    : `${text.slice(0, MAX_SHOWN)}… (${text.length} characters, ending ${text.slice(-40)})`;

/** A request in words that a person can send again, without its key. */
export function shown({ method, target, headers, payload }: Sendable): string {
  const lines = headers
    .filter(([name, value]) => name.toLowerCase() !== "authorization" || !value.startsWith("Bearer pk_"))
    .map(([name, value]) => `  ${name}: ${JSON.stringify(shortened(value))}`);
  const body = payload === null ? [] : [`  ${shortened(payload.toString("utf8"))}`];
  return [`${method} ${shortened(target)}`, ...lines, ...body].join("\n");
}
