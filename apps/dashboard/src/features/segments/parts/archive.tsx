import { Button, Group, Stack, Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { newRequestKey } from "../../../platform/request-key.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { RoleButton } from "../../../ui/role-button.tsx";
import type { Segment } from "../rules.ts";
import { words } from "../words.ts";
import { STALE } from "./stale.ts";

type Props = { scope: string; segment: Segment };

/** How many campaigns that can still deliver use it, so that nobody archives unawares. */
function Use({ scope, segment: { id } }: Props) {
  const found = useOperation(scope, "listSegmentHistory", { path: { id }, query: { perPage: 1 } });
  const open = found.data?.campaigns.open ?? 0;
  return open > 0 ? <Text fw={600}>{words.archiveUse(numberOf(open))}</Text> : null;
}

/** Archives a segment, after saying what that means. */
export function Archive({ scope, segment }: Props) {
  const [key, setKey] = useState<string | null>(null);
  const archiving = useChange(scope, "archiveSegment", STALE);
  const begin = (): void => {
    archiving.reset();
    setKey(newRequestKey());
  };
  const archive = (): void =>
    archiving.mutate(
      { path: { id: segment.id }, headers: { "Idempotency-Key": key ?? "" } },
      { onSuccess: () => notifications.show({ message: words.archived }) },
    );
  return (
    <>
      <RoleButton {...{ scope, needs: "editor" as const, variant: "default" }} onClick={begin}>
        {words.archive}
      </RoleButton>
      <Dialog opened={key !== null} close={() => setKey(null)} title={words.archiveTitle(segment.name)}>
        <Stack>
          <Text>{words.archiveAbout}</Text>
          <Use scope={scope} segment={segment} />
          {archiving.error !== null && <Problem error={archiving.error} />}
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={() => setKey(null)}>
              {words.cancel}
            </Button>
            <Button color="red" loading={archiving.isPending} onClick={archive}>
              {words.archive}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
