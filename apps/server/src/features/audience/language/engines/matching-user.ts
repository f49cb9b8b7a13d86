import type { UserRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import type { AudienceExpression } from "../schema.ts";
import { compile } from "./compile.pure.ts";
import { readFacts } from "./facts-store.ts";
import { Needs } from "./needs.pure.ts";

/**
 * Which of some expressions match a user at an instant (epoch milliseconds), in their order, by the facts of one statement. Nothing
 * matches a user whom the project does not have.
 */
export async function expressionsMatching(
  db: Db,
  projectId: string,
  user: UserRef,
  expressions: readonly AudienceExpression[],
  evaluatedAt: number,
): Promise<boolean[]> {
  const needs = new Needs();
  const compiled = expressions.map((expression) => compile(expression, needs));
  const events = [...new Set(compiled.flatMap((each) => each.events))];
  const wanted = { needs: needs.list, events };
  const known = await readFacts(db, projectId, user, wanted, evaluatedAt);
  return compiled.map(({ matches }) => known !== null && matches(known.facts, evaluatedAt));
}
