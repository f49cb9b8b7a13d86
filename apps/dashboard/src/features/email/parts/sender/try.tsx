import { Alert, Group, Text } from "@mantine/core";
import { useMe } from "../../../../platform/me.ts";
import { useChange } from "../../../../platform/operations.ts";
import { useRequestKey } from "../../../../platform/use-request-key.ts";
import { RoleButton } from "../../../../ui/dialogs/role-button.tsx";
import classes from "../../../../ui/look/long.module.css";
import { Problem } from "../../../../ui/problem.tsx";
import { To } from "../../../../ui/to.tsx";
import type { EmailSender } from "../../rules.ts";
import { words } from "../../words.ts";
import { SenderStep } from "./sender-step.tsx";

/** Sends a mail to the person who asks, the way that mail of campaigns goes. */
export function TryStep({ scope, sender: { mailServer } }: { scope: string; sender: EmailSender }) {
  const { email } = useMe();
  const testing = useChange(scope, "testEmailSender", ["listCaughtMail", "listAuditEntries"]);
  const { headers, renew } = useRequestKey();
  const send = (): void =>
    testing.mutate(
      { headers },
      // The next press is another mail.
      { onSuccess: renew },
    );
  const { data, error, isPending } = testing;
  return (
    <SenderStep
      number={4}
      title={words.test}
      state={data === undefined ? null : "done"}
      about={words.testAbout(email)}
    >
      {error !== null && <Problem error={error} />}
      {data !== undefined && (
        <Alert color="green" role="status">
          <Text size="sm">
            {(mailServer === "outbox" ? words.testCaught : words.testSent)(data.to)}
            {mailServer === "outbox" && (
              <>
                {" "}
                <To isOnColour scope={scope} path="email" search={{ view: "outbox" }}>
                  {words.lookAtCaught}
                </To>
              </>
            )}
          </Text>
          {mailServer !== "outbox" && (
            <Text size="sm" c="dimmed" className={classes.long}>
              {words.serverAnswer(data.response)}
            </Text>
          )}
        </Alert>
      )}
      <Group>
        <RoleButton scope={scope} needs="editor" loading={isPending} onClick={send}>
          {words.sendTest}
        </RoleButton>
      </Group>
    </SenderStep>
  );
}
