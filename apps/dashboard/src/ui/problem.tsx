import { Alert, Button, Group, Text } from "@mantine/core";
import { isFinal, problemOf } from "../platform/client.ts";
import { inWords } from "../platform/faults.ts";
import { words } from "./words.ts";

type Props = { error: unknown; retry?: () => void };

/** What went wrong, in place of the part that it concerns; the rest of the page goes on. */
export function Problem({ error, retry }: Props) {
  const { message, requestId } = problemOf(error);
  return (
    <Alert color="red" title={inWords(message)} role="alert">
      <Group justify="space-between">
        <Text size="sm">{requestId === null ? words.noAnswer : words.request(requestId)}</Text>
        {/* What was refused is refused again. */}
        {retry && !isFinal(error) && (
          <Button size="xs" variant="default" onClick={retry}>
            {words.tryAgain}
          </Button>
        )}
      </Group>
    </Alert>
  );
}
