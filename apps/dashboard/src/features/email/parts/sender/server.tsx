import { Alert, Group, PasswordInput, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { ConfirmDialog } from "../../../../ui/dialogs/confirm-dialog.tsx";
import { Dialog } from "../../../../ui/dialogs/dialog.tsx";
import { RoleButton } from "../../../../ui/dialogs/role-button.tsx";
import { DialogEnd } from "../../../../ui/form/dialog-end.tsx";
import type { EmailSender, StepState } from "../../rules.ts";
import { words } from "../../words.ts";
import { Reports } from "./reports.tsx";
import { SenderStep } from "./sender-step.tsx";
import { usePrepare } from "./use-prepare.ts";

type Props = { scope: string; sender: EmailSender; state: StepState };
type Choice = "set" | "forget" | null;

/** Takes the address of a mail server, which replaces the one that is set. */
function ServerForm({ scope, close }: { scope: string; close: () => void }) {
  const { prepare, error, isPending } = usePrepare(scope);
  const save = (event: FormEvent<HTMLFormElement>): void => {
    event.preventDefault();
    prepare({ smtpUrl: String(new FormData(event.currentTarget).get("smtpUrl")) }, close);
  };
  return (
    <form onSubmit={save}>
      <Stack>
        <PasswordInput
          name="smtpUrl"
          label={words.smtpUrl}
          description={words.smtpUrlAbout}
          autoComplete="off"
          required
          data-autofocus
          maxLength={2_048}
        />
        <DialogEnd change={{ error, isPending }} action={words.save} close={close} />
      </Stack>
    </form>
  );
}

/** The mail server that mail leaves by, and the provider that reports about it. */
export function ServerStep({ scope, sender, state }: Props) {
  const { mailServer, missing, publicUrl } = sender;
  const [chosen, setChosen] = useState<Choice>(null);
  const close = (): void => setChosen(null);
  const forgetting = usePrepare(scope);
  const forget = (): void => {
    forgetting.reset();
    setChosen("forget");
  };
  const isOwn = mailServer === "own";
  const button = { scope, needs: "owner" as const, variant: "default" };
  return (
    <SenderStep number={2} title={words.server} state={state}>
      <Text>{words.servers[mailServer]}</Text>
      {missing.includes("publicUrl") && <Alert color="yellow">{words.unreachable(publicUrl)}</Alert>}
      <Group>
        <RoleButton {...button} onClick={() => setChosen("set")}>
          {isOwn ? words.replaceServer : words.setServer}
        </RoleButton>
        {isOwn && (
          <RoleButton {...button} onClick={forget}>
            {words.forgetServer}
          </RoleButton>
        )}
      </Group>
      <Reports scope={scope} sender={sender} />
      <Dialog
        opened={chosen === "set"}
        close={close}
        title={isOwn ? words.replaceServerTitle : words.setServer}
      >
        <ServerForm scope={scope} close={close} />
      </Dialog>
      <ConfirmDialog
        opened={chosen === "forget"}
        close={close}
        change={forgetting}
        title={words.forgetServerTitle}
        about={words.forgetServerAbout}
        action={words.forgetServer}
        act={() => forgetting.prepare({ smtpUrl: null }, close)}
      />
    </SenderStep>
  );
}
