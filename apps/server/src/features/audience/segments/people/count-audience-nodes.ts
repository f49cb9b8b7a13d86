import { z } from "zod";
import { endpoint, KIB } from "../../../../platform/http/contract/endpoint.ts";
import { count, epochMs } from "../../../../platform/http/contract/fields.ts";
import { readTraitValues } from "../../../counting/rollups/public.ts";
import { pointer } from "../../language/parse/diagnostics.pure.ts";
import { countNodesMatching } from "../../language/public.ts";
import { visitLeaves } from "../../language/rules.ts";
import { type AudienceExpression, MAX_NODES } from "../../language/schema.ts";
import { resolveQuestion } from "../audiences/question.ts";
import { audienceQuestion } from "../schema.ts";
import { MOST_VALUES, nearestValues, wantedTexts } from "./nearest-values.pure.ts";

const NodeCount = z.object({
  path: z.string().max(1_000).describe("JSON pointer of the node, such as `/root/children/0`."),
  users: count.describe(
    "Users who meet this node by itself, whatever stands around it; of a condition in `where`, who did the event within its window at least once with this property.",
  ),
  values: z
    .array(z.string().max(40))
    .max(MOST_VALUES)
    .describe(
      "Where nobody has the value that the node asks for: the values of its trait that are spelled like it, then those of most users. Empty for other nodes, and where values are too many to be known.",
    ),
});

/** The texts that conditions ask for without anybody who has them, by the path of the condition. */
function unmetTexts(expression: AudienceExpression, unmet: ReadonlySet<string>) {
  const found = new Map<string, { trait: string; texts: string[] }>();
  visitLeaves(expression.root, (leaf, path) => {
    const wanted = wantedTexts(leaf);
    if (wanted !== null && unmet.has(pointer(path))) found.set(pointer(path), wanted);
  });
  return found;
}

export const countAudienceNodes = endpoint(
  {
    id: "countAudienceNodes",
    method: "POST",
    path: "/api/people/audiences/nodes",
    tag: "Audiences",
    summary: "Count who meets each condition of an audience by itself",
    description:
      "Every node of the expression, the root first, as `check` would count it alone; all of it at one instant, in one walk over the users. Visitors are not counted.",
    keys: [],
    people: "viewer",
    cost: "heavy",
    isRead: true,
    oneInstant: true,
    bodyLimit: 64 * KIB,
    body: z.object(audienceQuestion),
    example: { segment: "on-pro" },
    result: z
      .object({
        evaluatedAt: epochMs,
        totalUsers: count.describe("All users."),
        nodes: z.array(NodeCount).max(MAX_NODES),
      })
      .meta({ id: "AudienceNodeCounts" }),
    errors: ["not_found"],
  },
  async (ctx, { body }) => {
    const { db, projectId, now: evaluatedAt } = ctx;
    const { expression } = await resolveQuestion(ctx, body);
    const { nodes, total } = await countNodesMatching(db, projectId, expression, evaluatedAt);
    const unmet = new Set(nodes.filter(({ users }) => users === 0).map(({ path }) => path));
    const texts = unmetTexts(expression, unmet);
    const traits = [...new Set([...texts.values()].map(({ trait }) => trait))];
    const known = await readTraitValues(db, projectId, traits);
    const valuesAt = (path: string): string[] => {
      const wanted = texts.get(path);
      return wanted === undefined ? [] : nearestValues(wanted.texts, known.get(wanted.trait) ?? []);
    };
    return {
      evaluatedAt,
      totalUsers: total,
      nodes: nodes.map((node) => ({ ...node, values: valuesAt(node.path) })),
    };
  },
);
