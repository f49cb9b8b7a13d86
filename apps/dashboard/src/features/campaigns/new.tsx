import { Alert, Anchor, Button, Group, Radio, Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { Link, useNavigate } from "@tanstack/react-router";
import { useAddress } from "../../platform/address.ts";
import { problemOf } from "../../platform/client.ts";
import { useChange } from "../../platform/operations.ts";
import { useKept } from "../../platform/use-kept.ts";
import { Leaving } from "../../ui/leaving.tsx";
import { Page } from "../../ui/page.tsx";
import { bodyOf, type Draft, newDraft } from "./editor/draft.ts";
import { Editor } from "./editor/editor.tsx";
import { words } from "./editor/words.ts";
import type { Channel } from "./rules.ts";

const CHANNELS: readonly Channel[] = ["web_inapp", "email", "push"];

function ChannelChoice({ channel, choose }: { channel: Channel; choose: (channel: Channel) => void }) {
  return (
    <Radio.Group
      label={words.channel}
      value={channel}
      onChange={(name) => choose(CHANNELS.find((each) => each === name) ?? "web_inapp")}
    >
      <Stack gap="xs" mt="xs">
        {CHANNELS.map((each) => (
          <Radio key={each} value={each} label={words.channels[each]} />
        ))}
      </Stack>
    </Radio.Group>
  );
}

/** A campaign that is not saved yet. What is written stays in this tab until it is. */
export function NewCampaignPage({ scope }: { scope: string }) {
  const navigate = useNavigate();
  const [address] = useAddress();
  const kept = useKept<Draft>(`new ${scope}`, () => newDraft("web_inapp"));
  const { value: draft, change, isUnsaved } = kept;
  const making = useChange(scope, "createCampaign", ["listCampaigns", "getOverview", "listAuditEntries"]);
  const startOver = (): void => {
    making.reset();
    kept.startOver(newDraft("web_inapp"));
  };
  const fault = making.error === null ? null : problemOf(making.error).message;
  const make = async (): Promise<void> => {
    const { campaign } = await making.mutateAsync({
      body: bodyOf(draft),
      headers: { "Idempotency-Key": kept.requestKey },
    });
    kept.saved();
    notifications.show({ message: words.made });
    await navigate({
      to: `/p/${scope}/campaigns/${campaign.id}/edit`,
      // The user whom the preview is for, and the variant that is open.
      search: address as never,
      ...{ replace: true, ignoreBlocker: true },
    });
  };
  return (
    <Page
      about={words.newAbout}
      actions={
        <Group gap="xs">
          {isUnsaved() && (
            <Button variant="default" onClick={startOver}>
              {words.startOver}
            </Button>
          )}
          <Button loading={making.isPending} onClick={() => void make().catch(() => undefined)}>
            {words.make}
          </Button>
        </Group>
      }
    >
      <Group>
        <Anchor component={Link} to={`/p/${scope}/campaigns`} size="sm">
          {words.backToAll}
        </Anchor>
      </Group>
      {fault !== null && <Alert color="red" title={fault} role="alert" />}
      <Editor {...{ scope, draft, change, fault }}>
        <ChannelChoice
          channel={draft.channel}
          choose={(channel) =>
            change({ ...newDraft(channel), name: draft.name, audience: draft.audience, goalId: draft.goalId })
          }
        />
      </Editor>
      <Leaving isUnsaved={isUnsaved} settle={async () => !isUnsaved()} />
    </Page>
  );
}
