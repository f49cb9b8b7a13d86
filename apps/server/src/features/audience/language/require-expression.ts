import type { Db } from "../../../platform/db/db.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { unknownCampaigns } from "./campaigns-store.ts";
import { pointer } from "./parse/diagnostics.pure.ts";
import { parseExpression } from "./parse/parse.pure.ts";
import { visitLeaves } from "./rules.ts";
import type { AudienceExpression, Diagnostic, EventNode } from "./schema.ts";

function refuse(diagnostics: readonly Diagnostic[]): never {
  const [first] = diagnostics;
  const message =
    first === undefined
      ? "expression is not valid"
      : `expression${first.path} is not valid: ${first.message}`;
  throw new ApiError("invalid_request", message, { fields: { diagnostics } });
}

/**
 * An event with conditions on its properties, in canonical form.
 * @throws ApiError that lists everything that is wrong with it
 */
export async function requireEventRule(
  db: Db,
  projectId: string,
  { event, where }: { event: string; where?: unknown },
): Promise<Pick<EventNode, "event" | "where">> {
  const root = { kind: "event", event, ...(where === undefined ? {} : { where }) };
  const expression = await requireExpression(db, projectId, { version: 1, root });
  if (expression.root.kind !== "event") throw new Error("A condition on an event is none any more.");
  return expression.root;
}

/** The campaigns that an expression names, each with its place in it. */
function namedCampaigns({ root }: AudienceExpression): { id: string; path: string }[] {
  const found: { id: string; path: string }[] = [];
  visitLeaves(root, (leaf, path) => {
    if (leaf.kind !== "message") return;
    for (const [index, id] of (leaf.campaigns ?? []).entries())
      found.push({ id, path: pointer([...path, "campaigns", index]) });
  });
  return found;
}

/**
 * The canonical form of an expression in a request. A campaign that the project does not have is refused: "did not open it" would be true
 * of everybody.
 * @throws ApiError that lists everything that is wrong with it
 */
export async function requireExpression(
  db: Db,
  projectId: string,
  input: unknown,
): Promise<AudienceExpression> {
  const parsed = parseExpression(input);
  if (!parsed.ok) refuse(parsed.diagnostics);
  const named = namedCampaigns(parsed.expression);
  if (named.length === 0) return parsed.expression;
  const unknown = await unknownCampaigns(db, projectId, [...new Set(named.map(({ id }) => id))]);
  const diagnostics = named
    .filter(({ id }) => unknown.has(id))
    .map(({ id, path }): Diagnostic => {
      const message = `This project has no campaign ${id}.`;
      return { severity: "error", code: "unknown_campaign", path, message };
    });
  if (diagnostics.length > 0) refuse(diagnostics);
  return parsed.expression;
}
