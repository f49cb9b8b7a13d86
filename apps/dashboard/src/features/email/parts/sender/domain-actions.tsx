import { useState } from "react";
import { useMe } from "../../../../platform/me.ts";
import { useChange } from "../../../../platform/operations.ts";
import { useRequestKey } from "../../../../platform/use-request-key.ts";
import { ConfirmDialog } from "../../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../../ui/problem.tsx";
import type { EmailSender } from "../../rules.ts";
import { words } from "../../words.ts";
import { usePrepare } from "./use-prepare.ts";

type Props = { scope: string; domain: NonNullable<EmailSender["domain"]>; hasOwnServer: boolean };
type Choice = "key" | "verify" | null;

/** What an owner does rarely about a domain: make another key, or send from it without asking DNS. */
export function DomainActions({ scope, domain: { maySend, seenAt }, hasOwnServer }: Props) {
  const { isOperator } = useMe();
  const [chosen, setChosen] = useState<Choice>(null);
  const close = (): void => setChosen(null);
  const { headers, renew } = useRequestKey();
  const renewing = useChange(scope, "renewSenderKey", ["getEmailSender", "listAuditEntries"]);
  const verifying = usePrepare(scope);
  const button = { scope, needs: "owner" as const, variant: "default" };
  const ask = (what: Choice): void => {
    renewing.reset();
    verifying.reset();
    renew();
    setChosen(what);
  };
  const renewKey = (): void => renewing.mutate({ headers }, { onSuccess: close });
  return (
    <>
      {chosen === null && verifying.error !== null && <Problem error={verifying.error} />}
      <RoleButton {...button} onClick={() => ask("key")}>
        {words.newKey}
      </RoleButton>
      {!maySend && (
        <RoleButton
          {...button}
          refusal={isOperator || hasOwnServer ? null : words.withoutCheckRefused}
          onClick={() => ask("verify")}
        >
          {words.withoutCheck}
        </RoleButton>
      )}
      {maySend && seenAt === null && (
        <RoleButton
          {...button}
          loading={verifying.isPending}
          onClick={() => verifying.prepare({ domainVerified: false })}
        >
          {words.stopUnchecked}
        </RoleButton>
      )}
      <ConfirmDialog
        opened={chosen === "key"}
        close={close}
        act={renewKey}
        change={renewing}
        title={words.newKeyTitle}
        about={words.newKeyAbout}
        action={words.makeKey}
      />
      <ConfirmDialog
        opened={chosen === "verify"}
        close={close}
        change={verifying}
        title={words.withoutCheckTitle}
        about={words.withoutCheckAbout}
        action={words.withoutCheck}
        act={() => verifying.prepare({ domainVerified: true }, close)}
      />
    </>
  );
}
