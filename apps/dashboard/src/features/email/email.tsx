import { Alert, Button, Stack, Text } from "@mantine/core";
import { useAddress } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { Page } from "../../ui/page.tsx";
import { Views } from "../../ui/views.tsx";
import { Glance } from "./parts/glance.tsx";
import { Outbox } from "./parts/outbox.tsx";
import { SenderSteps } from "./parts/sender.tsx";
import { Suppressions } from "./parts/suppressions.tsx";
import { Unknown } from "./parts/unknown.tsx";
import { words } from "./words.ts";

type OfScope = { scope: string };

/** What is missing before a campaign can be launched, above all parts of the page. */
function Missing({ scope }: OfScope) {
  const [{ view }, change] = useAddress();
  const { data: sender } = useOperation(scope, "getEmailSender");
  if (sender === undefined) return null;
  const { missing, fault } = sender;
  return (
    <>
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
    </>
  );
}

export function EmailPage({ scope }: OfScope) {
  const { views } = words;
  return (
    <Page about={words.about}>
      <Missing scope={scope} />
      <Views
        label={words.sections}
        views={[
          { name: "glance", label: views.glance, content: <Glance scope={scope} /> },
          { name: "sender", label: views.sender, content: <SenderSteps scope={scope} /> },
          { name: "suppressions", label: views.suppressions, content: <Suppressions scope={scope} /> },
          { name: "unknown", label: views.unknown, content: <Unknown scope={scope} /> },
          { name: "outbox", label: views.outbox, content: <Outbox scope={scope} /> },
        ]}
      />
    </Page>
  );
}
