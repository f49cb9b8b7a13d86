import { type PersonRole, reaches } from "../../platform/http/person.ts";

/** The person who acts, with their role in all projects, or in the one that the request is about. */
export type Actor = { id: string; role: PersonRole | null; isOperator: boolean };

/** Why a person may not change an operator, or null: an owner could make themselves one otherwise. */
export const operatorFault = (actor: Actor, subject: { isOperator: boolean }): string | null =>
  subject.isOperator && !actor.isOperator ? "Only an operator may change an operator." : null;

/** Why an actor may not give a role, or null: people give what they have. */
export const grantFault = (actor: Actor, role: PersonRole): string | null =>
  reaches(actor.role, role) ? null : `You may not give the role ${role}: yours is ${actor.role ?? "none"}.`;

/** Links work for so long, in days. A first one is printed again at the next start. */
export const LINK_DAYS = { first: 1, invitation: 7, password: 1 } as const;
export type LinkKind = keyof typeof LINK_DAYS;

/** The page of the dashboard that a link opens. */
export const LINK_PAGE = {
  first: "welcome",
  invitation: "join",
  password: "password",
} as const satisfies Record<LinkKind, string>;
