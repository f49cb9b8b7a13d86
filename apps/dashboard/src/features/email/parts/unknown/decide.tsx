import { Alert, Group, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { type ReactNode, useState } from "react";
import { useChange } from "../../../../platform/operations.ts";
import { useRequestKey } from "../../../../platform/use-request-key.ts";
import { ConfirmDialog } from "../../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../../ui/dialogs/role-button.tsx";
import classes from "../../../../ui/look/long.module.css";
import type { RefusedDecision, UnknownSend } from "../../rules.ts";
import { words } from "../../words.ts";

type Verdict = "resend" | "sent";
type Props = {
  scope: string;
  /** The mails that are decided about. */
  ids: readonly string[];
  sends: readonly UnknownSend[];
  done: () => void;
  children: ReactNode;
};

/** A mail about which nothing was decided, with the address that it went to. */
type Left = RefusedDecision & { to: string };

const leftOf = (refused: readonly RefusedDecision[], sends: readonly UnknownSend[]): Left[] =>
  refused.map((each) => ({
    ...each,
    to: sends.find(({ deliveryId }) => deliveryId === each.deliveryId)?.address ?? words.erased,
  }));

/** About which mails nothing was decided, and why. */
function NotDecided({ left }: { left: readonly Left[] }) {
  if (left.length === 0) return null;
  return (
    <Alert color="yellow" title={words.refusedTitle(left.length)} role="status">
      {left.map(({ deliveryId, to, because }) => (
        <Text key={deliveryId} size="sm" className={classes.long}>
          {`${to}: ${words.refusals[because]}`}
        </Text>
      ))}
    </Alert>
  );
}

/** Decides about the chosen mails, after the person has read what that means. */
export function Decide({ scope, ids, sends, done, children }: Props) {
  const [chosen, setChosen] = useState<Verdict | null>(null);
  const { headers, renew } = useRequestKey();
  const [left, setLeft] = useState<readonly Left[]>([]);
  const close = (): void => setChosen(null);
  const deciding = useChange(scope, "decideUnknownSends", [
    ...(["listUnknownSends", "getEmailHealth", "getCampaign", "getCampaignEmail"] as const),
    ...(["listCampaignDeliveries", "listAuditEntries"] as const),
  ]);
  const ask = (verdict: Verdict): void => {
    deciding.reset();
    setLeft([]);
    renew();
    setChosen(verdict);
  };
  const decide = (verdict: Verdict): void =>
    deciding.mutate(
      { body: { verdict, deliveryIds: [...ids] }, headers },
      {
        onSuccess: ({ decided, refused }) => {
          close();
          setLeft(leftOf(refused, sends));
          done();
          const messageOf = verdict === "resend" ? words.resent : words.markedSent;
          if (decided.length > 0) notifications.show({ message: messageOf(decided.length) });
        },
      },
    );
  const count = ids.length;
  const title = (chosen === "sent" ? words.sentTitle : words.resendTitle)(count);
  const button = { scope, needs: "editor" as const, size: "xs", disabled: count === 0 };
  return (
    <>
      {sends.length > 0 && (
        <Group>
          {children}
          <Text size="sm" c="dimmed">
            {words.chosen(count)}
          </Text>
          <RoleButton {...button} variant="default" onClick={() => ask("sent")}>
            {words.markSent}
          </RoleButton>
          <RoleButton {...button} variant="default" onClick={() => ask("resend")}>
            {words.resend}
          </RoleButton>
        </Group>
      )}
      <NotDecided left={left} />
      <ConfirmDialog
        opened={chosen !== null}
        close={close}
        title={title}
        change={deciding}
        isMild={chosen === "sent"}
        about={chosen === "sent" ? words.sentAbout : words.resendAbout(count)}
        action={chosen === "sent" ? words.markSent : words.resend}
        act={() => chosen !== null && decide(chosen)}
      />
    </>
  );
}
