import { NativeSelect, Stack, Text, TextInput } from "@mantine/core";
import type { Channel } from "../../../platform/api-types.ts";
import { channelNames } from "../../../ui/campaigns/campaign-statuses.ts";
import { PagesField } from "../../../ui/message-fields/pages-field.tsx";
import { PushSettingsFields } from "../../../ui/message-fields/push-fields.tsx";
import { MessageTexts } from "../../../ui/message-fields/texts.tsx";
import { optionsOf } from "../../../ui/options.ts";
import { To } from "../../../ui/to.tsx";
import type { SendDraft } from "../draft.ts";
import { faultAtAny, faultOfMessage } from "../rules.ts";
import { words } from "../words.ts";
import type { StepOf } from "./step-props.ts";

const { form } = words;

type Props = StepOf<SendDraft> & { id: string };

/** What a new message says, and how it goes. */
function NewMessage({ scope, step, id, fault, change }: Props) {
  const { channel, name, texts, push, pages } = step;
  return (
    <Stack gap="sm">
      <NativeSelect
        label={form.channel}
        maw="14rem"
        data={optionsOf(channelNames)}
        value={channel}
        onChange={({ currentTarget }) => change({ ...step, channel: currentTarget.value as Channel })}
      />
      <TextInput
        label={form.message}
        description={name.trim() === "" ? form.messageAbout : `${form.messageAbout} ${form.idAbout(id)}`}
        maxLength={80}
        value={name}
        error={faultAtAny(fault, ["name"])}
        onChange={({ currentTarget }) => change({ ...step, name: currentTarget.value })}
      />
      {channel === "push" && (
        <PushSettingsFields
          scope={scope}
          push={push}
          faultOf={(field) => faultAtAny(fault, [field])}
          change={(written) => change({ ...step, push: written })}
        />
      )}
      <MessageTexts
        scope={scope}
        channel={channel}
        appId={push.appId}
        content={texts[channel]}
        faultOf={(field) => faultOfMessage(fault, field)}
        about={(_, about) => about}
        change={(written) => change({ ...step, texts: { ...texts, [channel]: written } })}
      />
      {channel === "web_inapp" && (
        <PagesField
          pages={pages}
          error={faultAtAny(fault, ["pages"])}
          change={(written) => change({ ...step, pages: written })}
        />
      )}
      <Text size="sm" c="dimmed">
        {form.moreAbout}
      </Text>
    </Stack>
  );
}

/** The message of a step: written here while it is new, and at its campaign from then on. */
export function SendFields(props: Props) {
  const { scope, step, id } = props;
  if (step.campaignId === null) return <NewMessage {...props} />;
  return (
    <Text size="sm">
      {`${form.ofCampaign} `}
      <To scope={scope} path={`campaigns/${step.campaignId}`}>
        {step.name === "" ? id : step.name}
      </To>
    </Text>
  );
}
