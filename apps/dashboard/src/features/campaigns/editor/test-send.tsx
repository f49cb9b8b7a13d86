import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { useMe } from "../../../platform/me.ts";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { warningText } from "../../../ui/findings/rules.pure.ts";
import { SaveButton } from "../../../ui/form/save-button.tsx";
import { type DraftContent, messageOf } from "../../../ui/message-fields/content.ts";
import { Remarks } from "../../../ui/preview/remarks.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { ReachRemarks } from "../../../ui/reach/reach.tsx";
import { isCaught } from "../../../ui/reach/rules.ts";

import { words } from "./words.ts";

type Props = {
  scope: string;
  campaign: CampaignDetail;
  /** The variant that is sent, and the user whose traits fill it. */
  variantId: string | null;
  content: DraftContent;
  userId: string;
  /** What fills it, where it is a template; null for a campaign, and while what is typed cannot be read. */
  data: Readonly<Record<string, unknown>> | null;
  /** Saves the draft first, so that what is sent is what is seen. */
  save: () => Promise<boolean>;
};

/** Sends a mail to an address, or a push to a device, which counts nowhere. */
export function TestSend({ scope, campaign, variantId, content, userId, data, save }: Props) {
  const { email } = useMe();
  const [isOpen, setOpen] = useState(false);
  // Of one opening of the form, so that a second press after a lost answer sends no second one.
  const { headers, renew } = useRequestKey();
  const [caughtFor, setCaughtFor] = useState<string | null>(null);
  const open = (): void => {
    renew();
    setCaughtFor(null);
    setOpen(true);
  };
  const mailing = useChange(scope, "sendTestEmail", []);
  const pushing = useChange(scope, "sendPushTest", []);
  const isMail = campaign.channel === "email";
  const { error, isPending } = isMail ? mailing : pushing;
  const path = { id: campaign.id };
  const setup = useOperation(scope, "getSetup", undefined, { enabled: isOpen });
  const caught = setup.data?.reach[campaign.channel].find(isCaught);
  const message = messageOf(content);
  const preview = useOperation(
    scope,
    "previewMessage",
    {
      body: {
        channel: campaign.channel,
        purpose: campaign.purpose,
        message,
        ...(userId !== "" && { userId }),
        ...(data !== null && { data }),
      },
    },
    { enabled: isOpen, refetchInterval: false },
  );
  const send = async (to: string): Promise<void> => {
    if (!(await save())) return;
    const filledWith = data ?? (preview.data?.channel === "email" ? preview.data.sample : null);
    const body = {
      address: to,
      ...(variantId !== null && { variantId }),
      ...(userId !== "" && { userId }),
      ...(filledWith !== null && { data: filledWith }),
    };
    const { warnings = [] } = isMail
      ? await mailing.mutateAsync({ path, body, headers })
      : await pushing.mutateAsync({
          path,
          body: { installationId: to, requestId: headers["Idempotency-Key"] },
        });
    // A person who presses at once is faster than the answer that says where mail goes.
    const { reach } = setup.data ?? (await setup.refetch()).data ?? {};
    if (reach?.[campaign.channel].some(isCaught)) return setCaughtFor(to);
    setOpen(false);
    const remarks = warnings.map(warningText);
    notifications.show({
      message: [words.testSent(to), ...remarks].join(" "),
      // What is likely a slip has to be read before it goes away.
      ...(remarks.length > 0 && { color: "yellow", autoClose: false }),
    });
  };
  const submit = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    void send(String(new FormData(event.currentTarget).get("to"))).catch(() => undefined);
  };
  return (
    <>
      <Button variant="default" onClick={open}>
        {words.test}
      </Button>
      <Dialog opened={isOpen} close={() => setOpen(false)} title={words.testTitle}>
        <form onSubmit={submit} onChange={renew}>
          <Stack>
            <Text size="sm">{words.testAbout}</Text>
            {preview.data !== undefined && <Remarks preview={preview.data} />}
            <TextInput
              name="to"
              required
              data-autofocus
              label={isMail ? words.address : words.device}
              description={isMail ? undefined : words.deviceAbout}
              type={isMail ? "email" : "text"}
              defaultValue={isMail ? email : ""}
              maxLength={320}
            />
            {error !== null && <Problem error={error} />}
            {caughtFor !== null && caught !== undefined && (
              <Stack gap="xs" role="status">
                <Text size="sm">{words.testCaught(caughtFor)}</Text>
                <ReachRemarks scope={scope} remarks={[caught]} leave={() => setOpen(false)} />
              </Stack>
            )}
            <Group justify="flex-end">
              <SaveButton type="submit" loading={isPending}>
                {words.send}
              </SaveButton>
            </Group>
          </Stack>
        </form>
      </Dialog>
    </>
  );
}
