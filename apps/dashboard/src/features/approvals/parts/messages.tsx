import { Group, Text } from "@mantine/core";
import { percentOf } from "../../../platform/figures.ts";
import { Messages, type ShownMessage } from "../../../ui/preview/messages.tsx";
import { variantShare } from "../../../ui/preview/share.pure.ts";
import { words as shared } from "../../../ui/preview/words.ts";
import { Section } from "../../../ui/section.tsx";
import { RateOf, type Rates, SplitWarning, useRates } from "../../../ui/statistics/rates.tsx";
import { To } from "../../../ui/to.tsx";
import {
  type Approval,
  changesText,
  groupsOf,
  type ProposalMessage,
  shareInWords,
  variantName,
} from "../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; approval: Approval };
type MessageProps = Props & { message: ProposalMessage; rates: Rates };

/** That users read another text than the one that this is about, and the way to that. */
const OtherNow = ({ scope, approval: { proposal } }: Props) => (
  <Group gap="xs">
    <Text size="sm" fw={600}>
      {words.otherNow}
    </Text>
    <To scope={scope} path={`campaigns/${proposal.campaignId}`} search={{ view: "message" }}>
      {words.textNow}
    </To>
  </Group>
);

/** Figures are of the text that the variant has now: no other one may be shown beside them. */
function Figures({
  side,
  message,
  rates,
}: Pick<MessageProps, "message" | "rates"> & { side: "before" | "after" }) {
  const rate = rates.variants.get(message.variantId);
  const isOfNow = message.now === side || (message.now === "after" && !changesText(message));
  return isOfNow && <RateOf variant={rate} />;
}

function shownOf({ scope, approval, message, rates }: MessageProps): ShownMessage[] {
  const { variantId, share, before, after, now } = message;
  const { variants } = approval.campaign;
  const name = variantName(variants, variantId);
  // One alone is compared with nothing.
  const isControl = message.isControl && variants.length > 1;
  const { state } = approval.proposal;
  const other = now === "neither" && <OtherNow scope={scope} approval={approval} />;
  const isApplied = state === "used";
  if (before === null || !changesText(message))
    return [
      {
        id: variantId,
        name,
        isControl,
        message: after,
        about: (
          <>
            <Text size="sm">{shareInWords(share)}</Text>
            <Figures side="after" message={message} rates={rates} />
            {other}
          </>
        ),
      },
    ];
  return [
    {
      id: `${variantId} before`,
      name: words.beforeOf(name),
      isControl,
      message: before,
      about: (
        <>
          <Text size="sm">{shared.share(percentOf(share.before))}</Text>
          <Figures side="before" message={message} rates={rates} />
          {!isApplied && other}
        </>
      ),
    },
    {
      id: `${variantId} after`,
      name: words.afterOf(name),
      isControl,
      message: after,
      about: (
        <>
          <Text size="sm">{shareInWords(share)}</Text>
          <Figures side="after" message={message} rates={rates} />
          {isApplied && other}
        </>
      ),
    },
  ];
}

/** The messages that a proposal is about, as they were when it was made: where one changes, before and after. */
export function ProposedMessages({ scope, approval }: Props) {
  const { messages, campaign, proposal } = approval;
  const isDraft = campaign.effectiveStatus === "draft";
  const rates = useRates(scope, proposal.campaignId, isDraft ? null : campaign.goalId);
  if (messages.length === 0) return null;
  const shown = messages.map((message) => shownOf({ scope, approval, message, rates }));
  return (
    <Section title={words.drawn}>
      {messages.some(({ before }) => before === null) && <Text>{words.nothingBefore}</Text>}
      <SplitWarning rates={rates} />
      <Messages scope={scope} channel={campaign.channel} groups={groupsOf(shown)} />
    </Section>
  );
}

type Variant = { id: string; name: string; weight: number; isControl: boolean; content: object };
type Draft = {
  scope: string;
  channel: Approval["campaign"]["channel"];
  variants: readonly Variant[];
  isLaunched: boolean;
};

/** All messages that go out at a launch. */
export function LaunchedMessages({ scope, channel, variants, isLaunched }: Draft) {
  const groups = [
    variants
      .filter(({ weight }) => weight > 0)
      .map(({ content, ...variant }) => ({
        id: variant.id,
        name: variant.name,
        message: content,
        isControl: variant.isControl && variants.length > 1,
        about: <Text size="sm">{shared.share(percentOf(variantShare(variant, variants)))}</Text>,
      })),
  ];
  return (
    <Section title={words.drawn}>
      {!isLaunched && <Text>{words.nothingBefore}</Text>}
      <Messages scope={scope} channel={channel} groups={groups} />
    </Section>
  );
}
