import { Anchor } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { search } from "../../platform/address.ts";
import classes from "../look/long.module.css";
import { words } from "./words.ts";

type Props = {
  scope: string;
  campaignId: string;
  /** What the message says first; null where it was another one. */
  title: string | null;
};

/** What a message says first, as the way to the campaign's page where it is shown. */
export const MessageLink = ({ scope, campaignId, title }: Props) => (
  <Anchor
    component={Link}
    to={`/p/${scope}/campaigns/${campaignId}`}
    search={search({ view: "message" })}
    size="sm"
    className={classes.long}
  >
    {title === null ? words.earlierText : `“${title}”`}
  </Anchor>
);
