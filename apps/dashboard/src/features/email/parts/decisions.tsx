import { Stack, Text, Title } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import classes from "../../../ui/long.module.css";
import { Rows } from "../../../ui/rows.tsx";
import { words } from "../words.ts";

const SHOWN = 20;

type Decision = Answer<"listSuppressionDecisions">["decisions"][number];

const stateOf = (reason: string | null): string =>
  reason === null ? words.allowed : ((words.reasons as Record<string, string>)[reason] ?? reason);

const cellsOf = ({ at, by, address, before, after }: Decision) => [
  timeOf(at),
  by,
  <Text key="address" size="sm" className={classes.long}>
    {address ?? words.erased}
  </Text>,
  words.changeOf(stateOf(before), stateOf(after)),
];

/** What people decided about addresses last: what was lifted is in no list otherwise. */
export function Decisions({ scope }: { scope: string }) {
  const { data } = useOperation(scope, "listSuppressionDecisions", { query: { limit: SHOWN } });
  if (data === undefined || data.decisions.length === 0) return null;
  return (
    <Stack gap="xs" mt="lg">
      <Title order={2} size="h4">
        {words.decisions}
      </Title>
      <Rows
        heads={[words.when, words.who_, words.address, words.decision]}
        rows={data.decisions.map((decision, index) => ({
          id: `${decision.at} ${index}`,
          cells: cellsOf(decision),
        }))}
      />
    </Stack>
  );
}
