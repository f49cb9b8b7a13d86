import { Anchor, Badge } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { deliveryStates } from "../../../ui/delivery-states.ts";
import classes from "../../../ui/long.module.css";
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

export const StateOf = ({ delivery }: OfDelivery) => (
  <Badge variant="default">{deliveryStates[delivery.state]}</Badge>
);
