import { Progress, Stack, Text, Title } from "@mantine/core";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import type { CampaignResults } from "../../../ui/campaigns/results.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { SaveTable } from "../../../ui/save/save-table.tsx";
import { liveSentence } from "../rules.ts";
import { words } from "../words.ts";
import classes from "./funnel.module.css";
import { type FunnelStep, funnelSteps, lossesOf, notLeftOf } from "./rules.ts";

function Line({ step: { name, count, share } }: { step: FunnelStep }) {
  const label = words.stats[name];
  return (
    <li className={classes.step}>
      <Text size="sm">{label}</Text>
      <Progress value={(share ?? 0) * 100} aria-label={label} size="lg" />
      <Text size="sm" ta="end">
        {numberOf(count)}
      </Text>
      <Text size="sm" c="dimmed" ta="end">
        {share === null ? "" : percentOf(share)}
      </Text>
    </li>
  );
}

type Counted = { campaign: CampaignDetail; results: CampaignResults };

/** What counts as converted, and why the list of deliveries has another number of them. */
function AboutConverted({ campaign: { stats }, results: { event, attributionDays, totals } }: Counted) {
  const sentences = [
    event !== null && attributionDays !== null && words.convertedWithin(event, attributionDays),
    stats.converted !== (totals.converted ?? 0) && words.convertedState(stats.converted),
  ].filter((sentence) => sentence !== false);
  if (sentences.length === 0) return null;
  return (
    <Text size="sm" c="dimmed" maw="44rem">
      {sentences.join(" ")}
    </Text>
  );
}

function Steps({ campaign, results }: Counted) {
  const counted = { channel: campaign.channel, results: results.totals };
  const steps = [...funnelSteps(counted), ...lossesOf(counted)];
  if (steps.every(({ count }) => count === 0))
    return <Text>{liveSentence(campaign) ?? words.nothingYet}</Text>;
  return (
    <Stack gap="xs">
      <ul className={classes.steps}>
        {steps.map((step) => (
          <Line key={step.name} step={step} />
        ))}
      </ul>
      <div>
        <SaveTable
          name="results"
          heads={[words.step, words.count, words.share]}
          rows={steps.map(({ name, count, share }) => [words.stats[name], count, share])}
        />
      </div>
      <AboutConverted campaign={campaign} results={results} />
    </Stack>
  );
}

/** What became of mail that no step counts, because it has not left: what still comes, and what never does. */
function NotLeft({
  scope,
  campaign: { id, channel, status, journeyStep },
}: {
  scope: string;
  campaign: CampaignDetail;
}) {
  const email = useOperation(scope, "getCampaignEmail", { path: { id } }, { enabled: channel === "email" });
  if (email.data === undefined) return null;
  return notLeftOf(email.data, status).map(({ why, count }) => (
    <Text key={why}>
      {why === "withdrawn" && journeyStep !== null
        ? words.withdrawnFromStep(count)
        : words.notLeft[why](count)}
    </Text>
  ));
}

/** How many deliveries reached each step, and what was lost on the way. */
export function Funnel({ scope, campaign }: { scope: string; campaign: CampaignDetail }) {
  const found = useOperation(scope, "listCampaignResults", { query: { campaignIds: campaign.id } });
  return (
    <Stack gap="xs">
      <Title order={2} size="h4">
        {words.funnel}
      </Title>
      <Loaded query={found}>
        {({ results: [results] }) => results !== undefined && <Steps campaign={campaign} results={results} />}
      </Loaded>
      <NotLeft scope={scope} campaign={campaign} />
    </Stack>
  );
}
