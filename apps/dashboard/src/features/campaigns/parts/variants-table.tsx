import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import { numberOf } from "../../../platform/figures.ts";
import { MessageLink } from "../../../ui/preview/message-link.tsx";
import { Rows } from "../../../ui/rows.tsx";
import { Difference, Rate, Users } from "../../../ui/statistics/cells.tsx";
import type { CampaignDetail, Comparison, Names, Statistics, VariantStatistics, Verdict } from "../rules.ts";
import { nameIn } from "../rules.ts";
import { words } from "../words.ts";

const SIGNS: Readonly<Record<Verdict, string>> = { better: "▲", worse: "▼", similar: "=", undecided: "…" };

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

type OfCampaign = { scope: string; campaign: CampaignDetail; names: Names };

/** The name of a variant, and below it what users read first. */
function NameOf({ of, scope, campaign, names }: OfCampaign & { of: VariantStatistics }) {
  const { variantId, isControl } = of;
  const title = campaign.variants.find(({ id }) => id === variantId)?.title;
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <Text fw={600}>{nameIn(names, variantId)}</Text>
        {isControl && <Badge variant="light">{words.control}</Badge>}
      </Group>
      {title !== undefined && <MessageLink {...{ scope, campaignId: campaign.id, title }} />}
    </Stack>
  );
}

function cellsOf(variant: VariantStatistics, of: OfCampaign) {
  const { weight, rate, comparison } = variant;
  return [
    <NameOf key="name" of={variant} {...of} />,
    numberOf(weight),
    <Users key="users" of={variant} />,
    <Rate key="rate" of={rate} />,
    comparison && <Difference key="lift" of={comparison.relative} />,
    comparison && <VerdictOf key="verdict" comparison={comparison} />,
  ];
}

/** Each variant with its users, its rate, and how it stands against the control. */
export function VariantsTable({ statistics: { variants }, ...of }: OfCampaign & { statistics: Statistics }) {
  return (
    <Stack gap="xs">
      <Title order={3} size="h5">
        {words.variants}
      </Title>
      <Rows
        heads={[words.variant, words.weight, words.users, words.rate, words.lift, words.verdict]}
        rows={variants.map((variant) => ({ id: variant.variantId, cells: cellsOf(variant, of) }))}
      />
    </Stack>
  );
}
