import type { Answer } from "@tidings/client";
import { createContext, useContext } from "react";
import { ORGANIZATION } from "./client.ts";
import type { PersonRole } from "./pages.ts";

export type Me = Answer<"getMe">;

export const MeContext = createContext<Me | null>(null);

/** The person who is signed in. Pages are shown within the frame, which has found them. */
export function useMe(): Me {
  const me = useContext(MeContext);
  if (me === null) throw new Error("This is shown to people who are signed in.");
  return me;
}

/** What a person may do in a project, or in the organization. */
export const roleAt = ({ role, projects }: Me, scope: string): PersonRole | null =>
  scope === ORGANIZATION ? role : (projects.find(({ id }) => id === scope)?.role ?? null);

/** The key that stands in the pages of a project; null where it has none. */
export const publishableKeyAt = ({ projects }: Me, scope: string): string | null =>
  projects.find(({ id }) => id === scope)?.publishableKey ?? null;
