import { createContext, type FunctionComponent } from "react";

export type PersonRole = "viewer" | "editor" | "approver" | "owner";
const ROLES: readonly PersonRole[] = ["viewer", "editor", "approver", "owner"];

/** Whether a role allows what another one is needed for. */
export const reaches = (role: PersonRole | null, needed: PersonRole): boolean =>
  role !== null && ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** The parts of the navigation, in their order. */
export const SECTIONS = ["messages", "users", "channels", "project", "server", "you"] as const;
export type NavSection = (typeof SECTIONS)[number];

/** A part of a page, or something to do there, which the palette finds. Its label is that of the tab, the field or the button. */
export type PagePlace = {
  label: string;
  /** Other words that people may look for, with blanks between. */
  also?: string;
  /** What the address of the page says when this part is open. */
  search: Readonly<Record<string, string>>;
  /** The role that it takes, where that is another one than the page's. */
  role?: PersonRole;
  /** Only at a project, or only where all projects are. */
  at?: "project" | "organization";
};

/**
 * A page of a feature, declared in its `pages.ts`. All of these come with the first load, so they import nothing of the feature: the page
 * itself and its words come when it is opened. `path` follows that of the project, and may have `$names` that the page reads with `useNamed`.
 */
export type Page = {
  path: string;
  /** Its name in the navigation, and its heading unless the page gives another one. */
  label: string;
  /** Where the navigation shows it; above all parts where it is left out. */
  section?: NavSection;
  /** Other words by which the palette finds it, with blanks between. */
  also?: string;
  /** The parts of it that the palette finds; from `places.ts`, which comes when the palette is opened. */
  places?: () => Promise<readonly PagePlace[]>;
  /** The role that it takes; null for all who are signed in. */
  role: PersonRole | null;
  load: () => Promise<FunctionComponent<{ scope: string }>>;
  /** About one project, so there is none for all of them. */
  ofProject?: true;
  /** About the server, so it is for its operators, and lies under all projects. */
  ofServer?: true;
  /** Opened from another page, so it is not in the navigation. */
  isWithin?: true;
};

/** The page that is open. */
export const PageContext = createContext<Page | null>(null);
