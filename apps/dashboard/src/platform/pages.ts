import type { ComponentType } from "react";

export type Role = "viewer" | "editor" | "approver" | "owner";
const ROLES: readonly Role[] = ["viewer", "editor", "approver", "owner"];

/** Whether a role allows what another one is needed for. */
export const reaches = (role: Role | null, needed: Role): boolean =>
  role !== null && ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** A page of a feature. `path` follows that of the project, and may have `$names` that the page reads with `useNamed`. */
export type Page = {
  path: string;
  label: string;
  /** The role that it takes; null for all who are signed in. */
  role: Role | null;
  load: () => Promise<ComponentType<{ scope: string }>>;
  /** About one project, so there is none for all of them. */
  ofProject?: true;
  /** Opened from another page, so it is not in the navigation. */
  isWithin?: true;
};
