import type { Answer, PeopleClient } from "@tidings/client";
import type { Truth } from "./truth.ts";

/** What a page has to show as figures: in all of its parts, and in each of them by the name of its tab. */
export type Facts = { everywhere?: readonly string[] } & Readonly<Record<string, readonly string[]>>;

/** A page that is looked at, with what its path names. */
export type View = {
  names: Readonly<Record<string, string>>;
  truth: Truth;
  /** An owner's operations about all projects. */
  organization: PeopleClient;
  /** What the page was answered of how the server is, which changes from one moment to the next. */
  system: () => Answer<"getSystem"> | null;
};
