import { Button, Group, Stack } from "@mantine/core";
import type { VisitorsMet } from "../campaigns/visitors-words.ts";
import { Count, useCount } from "./count.tsx";
import { Definition } from "./definition.tsx";
import { useNodeCounts } from "./node-counts.ts";
import { type AudienceQuery, type Expression, hasParts } from "./tree.pure.ts";
import { words } from "./words.ts";

type Props = { scope: string; question: AudienceQuery; expression: Expression; visitors?: VisitorsMet };

/** How many users an audience has, exactly; condition by condition where there are several. It is counted anew when a person asks. */
export function CountedAudience({ scope, question, expression, visitors = "none" }: Props) {
  const isParted = hasParts(expression.root);
  const counted = useCount(scope, question);
  const { counts, recount } = useNodeCounts(scope, question, isParted);
  const countAgain = (): void => {
    void counted.check.refetch();
    if (isParted) recount();
  };
  return (
    <Stack gap="xs">
      <Group>
        <Count counted={counted} visitors={visitors} />
        <Button variant="default" size="xs" loading={counted.check.isFetching} onClick={countAgain}>
          {words.countAgain}
        </Button>
      </Group>
      {isParted && (
        <Definition scope={scope} expression={expression} counts={counts} remarks={counted.remarks} />
      )}
    </Stack>
  );
}
