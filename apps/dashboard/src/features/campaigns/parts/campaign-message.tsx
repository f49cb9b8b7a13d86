import { Text } from "@mantine/core";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { percentOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import type { CampaignResults } from "../../../ui/campaigns/results.ts";
import { Messages } from "../../../ui/preview/messages.tsx";
import { variantShare } from "../../../ui/preview/share.pure.ts";
import { words as shared } from "../../../ui/preview/words.ts";
import { Section } from "../../../ui/section.tsx";
import { RateOf, type Rates, SplitWarning, useRates } from "../../../ui/statistics/rates.tsx";
import { FIRST_STEPS, liveVariants } from "../rules.ts";
import { words } from "../words.ts";

type Variant = CampaignDetail["variants"][number];

type OfVariant = {
  campaign: CampaignDetail;
  variant: Variant;
  rates: Rates;
  results: CampaignResults | null;
};

/** The share of users that gets a variant, and where it was delivered, to how many users and with which rate. */
function About({ campaign, variant, rates, results }: OfVariant) {
  const share = variantShare(variant, campaign.variants);
  const rate = rates.variants.get(variant.id);
  const first = FIRST_STEPS[campaign.channel];
  const counted = results?.variants.find(({ variantId }) => variantId === variant.id);
  return (
    <>
      <Text size="sm">{share === 0 ? shared.noShare : shared.share(percentOf(share))}</Text>
      {campaign.startedAt !== undefined &&
        (rates.isCounted ? (
          <RateOf variant={rate} />
        ) : (
          counted !== undefined && <Text size="sm">{words.reachedBy[first](counted[first])}</Text>
        ))}
    </>
  );
}

/** What users read: the message of each variant, as a user gets it. */
export function CampaignMessage({ scope, campaign }: { scope: string; campaign: CampaignDetail }) {
  const { id, channel, goalId, startedAt } = campaign;
  const variants = liveVariants(campaign);
  const rates = useRates(scope, id, startedAt === undefined ? null : goalId);
  const counted = useOperation(
    scope,
    "listCampaignResults",
    { query: { campaignIds: id } },
    { enabled: startedAt !== undefined && !rates.isCounted },
  );
  const [results = null] = counted.data?.results ?? [];
  const shown = variants.map((variant) => ({
    id: variant.id,
    name: variant.name,
    message: variant.content,
    // One alone is compared with nothing.
    isControl: variant.isControl && variants.length > 1,
    about: <About campaign={campaign} variant={variant} rates={rates} results={results} />,
  }));
  return (
    <Section title={words.whatUsersRead}>
      <SplitWarning rates={rates} />
      <Messages scope={scope} channel={channel} groups={[shown]} />
    </Section>
  );
}
