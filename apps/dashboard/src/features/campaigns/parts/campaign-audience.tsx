import { Button, Stack, Text } from "@mantine/core";
import { useState } from "react";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { audienceFor, questionOf } from "../../../ui/audience/choice.ts";
import { CountedAudience } from "../../../ui/audience/counted.tsx";
import { EVERYONE, type Expression } from "../../../ui/audience/tree.pure.ts";
import { WithCampaigns } from "../../../ui/campaigns/campaign-names.ts";
import long from "../../../ui/look/long.module.css";
import { summaryOf } from "../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; campaign: CampaignDetail };

/** Whom a campaign is for: those who meet its conditions, or all of the users and visitors whom it meets. */
function sentenceOf(campaign: CampaignDetail): string {
  if (campaign.audience.kind === "invalid") return words.unreadable;
  const { visitors } = campaign;
  const summary = summaryOf(campaign);
  return words.to(summary === null ? words.everyoneOf[visitors] : `${summary}${words.metVisitors[visitors]}`);
}

/** Whom a campaign is for, in a sentence; counted once a person asks for it, because that reads all users. */
export function CampaignAudience({ scope, campaign }: Props) {
  const [isRequested, setRequested] = useState(false);
  const { audience, visitors, pages } = campaign;
  const named = audienceFor(audience);
  const question = questionOf(named ?? { kind: "invalid" });
  // The server answers only expressions that it takes.
  const expression = "expression" in audience ? (audience.expression as Expression) : EVERYONE;
  return (
    <Stack gap={4} align="flex-start">
      <Text size="sm" className={long.long}>
        <WithCampaigns scope={scope} text={sentenceOf(campaign)} />
        {pages !== null && words.onPages(pages.join(", "))}
      </Text>
      {question !== null &&
        (isRequested ? (
          <CountedAudience scope={scope} question={question} expression={expression} visitors={visitors} />
        ) : (
          <Button variant="default" size="xs" onClick={() => setRequested(true)}>
            {words.countAudience}
          </Button>
        ))}
    </Stack>
  );
}
