import { Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useOperation } from "../../../../platform/operations.ts";
import { timeOf } from "../../../../platform/times.ts";
import { Rows } from "../../../../ui/lists/rows.tsx";
import { Loaded } from "../../../../ui/loaded.tsx";
import classes from "../../../../ui/look/long.module.css";
import { Section } from "../../../../ui/section.tsx";
import { words } from "../../words.ts";

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
  const found = useOperation(scope, "listSuppressionDecisions", { query: { limit: SHOWN } });
  if (found.data?.decisions.length === 0) return null;
  return (
    <Section title={words.decisions}>
      <Loaded query={found}>
        {({ decisions }) => (
          <Rows
            heads={[words.when, words.decidedBy, words.address, words.decision]}
            rows={decisions.map((decision, index) => ({
              id: `${decision.at} ${index}`,
              cells: cellsOf(decision),
            }))}
          />
        )}
      </Loaded>
    </Section>
  );
}
