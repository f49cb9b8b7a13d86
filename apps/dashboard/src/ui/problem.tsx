import { Alert, Button, Group, Text } from "@mantine/core";
import { problemOf } from "../platform/client.ts";
import { words } from "./words.ts";

type Props = { error: unknown; retry?: () => void };

/** What went wrong, in place of the part that it concerns; the rest of the page goes on. */
export function Problem({ error, retry }: Props) {
  const { message, requestId } = problemOf(error);
  return (
    <Alert color="red" title={message} role="alert">
      <Group justify="space-between">
        <Text size="sm">{requestId === null ? words.noAnswer : words.request(requestId)}</Text>
        {retry && (
          <Button size="xs" variant="default" onClick={retry}>
            {words.tryAgain}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
