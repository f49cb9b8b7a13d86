import type { Answer } from "@tidings/client";
import type { Role } from "../../platform/pages.ts";
import { words } from "./words.ts";

export type Member = Answer<"listPeople">["people"][number];
export type Invitation = Answer<"listPeople">["invitations"][number];

/** The roles with what they allow, for a list to choose from. */
export const rolesToChoose: { value: Role; label: string }[] = (
  ["viewer", "editor", "approver", "owner"] as const
).map((value) => ({ value, label: words[value] }));
