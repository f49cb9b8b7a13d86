import { SimpleGrid, Text } from "@mantine/core";
import { WithCampaigns } from "../../../ui/campaigns/campaign-names.ts";
import { describeOnce, onceWords } from "../../../ui/campaigns/once-words.ts";
import { Figure } from "../../../ui/charts/figure.tsx";
import long from "../../../ui/look/long.module.css";
import { Section } from "../../../ui/section.tsx";
import type { Approval } from "../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; audience: Approval["review"]["audience"]; campaign: Approval["campaign"] };

/** Whom the campaign is for, whether it goes on to those who match later, and how many have it. */
export const ProposalAudience = ({ scope, audience, campaign: { channel, once } }: Props) => (
  <Section title={words.audience}>
    <Text className={long.long}>
      <WithCampaigns scope={scope} text={audience.summary} />
    </Text>
    {channel !== "web_inapp" && <Text>{`${onceWords.field}: ${describeOnce(once)}`}</Text>}
    <SimpleGrid cols={{ base: 1, xs: 3 }} maw="44rem">
      <Figure label={words.matched} value={audience.matched} />
      <Figure label={words.delivered} value={audience.delivered} />
      <Figure label={words.left} value={audience.left} />
    </SimpleGrid>
  </Section>
);
