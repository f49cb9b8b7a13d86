import type { Answer } from "@tidings/client";
import { useOperation } from "../../platform/operations.ts";
import type { AudienceCount } from "./count.tsx";
import type { AudienceQuery } from "./tree.pure.ts";

type Counts = Answer<"countAudienceNodes">;
/** How many users meet each node of an expression by itself, by the place of the node. */
export type NodeCounts = ReadonlyMap<string, Pick<Counts["nodes"][number], "users" | "values">>;

const NONE: NodeCounts = new Map();

/**
 * Counts each node of an audience by itself. Where that takes the server too long there are no counts, and no fault: what matters is the
 * whole, which is counted apart.
 */
export function useNodeCounts(scope: string, question: AudienceQuery | null, isWanted = true) {
  const { data, isPlaceholderData, refetch } = useOperation(
    scope,
    "countAudienceNodes",
    { body: question ?? {} },
    { enabled: isWanted && question !== null, refetchInterval: false, isStopped: true },
  );
  const isKnown = isWanted && data !== undefined && !isPlaceholderData;
  const counts: NodeCounts = isKnown ? new Map(data.nodes.map(({ path, ...node }) => [path, node])) : NONE;
  return { counts, recount: () => void refetch() };
}

/** The counts of the nodes of what was counted as a whole: none while another tree is on its way, whose nodes lie elsewhere. */
export const useCountsWithin = (
  scope: string,
  { question, check, isOld }: AudienceCount,
  isShown: boolean,
): NodeCounts => useNodeCounts(scope, question, isShown && check.isSuccess && !isOld).counts;
