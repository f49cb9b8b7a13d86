import type { ComponentType } from "react";

export type Role = "viewer" | "editor" | "approver" | "owner";
const ROLES: readonly Role[] = ["viewer", "editor", "approver", "owner"];

/** Whether a role allows what another one is needed for. */
export const reaches = (role: Role | null, needed: Role): boolean =>
  role !== null && ROLES.indexOf(role) >= ROLES.indexOf(needed);

/** A page of a feature. `path` follows that of the project; a page about the person has none. */
export type Page = {
  path: string;
  label: string;
  /** The role that it takes; null for all who are signed in. */
  role: Role | null;
  load: () => Promise<ComponentType<{ scope: string }>>;
  /** Not in the navigation of the project. */
  isPersonal?: true;
};
