import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useState } from "react";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { Empty } from "../../ui/lists/empty.tsx";
import { Rows } from "../../ui/lists/rows.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { NewWebhook } from "./parts/new-webhook.tsx";
import { WebhookBadge } from "./parts/webhook-badge.tsx";
import { lookAgainMs, type Webhook } from "./rules.ts";
import { subscriptionText, waitingText } from "./texts.ts";
import { words } from "./words.ts";

/** The address as a link to its page, with what people call it. */
const Name = ({ scope, webhook: { id, url, description } }: { scope: string; webhook: Webhook }) => (
  <Stack gap={2}>
    <Anchor component={Link} to={`/p/${scope}/webhooks/${id}`} fw={600} className={classes.long}>
      {url}
    </Anchor>
    {description !== null && (
      <Text size="sm" className={classes.long}>
        {description}
      </Text>
    )}
  </Stack>
);

const cellsOf = (scope: string, webhook: Webhook) => [
  <Name key="address" scope={scope} webhook={webhook} />,
  subscriptionText(webhook.types),
  <WebhookBadge key="state" webhook={webhook} />,
  waitingText(webhook.waiting),
  webhook.succeededAt === null ? words.never : timeOf(webhook.succeededAt),
];

export function WebhooksPage({ scope }: { scope: string }) {
  const [isMaking, setMaking] = useState(false);
  const found = useOperation(scope, "listWebhooks", undefined, {
    refetchInterval: ({ state: { data } }) =>
      lookAgainMs((data?.webhooks ?? []).some(({ state, waiting }) => state === "on" && waiting > 0)),
  });
  const add = (
    <RoleButton scope={scope} needs={"owner" as const} onClick={() => setMaking(true)}>
      {words.make}
    </RoleButton>
  );
  return (
    <Page about={words.about} actions={add}>
      <Loaded query={found}>
        {({ webhooks }) =>
          webhooks.length === 0 ? (
            <Empty title={words.none} about={words.noneAbout} filtered={null} />
          ) : (
            <Stack>
              <Rows
                heads={[words.address, words.subscription, words.state, words.waitingHead, words.lastSuccess]}
                rows={webhooks.map((webhook) => ({ id: webhook.id, cells: cellsOf(scope, webhook) }))}
              />
              <Text size="sm" c="dimmed">
                {timesOf()}
              </Text>
            </Stack>
          )
        }
      </Loaded>
      {isMaking && <NewWebhook scope={scope} close={() => setMaking(false)} />}
    </Page>
  );
}
