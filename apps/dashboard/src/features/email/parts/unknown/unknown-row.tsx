import { Anchor, Checkbox, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import type { ReactNode } from "react";
import { timeOf } from "../../../../platform/times.ts";
import classes from "../../../../ui/look/long.module.css";
import { UserName } from "../../../../ui/user/user-name.tsx";
import { adviceOf, type UnknownSend } from "../../rules.ts";
import { words } from "../../words.ts";

type Choice = { isChosen: boolean; choose: (isChosen: boolean) => void };

function Recipient({
  scope,
  send: { address, userId },
  choice,
}: {
  scope: string;
  send: UnknownSend;
  choice: Choice;
}) {
  const to = address ?? words.erased;
  return (
    <Stack gap={2}>
      <Checkbox
        label={to}
        aria-label={words.choose(to)}
        checked={choice.isChosen}
        classNames={{ label: classes.long ?? "" }}
        onChange={({ currentTarget }) => choice.choose(currentTarget.checked)}
      />
      {userId !== null && userId !== address && (
        <UserName scope={scope} userId={userId} size="sm" pl="2rem" />
      )}
    </Stack>
  );
}

/** The cells of a mail of unknown fate: to whom, of which campaign, when, and what is known with the advice that follows. */
export function unknownCells(scope: string, send: UnknownSend, choice: Choice): ReactNode[] {
  const { campaignId, campaignName, attemptedAt, attempts, reason } = send;
  return [
    <Recipient key="to" scope={scope} send={send} choice={choice} />,
    <Anchor
      key="campaign"
      component={Link}
      to={`/p/${scope}/campaigns/${campaignId}`}
      size="sm"
      className={classes.long}
    >
      {campaignName}
    </Anchor>,
    <Stack key="when" gap={2}>
      <Text size="sm">{timeOf(attemptedAt)}</Text>
      <Text size="sm" c="dimmed">
        {words.attempts(attempts)}
      </Text>
    </Stack>,
    <Stack key="known" gap={2} maw="26rem">
      {reason !== null && (
        <Text size="sm" className={classes.long}>
          {reason}
        </Text>
      )}
      <Text size="sm" c="dimmed">
        {words.advice[adviceOf(send)]}
      </Text>
    </Stack>,
  ];
}
