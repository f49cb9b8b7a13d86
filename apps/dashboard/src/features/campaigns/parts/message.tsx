import { Text } from "@mantine/core";
import { numberOf, percentOf } from "../../../platform/figures.ts";
import { Messages } from "../../../ui/preview/messages.tsx";
import { shareOf } from "../../../ui/preview/share.pure.ts";
import { words as shared } from "../../../ui/preview/words.ts";
import { Section } from "../../../ui/section.tsx";
import { RateOf, type Rates, SplitWarning, useRates } from "../../../ui/statistics/rates.tsx";
import { type CampaignDetail, reachedOf } from "../rules.ts";
import { words } from "../words.ts";

type Variant = CampaignDetail["variants"][number];

/** Who gets a variant, and where it was delivered, to how many users and with which rate. */
function About({ campaign, variant, rates }: { campaign: CampaignDetail; variant: Variant; rates: Rates }) {
  const share = shareOf(variant, campaign.variants);
  const rate = rates.variants.get(variant.id);
  const reached = reachedOf({ ...campaign, stats: variant.stats });
  return (
    <>
      <Text size="sm">{share === 0 ? shared.noShare : shared.share(percentOf(share))}</Text>
      {campaign.startedAt !== undefined &&
        (rate === undefined ? (
          <Text size="sm">{words.reachedBy[reached.name](numberOf(reached.count))}</Text>
        ) : (
          <RateOf of={rate} />
        ))}
    </>
  );
}

/** What users read: the message of each variant, as a user gets it. */
export function Message({ scope, campaign }: { scope: string; campaign: CampaignDetail }) {
  const { id, channel, goalId, startedAt, variants } = campaign;
  const rates = useRates(scope, id, startedAt === undefined ? null : goalId);
  const shown = variants.map((variant) => ({
    ...{ id: variant.id, name: variant.name, message: variant.content },
    // One alone is compared with nothing.
    isControl: variant.isControl && variants.length > 1,
    about: <About {...{ campaign, variant, rates }} />,
  }));
  return (
    <Section title={words.whatUsersRead}>
      <SplitWarning of={rates} />
      <Messages {...{ scope, channel, groups: [shown] }} />
    </Section>
  );
}
