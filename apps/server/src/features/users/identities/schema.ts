import type { z } from "zod";
import { anonymousId, externalUserId } from "../../../domain/fields.ts";

/** The fields by which a request names who it is about: a user, or a visitor who is not signed in. */
export const personFields = {
  userId: externalUserId.optional(),
  anonymousId: anonymousId.optional(),
};

/** Whether a request names a user, a visitor, or both. */
export const namesPerson = ({ userId, anonymousId: visitor }: Named): boolean =>
  userId !== undefined || visitor !== undefined;

/** Whether a request names both. */
export const namesTwo = ({ userId, anonymousId: visitor }: Named): boolean =>
  userId !== undefined && visitor !== undefined;

/** Refuses a request that names neither a user nor a visitor: for `refine`. */
export const NAMES_PERSON = {
  path: ["userId"],
  error: "is required, or anonymousId of a visitor who is not signed in",
};

/** Refuses a request that names both, where that would leave open who it is about. */
const NAMES_ONE = {
  path: ["anonymousId"],
  error: "must not be given beside userId: only POST /api/v1/identify takes both, and makes them one",
};

/** A schema that takes only those requests of another one which name one, a user or a visitor. */
export const namingOne = <Request extends z.ZodType<Named>>(schema: Request): Request =>
  schema.refine((named) => !namesTwo(named), NAMES_ONE).refine(namesPerson, NAMES_PERSON);

/**
 * The fault of a request that does not name one, a user or a visitor; null where it does. `visitorField`: the field or header that names the
 * visitor.
 */
export function faultOfNames(named: Named, visitorField: string): string | null {
  if (namesTwo(named)) return `${visitorField} ${NAMES_ONE.error}`;
  return namesPerson(named) ? null : `userId ${NAMES_PERSON.error}`;
}

/** Whom a request names. */
export type Named = { userId?: string | undefined; anonymousId?: string | undefined };

/** The user who has to be proven, where a request names a user. A visitor's id is a secret of their browser, which proves enough. */
export const claimOf = <Claim extends Named & { userHash?: string | undefined }>({
  userId,
  anonymousId: visitor,
  userHash,
}: Claim): { userId?: string | null; userHash?: string | undefined } =>
  visitor !== undefined && userId === undefined
    ? { userId: null }
    : { ...(userId === undefined ? {} : { userId }), userHash };
