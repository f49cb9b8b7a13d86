import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useNamed } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { Messages } from "./parts/messages.tsx";
import { WebhookActions } from "./parts/webhook-actions.tsx";
import { WebhookFacts } from "./parts/webhook-facts.tsx";
import { lookAgainMs } from "./rules.ts";
import { words } from "./words.ts";

export function WebhookPage({ scope }: { scope: string }) {
  const id = useNamed("webhookId");
  const found = useOperation(
    scope,
    "getWebhook",
    { path: { id } },
    {
      refetchInterval: ({ state: { data } }) =>
        lookAgainMs(data?.webhook.state === "on" && data.webhook.waiting > 0),
    },
  );
  const webhook = found.data?.webhook;
  return (
    <Page
      {...(webhook !== undefined && { title: webhook.url })}
      actions={webhook && <WebhookActions key={webhook.id} scope={scope} webhook={webhook} />}
    >
      <Anchor component={Link} to={`/p/${scope}/webhooks`} size="sm">
        {words.all}
      </Anchor>
      <Loaded query={found}>
        {({ webhook: known }) => (
          <Stack gap="xl">
            <WebhookFacts webhook={known} />
            <Messages key={known.id} scope={scope} webhook={known} />
            <Text size="sm" c="dimmed">
              {timesOf()}
            </Text>
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
