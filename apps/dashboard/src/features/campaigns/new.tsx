import { Alert, Anchor, Group, Radio, Stack } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useRef } from "react";
import { useAddress } from "../../platform/address.ts";
import type { Channel } from "../../platform/api-types.ts";
import { focusedField } from "../../platform/focused-field.ts";
import { FormActions } from "../../ui/form/form-actions.tsx";
import { useForm } from "../../ui/form/use-form.ts";
import { Page } from "../../ui/page.tsx";
import { type CampaignDraft, campaignBody, newCampaignDraft } from "./editor/draft.ts";
import { Editor } from "./editor/editor.tsx";
import { words } from "./editor/words.ts";

const STALE = ["listCampaigns", "getOverview", "listAuditEntries"] as const;
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
  const [address] = useAddress();
  const form = useForm({
    scope,
    operation: "createCampaign",
    stale: STALE,
    key: `new ${scope}`,
    initial: () => newCampaignDraft("web_inapp"),
  });
  const { draft, change, fault, refusal } = form;
  // A person who looks at another channel, and comes back, finds what they wrote for this one.
  const others = useRef(new Map<Channel, CampaignDraft>());
  const choose = (channel: Channel): void => {
    others.current.set(draft.channel, draft);
    const { name, audience, goalId, topicId } = draft;
    const begun = others.current.get(channel) ?? newCampaignDraft(channel);
    change({ ...begun, name, audience, goalId, topicId });
  };
  const startOver = (): void => {
    others.current.clear();
    form.startOver();
  };
  const save = async (): Promise<void> => {
    const { campaign } = await form.send({ body: campaignBody(draft) });
    const to = `/p/${scope}/campaigns/${campaign.id}/edit`;
    // The next page has the same fields: who saves by the keyboard goes on where they are.
    const focus = focusedField();
    // The address says for which user the preview is, and which variant is open.
    await form.done({ to, message: words.made, replace: true, address: { ...address, ...focus } });
  };
  return (
    <Page
      about={words.newAbout}
      actions={
        <FormActions form={{ ...form, startOver }} label={words.make} save={save} discard={words.startOver} />
      }
    >
      <Group>
        <Anchor component={Link} to={`/p/${scope}/campaigns`} size="sm">
          {words.backToAll}
        </Anchor>
      </Group>
      {refusal !== null && <Alert color="red" title={refusal} role="alert" />}
      <Editor scope={scope} draft={draft} change={change} fault={fault} wasTried={fault !== null}>
        <ChannelChoice channel={draft.channel} choose={choose} />
      </Editor>
    </Page>
  );
}
