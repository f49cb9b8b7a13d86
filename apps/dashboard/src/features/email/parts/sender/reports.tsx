import { Accordion, Group, PasswordInput, Select, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type FormEvent, useState } from "react";
import { optionsOf } from "../../../../ui/options.ts";
import { Problem } from "../../../../ui/problem.tsx";
import { Copied } from "../../../../ui/texts/copied.tsx";
import type { EmailSender } from "../../rules.ts";
import { words } from "../../words.ts";
import { Save, useIsOwner } from "./save.tsx";
import { usePrepare } from "./use-prepare.ts";

/** A page for people reads the address of this server from the browser where the server knows none of its own. */
function Hook({ url }: { url: string }) {
  return (
    <Stack gap={4}>
      <Text size="sm">{words.webhookUrl}</Text>
      <Copied text={url} label={words.hook} />
    </Stack>
  );
}

/** The provider that reports what became of mail, and what its reports are verified with, which is never shown. */
export function Reports({ scope, sender }: { scope: string; sender: EmailSender }) {
  const [provider, setProvider] = useState(sender.provider);
  const { prepare, error, isPending } = usePrepare(scope);
  const isOwner = useIsOwner(scope);
  const hasSecret = sender.hasWebhookSecret && provider === sender.provider;
  const save = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    const form = event.currentTarget;
    const webhookSecret = String(new FormData(form).get("webhookSecret") ?? "");
    prepare({ provider, ...(webhookSecret !== "" && { webhookSecret }) }, () => {
      form.reset();
      notifications.show({ message: words.saved });
    });
  };
  return (
    <Accordion variant="contained">
      <Accordion.Item value="reports">
        <Accordion.Control>{words.reports}</Accordion.Control>
        <Accordion.Panel>
          <form onSubmit={save}>
            <Stack>
              <Text size="sm">{words.reportsAbout}</Text>
              <Select
                label={words.provider}
                data={optionsOf(words.providers)}
                value={provider}
                allowDeselect={false}
                readOnly={!isOwner}
                onChange={(chosen) => setProvider(chosen ?? provider)}
              />
              {sender.webhookUrl !== null && provider === sender.provider && <Hook url={sender.webhookUrl} />}
              {provider !== "smtp" && (
                <>
                  <Text size="sm">{hasSecret ? words.secretSet : words.secretUnset}</Text>
                  <PasswordInput
                    name="webhookSecret"
                    label={words.webhookSecret}
                    description={`${words.secretAbouts[provider] ?? ""} ${words.keptSealed}`}
                    autoComplete="off"
                    maxLength={2_000}
                    readOnly={!isOwner}
                  />
                </>
              )}
              {error !== null && <Problem error={error} />}
              <Group>
                <Save scope={scope} loading={isPending} />
              </Group>
            </Stack>
          </form>
        </Accordion.Panel>
      </Accordion.Item>
    </Accordion>
  );
}
