import { Anchor, Badge, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { stateInWords } from "../../../ui/campaigns/delivery-states.ts";
import classes from "../../../ui/look/long.module.css";
import { MessageLink } from "../../../ui/preview/message-link.tsx";
import type { UserDelivery } from "../rules.ts";

type OfDelivery = { delivery: UserDelivery };

export const CampaignLink = ({ scope, delivery }: OfDelivery & { scope: string }) => (
  <Anchor
    component={Link}
    to={`/p/${scope}/campaigns/${delivery.campaignId}`}
    size="sm"
    className={classes.long}
  >
    {delivery.campaignName}
  </Anchor>
);

/** Which variant of a campaign it was, and what it said. */
export const VariantOf = ({ scope, delivery }: OfDelivery & { scope: string }) => (
  <Stack gap={0}>
    <Text size="sm">{delivery.variantName}</Text>
    <MessageLink scope={scope} campaignId={delivery.campaignId} title={delivery.variantTitle} />
  </Stack>
);

export const DeliveryStateBadge = ({ delivery }: OfDelivery) => (
  <Badge variant="default">{stateInWords(delivery.state, { status: delivery.campaignStatus })}</Badge>
);
