import { Badge, Group, Stack, Text, Title } from "@mantine/core";
import type { ReactNode } from "react";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { timeOf } from "../../../platform/times.ts";
import { MessageLink } from "../../../ui/preview/message-link.tsx";
import { SaveTable } from "../../../ui/save/save-table.tsx";
import {
  nameIn,
  type Statistics,
  type VariantNames,
  type VariantStatistics,
} from "../../../ui/statistics/comparison.ts";
import { ComparisonTable, comparisonRows } from "../../../ui/statistics/comparison-table.tsx";
import { comparisonWords, variantWords } from "../../../ui/statistics/comparison-words.ts";
import { words } from "../words.ts";
import { beganAnew, type EarlierText, partedBy } from "./rules.ts";

type Props = {
  scope: string;
  campaign: CampaignDetail;
  names: VariantNames;
  earlier: readonly EarlierText[];
};

/** The name of a variant, what users read first of it, and since when it is counted where it began anew. */
function Name({ variant, scope, campaign, names, earlier }: Props & { variant: VariantStatistics }) {
  const { variantId, isControl } = variant;
  const title = campaign.variants.find(({ id }) => id === variantId)?.title;
  const anew = beganAnew(earlier, variant);
  return (
    <Stack gap={0}>
      <Group gap="xs">
        <Text fw={600}>{nameIn(names, variantId)}</Text>
        {isControl && <Badge variant="light">{comparisonWords.control}</Badge>}
      </Group>
      {title !== undefined && <MessageLink scope={scope} campaignId={campaign.id} title={title} />}
      {anew !== null && (
        <Text size="sm" c="dimmed">
          {words.since(timeOf(anew.at), words.sinceText[anew.because])}
        </Text>
      )}
    </Stack>
  );
}

type TableProps = Props & { statistics: Statistics; shown: readonly VariantStatistics[] };

const Table = ({ statistics, shown, ...shared }: TableProps) => (
  <ComparisonTable
    statistics={statistics}
    shown={shown}
    sides={variantWords}
    nameOf={(variant) => <Name variant={variant} {...shared} />}
  />
);

/** Each variant that users get with its users, its rate, and how it stands against the control. The file has those that were taken out, too. */
export const VariantsTable = ({ statistics, ...shared }: Props & { statistics: Statistics }) => (
  <Stack gap="xs">
    <Group justify="space-between">
      <Title order={3} size="h5">
        {words.variants}
      </Title>
      <SaveTable name="variants" {...comparisonRows(statistics, shared.names, variantWords)} />
    </Group>
    <Table {...shared} statistics={statistics} shown={partedBy(statistics).present} />
  </Stack>
);

/** The variants that users had got before they were taken out, with what came of them. */
export function TakenOut({ children, ...shared }: Props & { statistics: Statistics; children: ReactNode }) {
  const { takenOut, isClosed } = partedBy(shared.statistics);
  if (takenOut.length === 0) return null;
  return (
    <details open={!isClosed}>
      <summary>
        {words.takenOut(takenOut.map(({ variantId }) => nameIn(shared.names, variantId)).join(", "))}
      </summary>
      <Stack gap="lg" mt="xs">
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {words.takenOutAbout}
          </Text>
          <Table {...shared} shown={takenOut} />
        </Stack>
        {children}
      </Stack>
    </details>
  );
}
