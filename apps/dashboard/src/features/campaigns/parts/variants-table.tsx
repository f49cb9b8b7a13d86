import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import { changeOf, numberOf, percentOf } from "../../../platform/figures.ts";
import { Rows } from "../../../ui/rows.tsx";
import type { Comparison, Names, Statistics, VariantStatistics, Verdict } from "../rules.ts";
import { nameIn } from "../rules.ts";
import { words } from "../words.ts";

const SIGNS: Readonly<Record<Verdict, string>> = { better: "▲", worse: "▼", similar: "=", undecided: "…" };

/** A difference with its ends: what it was, and between what it lies whenever one looks. */
export function Difference({ of: { estimate, lower, upper } }: { of: Comparison["relative"] }) {
  return (
    <>
      {estimate !== null && <Text fw={600}>{changeOf(estimate)}</Text>}
      <Text size="sm" c="dimmed">
        {upper === null ? words.atLeast(changeOf(lower)) : words.between(changeOf(lower), changeOf(upper))}
      </Text>
    </>
  );
}

export function Rate({ of: { estimate, lower, upper } }: { of: VariantStatistics["rate"] }) {
  if (estimate === null) return <Text c="dimmed">{words.noRate}</Text>;
  return (
    <>
      <Text>{percentOf(estimate)}</Text>
      <Text size="sm" c="dimmed">
        {words.between(percentOf(lower), percentOf(upper))}
      </Text>
    </>
  );
}

export function Users({ of: { matured, pending } }: { of: Pick<VariantStatistics, "matured" | "pending"> }) {
  return (
    <>
      <Text>{numberOf(matured.exposedUsers)}</Text>
      {pending.exposedUsers > 0 && (
        <Text size="sm" c="dimmed">
          {words.pending(numberOf(pending.exposedUsers))}
        </Text>
      )}
    </>
  );
}

/** An e-value of 2 or less says nothing to a person. */
const LEAST_EVIDENCE = 2;

function VerdictOf({ comparison: { verdict, eValue } }: { comparison: Comparison }) {
  return (
    <>
      <Badge variant={verdict === "better" ? "filled" : "default"}>
        <span aria-hidden>{SIGNS[verdict]}</span> {words.verdicts[verdict]}
      </Badge>
      {eValue > LEAST_EVIDENCE && (
        <Text size="sm" c="dimmed">
          {words.evidence(numberOf(Math.floor(eValue)))}
        </Text>
      )}
    </>
  );
}

function cellsOf(variant: VariantStatistics, names: Names) {
  const { variantId, weight, isControl, rate, comparison } = variant;
  return [
    <Group key="name" gap="xs">
      <Text fw={600}>{nameIn(names, variantId)}</Text>
      {isControl && <Badge variant="light">{words.control}</Badge>}
    </Group>,
    numberOf(weight),
    <Users key="users" of={variant} />,
    <Rate key="rate" of={rate} />,
    comparison && <Difference key="lift" of={comparison.relative} />,
    comparison && <VerdictOf key="verdict" comparison={comparison} />,
  ];
}

/** Each variant with its users, its rate, and how it stands against the control. */
export function VariantsTable({ statistics: { variants }, names }: { statistics: Statistics; names: Names }) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {words.variants}
      </Title>
      <Rows
        heads={[words.variant, words.weight, words.users, words.rate, words.lift, words.verdict]}
        rows={variants.map((variant) => ({ id: variant.variantId, cells: cellsOf(variant, names) }))}
      />
    </Stack>
  );
}
