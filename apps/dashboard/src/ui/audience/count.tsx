import { Text } from "@mantine/core";
import { useDebouncedValue } from "@mantine/hooks";
import { TidingsError } from "@tidings/client";
import { isFinal, problemOf } from "../../platform/client.ts";
import { inWords } from "../../platform/faults.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeWithSecondsOf } from "../../platform/times.ts";
import type { VisitorsMet } from "../campaigns/visitors-words.ts";
import { Problem } from "../problem.tsx";
import { UserName } from "../user/user-name.tsx";
import type { ExpressionRemark } from "./remark.ts";
import type { AudienceQuery } from "./tree.pure.ts";
import { words } from "./words.ts";

const COUNT_AFTER_MS = 250;
const SAMPLES = 3;

function remarksOf(error: unknown): ExpressionRemark[] {
  const body = error instanceof TidingsError ? error.body : null;
  const found = typeof body === "object" && body !== null && "diagnostics" in body ? body.diagnostics : [];
  // The server refuses an expression with all that is wrong with it.
  return Array.isArray(found) ? (found as ExpressionRemark[]) : [];
}

/** Counts an audience exactly, shortly after the last key; null is not counted. */
export function useCount(scope: string, question: AudienceQuery | null) {
  const now = JSON.stringify(question);
  const [text] = useDebouncedValue(now, COUNT_AFTER_MS);
  const counted = JSON.parse(text) as AudienceQuery | null;
  const check = useOperation(
    scope,
    "checkAudience",
    { body: { ...counted, sampleLimit: SAMPLES } },
    { enabled: counted !== null, refetchInterval: false, isStopped: true },
  );
  const remarks = check.error === null ? (check.data?.diagnostics ?? []) : remarksOf(check.error);
  return { scope, check, remarks, question: counted, isOld: text !== now || check.isPlaceholderData };
}

export type AudienceCount = ReturnType<typeof useCount>;

/** The count of an audience at an instant; while a newer one is on its way, the older one is dimmed. */
export function Count({
  counted: { scope, check, isOld, remarks },
  visitors = "none",
}: {
  counted: AudienceCount;
  /** Whether visitors are counted: none of them, beside the users, or instead of these. */
  visitors?: VisitorsMet;
}) {
  const { data, error, refetch } = check;
  // A refusal says what is wrong with the audience; anything else may go better the next time.
  if (error !== null && !isFinal(error)) return <Problem error={error} retry={() => void refetch()} />;
  const text = error !== null ? words.noCount : data === undefined ? words.counting : null;
  if (text !== null || data === undefined)
    return (
      <div role="status">
        <Text c="dimmed">{text}</Text>
        {error !== null && remarks.length === 0 && <Text size="sm">{inWords(problemOf(error).message)}</Text>}
      </div>
    );
  // The samples are of users.
  const samples = visitors === "only" ? [] : data.samples;
  return (
    <div role="status" aria-busy={isOld}>
      <Text fw={600} c={isOld ? "dimmed" : "inherit"}>
        {[
          ...(visitors === "only" ? [] : [words.matches(data.matchedCount, data.totalUsers)]),
          ...(visitors === "none" ? [] : [words.matchingVisitors(data.matchedVisitors, data.totalVisitors)]),
        ].join(", ")}
      </Text>
      <Text size="sm" c="dimmed">
        {words.countedAt(timeWithSecondsOf(data.evaluatedAt))}
        {samples.length > 0 && ` · ${words.samples} `}
        {samples.map(({ externalUserId }, index) => (
          <span key={externalUserId}>
            {index > 0 && ", "}
            <UserName scope={scope} userId={externalUserId} />
          </span>
        ))}
      </Text>
    </div>
  );
}
