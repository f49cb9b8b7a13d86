import type { UserRef } from "../../../../domain/ids.ts";
import type { Db } from "../../../../platform/db/db.ts";
import type { AudienceExpression } from "../schema.ts";
import { type CountedFacts, compile } from "./compile.pure.ts";
import { type KnownUser, readFacts } from "./facts-store.ts";
import { type TraceNode, trace } from "./trace.pure.ts";

/** What an expression says of one user, node by node. `known` is null where the project has no such user. */
export type Explained = { known: KnownUser | null; matched: boolean; trace: TraceNode };

const UNKNOWN: Omit<CountedFacts, "externalId"> = {
  traits: {},
  firstSeenAt: null,
  lastSeenAt: null,
  eventCounts: {},
  occurrences: [],
};

/** Why one user matches an expression, or does not, at an instant (epoch milliseconds). An unknown user has done nothing. */
export async function explainExpression(
  db: Db,
  projectId: string,
  user: UserRef & { externalId: string },
  expression: AudienceExpression,
  evaluatedAt: number,
): Promise<Explained> {
  const compiled = compile(expression);
  const known = await readFacts(db, projectId, user, compiled, evaluatedAt);
  const facts = known?.facts ?? { ...UNKNOWN, externalId: user.externalId };
  return {
    known,
    matched: compiled.matches(facts, evaluatedAt),
    trace: trace(expression, compiled, facts, evaluatedAt),
  };
}
