import type { Input } from "@tidings/client";
import type { ReactNode } from "react";
import type { Channel } from "../../platform/api-types.ts";

type Body = Input<"createCampaign">["body"];
/** A message of any channel, as its fields have it: empty texts where nothing was written. */
export type DraftContent = Readonly<Record<string, unknown>>;
/** How a push is sent. */
export type Push = NonNullable<Body["push"]>;

/** Messages in which nothing is written yet. */
export const EMPTY_MESSAGES: Readonly<Record<Channel, DraftContent>> = {
  web_inapp: { presentation: "toast", title: "", body: "" },
  email: { subject: "", body: "" },
  push: { title: "", body: "", destination: { kind: "website", url: "" } },
};

/** How a push is sent, unless a person says otherwise. */
export const NEW_PUSH: Push = { appId: "", selection: { kind: "last_active" } };

const isEmpty = (value: unknown): boolean => value === "" || value === undefined;

/** Parts of a message that are left out of a request where nothing of them is written. */
const OPTIONAL = ["cta", "media", "previewText", "image", "ios", "android"];

const isUnwritten = (value: unknown): boolean =>
  isEmpty(value) ||
  (typeof value === "object" &&
    value !== null &&
    Object.entries(value).every(
      ([name, each]) => name === "kind" || name === "decorative" || isUnwritten(each),
    ));

/** Whether something is written in a field of a message, such as `cta.label`. */
export function isWrittenIn(content: DraftContent, field: string): boolean {
  const value = field
    .split(".")
    .reduce<unknown>((part, name) => (part as DraftContent | undefined)?.[name], content);
  return !isUnwritten(value);
}

type Message = NonNullable<Body["message"]>;

/** The message of a request: without optional parts that nothing was written in. */
export const messageOf = (content: DraftContent): Message =>
  // The fields of a channel write what it takes; the server names what it does not.
  Object.fromEntries(
    Object.entries(content).filter(([name, value]) => !OPTIONAL.includes(name) || !isUnwritten(value)),
  ) as unknown as Message;

/** Patterns of pages, of which one is typed on each line. */
export const pagesOf = (pages: string): string[] =>
  pages
    .split("\n")
    .map((line) => line.trim())
    .filter((line) => line !== "");

export type Cta = { label?: string; url?: string; destination?: { kind: string; url: string } };

/** The link of a web message's button, however it is stored. */
export const linkOf = ({ url, destination }: Cta): string => destination?.url ?? url ?? "";

/** A button of a web message that opens an address: a place of an app where its scheme is none of the web's. */
export function ctaWith({ label = "" }: Cta, address: string): Cta {
  if (address === "") return { label };
  const scheme = /^([a-z][a-z0-9+.-]*):/i.exec(address)?.[1]?.toLowerCase();
  if (scheme === undefined || scheme === "http" || scheme === "mailto") return { label, url: address };
  return { label, destination: { kind: scheme === "https" ? "website" : "app", url: address } };
}

/** What is said below a field: what it is for, then what the server warns of there. A link is one field of the form, and one of several of a message. */
export type AboutField = (fields: string | readonly string[], about?: string) => ReactNode;

/** The fields of a message, whatever its channel. */
export type TextFields = {
  content: DraftContent;
  change: (content: DraftContent) => void;
  /** What the server says of a field of the message; of the message as a whole for an empty name. */
  faultOf: (field: string) => string | undefined;
  about: AboutField;
};

/** For each text of an object, what its field calls when it is written. */
export const fieldWriters =
  (texts: DraftContent, change: (texts: DraftContent) => void) =>
  (name: string) =>
  ({ currentTarget: { value } }: { currentTarget: { value: string } }): void =>
    change({ ...texts, [name]: value });

/** Where a push leads: to the web, or to a place of the app. */
export const destinationOf = (url: string): { kind: "website" | "app"; url: string } => ({
  kind: /^https?:/i.test(url) || !url.includes(":") ? "website" : "app",
  url,
});

type Around = { before: string; after: string; stands: string };

/** A text with something written around its selection, and what is selected then. */
export function wrapped(
  text: string,
  from: number,
  to: number,
  { before, after, stands }: Around,
): { text: string; from: number; to: number } {
  const inside = text.slice(from, to) || stands;
  const start = from + before.length;
  return {
    text: `${text.slice(0, from)}${before}${inside}${after}${text.slice(to)}`,
    from: start,
    to: start + inside.length,
  };
}
