import { Alert, Anchor, SimpleGrid, Stack, Text, Title } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { pageIn, useAddress, useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { figureOf, useResults } from "../../ui/campaigns/results.ts";
import { Figure } from "../../ui/charts/figure.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { Records } from "./parts/records.tsx";
import { Waits } from "./parts/waiting.tsx";
import { campaignFault, type Inspection } from "./rules.ts";
import { words } from "./words.ts";

const PER_PAGE = 50;

type OfCampaign = { scope: string; id: string };

function Figures({ scope, id, inspection: { users, devices } }: OfCampaign & { inspection: Inspection }) {
  const { figures } = words;
  const converted = figureOf(useResults(scope, [{ id }])(id), "converted");
  return (
    <SimpleGrid cols={{ base: 2, md: 4 }}>
      <Figure label={figures.targeted} value={users.targeted} />
      <Figure label={figures.accepted} value={users.accepted} />
      <Figure label={figures.engaged} value={users.engaged} />
      <Figure label={figures.converted} value={converted} />
      <Figure label={figures.afterTap} value={users.converted} />
      <Figure label={figures.attempts} value={devices.attempts} />
      <Figure label={figures.received} value={devices.receiptObserved} />
      <Figure label={figures.uncertain} value={devices.receiptUnknown} />
      <Figure label={figures.waiting} value={devices.waiting} />
    </SimpleGrid>
  );
}

function Waiting({ scope, id }: OfCampaign) {
  const standing = useOperation(scope, "getPushStanding", { query: { campaignId: id } });
  return (
    <Loaded query={standing}>
      {({ pausedBecause, ways, campaigns: [campaign] }) => {
        if (campaign === undefined) return null;
        const fault = pausedBecause ?? campaignFault(campaign, ways, Date.now());
        return (
          <Stack gap="sm">
            <Alert
              title={fault === null ? words.leavesNow : words.nothingLeaves}
              {...(fault !== null && { color: "red" })}
            >
              {fault ?? words.acceptedAbout}
            </Alert>
            <Title order={2} size="h4">
              {words.waitsFor}
            </Title>
            <Waits campaign={campaign} />
          </Stack>
        );
      }}
    </Loaded>
  );
}

export function PushCampaignPage({ scope }: { scope: string }) {
  const id = useNamed("campaignId");
  const [address] = useAddress();
  const campaign = useOperation(scope, "getCampaign", { path: { id } });
  const found = useOperation(scope, "getCampaignPush", {
    path: { id },
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Page {...(campaign.data !== undefined && { title: campaign.data.campaign.name })}>
      <Anchor component={Link} to={`/p/${scope}/campaigns/${id}`} size="sm">
        {words.backToCampaign}
      </Anchor>
      <Loaded query={found}>
        {(inspection) => (
          <Stack gap="xl">
            <Figures scope={scope} id={id} inspection={inspection} />
            <Waiting scope={scope} id={id} />
            <Records scope={scope} inspection={inspection} />
            <Text size="sm" c="dimmed">
              {`${words.age(timeOf(inspection.evaluatedAt))} ${timesOf()}`}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
