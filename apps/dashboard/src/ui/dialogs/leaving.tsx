import { Button, Group, Stack, Text } from "@mantine/core";
import { useBlocker } from "@tanstack/react-router";
import { words } from "../words.ts";
import { Dialog } from "./dialog.tsx";

type Props = {
  /** Whether there is something that the server does not have. */
  isUnsaved: () => boolean;
  /** Saves what can be saved; answers whether nothing is left then. */
  save: () => Promise<boolean>;
  /** What becomes of it, where it does not stay in this tab. */
  about?: string;
};

/** Asks before a person leaves what is not saved. */
export function Leaving({ isUnsaved, save, about = words.leaveAbout }: Props) {
  const leaving = useBlocker({
    withResolver: true,
    enableBeforeUnload: isUnsaved,
    shouldBlockFn: async ({ current, next }) => current.pathname !== next.pathname && !(await save()),
  });
  return (
    <Dialog opened={leaving.status === "blocked"} close={() => leaving.reset?.()} title={words.leaveTitle}>
      <Stack>
        <Text>{about}</Text>
        <Group justify="flex-end">
          <Button variant="default" onClick={() => leaving.proceed?.()}>
            {words.leave}
          </Button>
          <Button data-autofocus onClick={() => leaving.reset?.()}>
            {words.stay}
          </Button>
        </Group>
      </Stack>
    </Dialog>
  );
}
