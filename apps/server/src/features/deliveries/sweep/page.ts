import type { Db } from "../../../platform/db/db.ts";
import { readStored } from "../../audience/language/parse/stored.pure.ts";
import { findKeyRange, type KeyRange } from "../../audience/language/public.ts";
import { listsItsUsers } from "../../audience/language/rules.ts";
import type { AudienceExpression } from "../../audience/language/schema.ts";
import type { Cursor } from "../rules.ts";
import { unreadableAudience } from "./plan-fault.ts";

/** Where a page of an audience begins: after a user, by lane and key. It is evaluated at an instant (epoch ms). */
export type PageStart = { evaluatedAt: number; after: Cursor };

/** A page: the users of a range of keys who match `expression` (null: all of them) at an instant (epoch ms). */
export type AudiencePage = {
  expression: AudienceExpression | null;
  evaluatedAt: number;
  range: KeyRange;
};

/** The expression of an audience as it is stored (null: all users). @throws PlanFault where it cannot be read */
function expressionOf(audience: unknown): AudienceExpression | null {
  const stored = readStored(audience);
  if (stored.kind === "invalid") throw unreadableAudience();
  return stored.kind === "all" ? null : stored.expression;
}

/** The users of a range of keys whom an audience, as it is stored, matches. @throws PlanFault where it cannot be read */
export const pageIn = (range: KeyRange, audience: unknown, evaluatedAt: number): AudiencePage => ({
  expression: expressionOf(audience),
  evaluatedAt,
  range,
});

/**
 * The page of an audience, as it is stored, that begins at a place. Few users who are found by their keys are
 * all on one page: those that the audience lists, or, with `areNamed`, whom the channel reaches by name. @throws PlanFault where it cannot be read
 */
export async function readPage(
  db: Db,
  projectId: string,
  audience: unknown,
  { after, evaluatedAt }: PageStart,
  areNamed = false,
): Promise<AudiencePage> {
  const expression = expressionOf(audience);
  const areFew = areNamed || (expression !== null && listsItsUsers(expression.root));
  const range = areFew ? { after, until: null } : await findKeyRange(db, projectId, after);
  return { expression, evaluatedAt, range };
}

/** What the statements that find candidates for a delivery have found of all of them. */
export const CANDIDATE = {
  isMet: true,
  delivery: null,
  withheldAt: null,
  isBehind: false,
  matches: () => true,
} as const;
