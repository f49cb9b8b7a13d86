import { higherRole, type PersonRole, reaches } from "../../platform/http/contract/person.ts";

/** The person who acts, with their role in all projects, or in the one that the request is about. */
export type Actor = { role: PersonRole | null; isOperator: boolean };

/** Why a person may not change an operator, or null: an owner could make themselves one otherwise. */
export const operatorFault = (actor: Actor, subject: { isOperator: boolean }): string | null =>
  subject.isOperator && !actor.isOperator ? "Only an operator may change an operator." : null;

/**
 * Why a person may not let another one set a new password, or null. A person with the link can act as its subject, so it must give no right
 * that its maker has not, and the name of no owner.
 */
export const passwordFault = (
  actor: { isOperator: boolean },
  subject: { isOperator: boolean; role: PersonRole | null },
): string | null => {
  if (actor.isOperator) return null;
  if (subject.isOperator) return "Only an operator may change an operator.";
  return subject.role === "owner"
    ? "Only an operator may make a password link for an owner of all projects."
    : null;
};

/** Why an actor may not give a role, or null: people give what they have. */
export const grantFault = (actor: Actor, role: PersonRole): string | null =>
  reaches(actor.role, role) ? null : `You may not give the role ${role}: yours is ${actor.role ?? "none"}.`;

/** A member with all of their roles. */
export type Holder = {
  isOperator: boolean;
  role: PersonRole | null;
  roles: readonly { projectId: string; role: PersonRole }[];
};

const owns = ({ role, roles }: Holder, projectId: string): boolean =>
  higherRole(role, roles.find((each) => each.projectId === projectId)?.role ?? null) === "owner";

/**
 * Why a member could not make an open link now, or null: they make it as an owner of what it is for.
 * @param subject whose password it sets
 */
export function linkFault(
  maker: Holder,
  { kind, projectIds }: { kind: LinkKind; projectIds: readonly string[] | null },
  subject: Holder | null,
): string | null {
  const isOwner = projectIds === null ? maker.role === "owner" : projectIds.every((id) => owns(maker, id));
  if (!isOwner) return "This takes the role owner.";
  return kind === "password" && subject !== null ? passwordFault(maker, subject) : null;
}

/** Links work for so long, in days. A first one is printed again at the next start. */
export const LINK_DAYS = { first: 1, invitation: 7, password: 1 } as const;
export type LinkKind = keyof typeof LINK_DAYS;

/** The page of the dashboard that a link opens. */
export const LINK_PAGE = {
  first: "welcome",
  invitation: "join",
  password: "password",
} as const satisfies Record<LinkKind, string>;
