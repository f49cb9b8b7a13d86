import type { Db } from "../../db/db.ts";
import { port } from "../../runtime.ts";
import { type Ctx, type Endpoint, isManagementWrite } from "../contract/endpoint.ts";
import { ApiError } from "../contract/errors.ts";
import { NO_PROJECT, type PeopleAllowed, type Person, reaches } from "../contract/person.ts";

type Spec = Endpoint["spec"];

/** Why a person may not call an operation, or null. */
function refusalOf(person: Person, allowed: PeopleAllowed): string | null {
  if (allowed === "any" || allowed === "open") return null;
  if (allowed === "operator")
    return person.isOperator ? null : "This takes an operator, who runs the server.";
  if (reaches(person.role, allowed)) return null;
  return `This takes the role ${allowed}, and yours is ${person.role ?? "none"}.`;
}

/** @throws ApiError not_found for a project in which the person has no role, forbidden where their role is too low */
export function assertMay(spec: Spec, person: Person, projectId: string | null): void {
  if (projectId !== null && person.role === null) throw new ApiError("not_found", "Project not found");
  if (spec.people === undefined)
    throw new ApiError("forbidden", `This takes the ${spec.keys.join(" or the ")} key of the project.`);
  const refusal = refusalOf(person, spec.people);
  if (refusal !== null) throw new ApiError("forbidden", refusal);
}

/**
 * What is locked until the end of the transaction. `none`: nothing. `person`: the person's roles and session, so that a request that takes
 * one away waits. `members`: the roles of all members as well, for an operation that changes them.
 */
export type StandingLock = "none" | "person" | "members";

/** Finds the person as the database knows them now; null where they are no member any more, or their session has ended. */
export const personNow =
  port<
    (
      db: Db,
      person: Person,
      about: { projectId: string | null; lock: StandingLock; now: number },
    ) => Promise<Person | null>
  >("the standing of a person");

/**
 * Whether what a person may do is read from the database, and not from the memory, which may be 5 seconds old: for each change, because what
 * it makes would outlive the role that it was made with, and for reads that ask for a fresh sign-in.
 */
export const isCheckedNow = (endpoint: Endpoint): boolean =>
  isManagementWrite(endpoint) || endpoint.spec.fresh === true;

/**
 * The context of a person's request with what they may do now. A request of a program, or without a sign-in, stays as it is.
 * @throws ApiError unauthorized for a person or a session that is gone; and as `assertMay`
 */
export async function withPersonNow(ctx: Ctx, spec: Spec, lock: StandingLock): Promise<Ctx> {
  if (ctx.keyKind !== "none" || ctx.person === null) return ctx;
  const { app, db, now } = ctx;
  const projectId = ctx.projectId === NO_PROJECT ? null : ctx.projectId;
  const person = await app.ask(personNow)(db, ctx.person, { projectId, lock, now });
  if (person === null) throw new ApiError("unauthorized");
  assertMay(spec, person, projectId);
  return { ...ctx, person };
}
