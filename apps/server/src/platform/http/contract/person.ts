/** What a member may do, from least to most: each may do all that those before it may. */
export const PERSON_ROLES = ["viewer", "editor", "approver", "owner"] as const;
export type PersonRole = (typeof PERSON_ROLES)[number];

/**
 * Which people may call an operation. A role: those who have it, or a higher one, in what the request is about. `operator`: those who run the
 * server. `any`: all who are signed in. `open`: all, because the request brings a secret of its own.
 */
export type PeopleAllowed = PersonRole | "operator" | "any" | "open";

/** What a request of a person is about: one project, the organization as a whole, or either. */
export type PersonScope = "project" | "organization" | "either";

/**
 * A person who is signed in, at what their request is about; or the operator at the command line of the server's own machine, who has no
 * account: `id` is null.
 */
export type Person = {
  id: string | null;
  name: string;
  email: string;
  organizationId: string;
  /** In the project, or in all projects where the request is about the organization; null where they have none, or it is not there. */
  role: PersonRole | null;
  isOperator: boolean;
  sessionId: string;
  /** When they signed in, epoch milliseconds. */
  signedInAt: number;
};

/**
 * Finds the person that a cookie belongs to, with their role in a project, or in all projects where that is null.
 * @returns null for a cookie that is worth nothing
 */
export type Recognise = (cookie: string, projectId: string | null) => Promise<Person | null>;

const rank = (role: PersonRole): number => PERSON_ROLES.indexOf(role);

/** Whether a role allows what another one is needed for. */
export const reaches = (role: PersonRole | null, needed: PersonRole): boolean =>
  role !== null && rank(role) >= rank(needed);

/** The higher of two roles. */
export function higherRole(one: PersonRole | null, other: PersonRole | null): PersonRole | null {
  if (one === null || other === null) return one ?? other;
  return rank(one) >= rank(other) ? one : other;
}

/** Stands for the project in requests about the organization: no row has it. */
export const NO_PROJECT = "00000000-0000-0000-0000-000000000000";
