import type { Db } from "../../../platform/db/db.ts";
import { readStored } from "../../audience/language/parse/stored.pure.ts";
import { findKeyRange, type KeyRange } from "../../audience/language/public.ts";
import { listsItsUsers } from "../../audience/language/rules.ts";
import type { AudienceExpression } from "../../audience/language/schema.ts";
import type { Cursor } from "../rules.ts";

/** Where a page of an audience begins: after a user, by lane and key. It is evaluated at an instant (epoch ms). */
export type Place = { evaluatedAt: number; after: Cursor };

/** A page: the users of a range of keys who match `expression` (null: all of them) at an instant (epoch ms). */
export type AudiencePage = {
  expression: AudienceExpression | null;
  evaluatedAt: number;
  range: KeyRange;
};

/** The expression of an audience as it is stored (null: all users); undefined where it cannot be parsed, and so matches no user. */
function expressionOf(audience: unknown): AudienceExpression | null | undefined {
  const stored = readStored(audience);
  if (stored.kind === "invalid") return undefined;
  return stored.kind === "all" ? null : stored.expression;
}

/** The users of a range of keys whom an audience, as it is stored, matches; null where it cannot be parsed. */
export function pageIn(range: KeyRange, audience: unknown, evaluatedAt: number): AudiencePage | null {
  const expression = expressionOf(audience);
  return expression === undefined ? null : { expression, evaluatedAt, range };
}

/**
 * The page of an audience, as it is stored, that begins at a place; null where it cannot be parsed. Users whom the audience lists are found
 * by their keys, so that all of them are on one page.
 */
export async function readPage(
  db: Db,
  projectId: string,
  audience: unknown,
  { after, evaluatedAt }: Place,
): Promise<AudiencePage | null> {
  const expression = expressionOf(audience);
  if (expression === undefined) return null;
  const isListed = expression !== null && listsItsUsers(expression.root);
  const range = isListed ? { after, until: null } : await findKeyRange(db, projectId, after);
  return { expression, evaluatedAt, range };
}
