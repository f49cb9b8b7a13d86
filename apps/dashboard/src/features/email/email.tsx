import { Alert, Button, Stack, Text } from "@mantine/core";
import { useAddress } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { CaughtOf } from "../../ui/reach/reach.tsx";
import { Views } from "../../ui/views.tsx";
import { EmailGlance } from "./parts/email-glance.tsx";
import { MailCatcher } from "./parts/mail-catcher/mail-catcher.tsx";
import { SenderSteps } from "./parts/sender/sender.tsx";
import { Suppressions } from "./parts/suppressions/suppressions.tsx";
import { Unknown } from "./parts/unknown/unknown.tsx";
import { Unread } from "./parts/unread.tsx";
import type { EmailSender } from "./rules.ts";
import { words } from "./words.ts";

type OfScope = { scope: string };

function Lacking({ sender: { missing, fault } }: { sender: EmailSender }) {
  const [{ view }, change] = useAddress();
  return (
    <Stack>
      {fault !== null && (
        <Alert color="red" title={words.faultTitle}>
          {fault}
        </Alert>
      )}
      {missing.length > 0 && (
        <Alert color="yellow" title={words.missingTitle}>
          <Stack gap={4} align="flex-start">
            {missing.map((need) => (
              <Text key={need} size="sm">
                {words.missing[need]}
              </Text>
            ))}
            {view !== "sender" && (
              <Button size="xs" mt="xs" onClick={() => change({ view: "sender", page: "" })}>
                {words.toSender}
              </Button>
            )}
          </Stack>
        </Alert>
      )}
    </Stack>
  );
}

/** What is missing before a campaign can be launched, above all parts of the page. */
function Missing({ scope }: OfScope) {
  const sender = useOperation(scope, "getEmailSender");
  const { data, error } = sender;
  // An empty part would take room on the page.
  if (error === null && data?.fault === null && data.missing.length === 0) return null;
  return <Loaded query={sender}>{(known) => <Lacking sender={known} />}</Loaded>;
}

export function EmailPage({ scope }: OfScope) {
  const { views } = words;
  const [{ view }] = useAddress();
  return (
    <Page about={words.about}>
      <Missing scope={scope} />
      {view !== "outbox" && <CaughtOf scope={scope} channels={["email"]} />}
      <Views
        label={words.sections}
        views={[
          { name: "glance", label: views.glance, content: <EmailGlance scope={scope} /> },
          { name: "sender", label: views.sender, content: <SenderSteps scope={scope} /> },
          { name: "suppressions", label: views.suppressions, content: <Suppressions scope={scope} /> },
          { name: "unread", label: views.unread, content: <Unread scope={scope} /> },
          { name: "unknown", label: views.unknown, content: <Unknown scope={scope} /> },
          { name: "outbox", label: views.outbox, content: <MailCatcher scope={scope} /> },
        ]}
      />
    </Page>
  );
}
