import { Button, Group, Stack, Text, Title } from "@mantine/core";
import { curlOf } from "../../../platform/curl.ts";
import { publishableKeyAt, useMe } from "../../../platform/me.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { type Event, trackBodyOf } from "../rules.ts";
import { words } from "../words.ts";

type Props = { scope: string; event: Event | null; close: () => void };

function Whole({ scope, event }: { scope: string; event: Event }) {
  const key = publishableKeyAt(useMe(), scope);
  const body = trackBodyOf(event);
  return (
    <Stack>
      <Title order={3} size="h5">
        {words.json}
      </Title>
      <Copied text={JSON.stringify(event, null, 2)} label={words.json} />
      {body !== null && (
        <>
          <Title order={3} size="h5">
            {words.curl}
          </Title>
          <Text size="sm" c="dimmed">
            {key === null ? words.noKey : words.curlAbout}
          </Text>
          {key !== null && (
            <Copied text={curlOf(location.origin, "/api/v1/track", key, body)} label={words.curl} />
          )}
        </>
      )}
    </Stack>
  );
}

/** One event, whole, and the request that would send the same. */
export const EventDialog = ({ scope, event, close }: Props) => (
  <Dialog opened={event !== null} close={close} title={event?.name ?? ""}>
    <Stack>
      {event !== null && <Whole scope={scope} event={event} />}
      <Group justify="flex-end">
        <Button variant="default" data-autofocus onClick={close}>
          {words.close}
        </Button>
      </Group>
    </Stack>
  </Dialog>
);
