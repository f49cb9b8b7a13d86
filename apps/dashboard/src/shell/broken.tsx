import { Alert, Button, Stack, Text } from "@mantine/core";
import type { ErrorComponentProps } from "@tanstack/react-router";
import { Page } from "../ui/page.tsx";
import { words } from "./words.ts";

/** In place of a page whose code did not come, or failed; the frame around it goes on. */
export function Broken({ error }: ErrorComponentProps) {
  return (
    <Page title={words.broken}>
      <Alert color="red" title={words.brokenAbout} role="alert">
        <Stack align="flex-start">
          <Text size="sm">{error instanceof Error ? error.message : String(error)}</Text>
          <Button variant="default" onClick={() => location.reload()}>
            {words.loadAgain}
          </Button>
        </Stack>
      </Alert>
    </Page>
  );
}
