import { Text } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useState } from "react";
import { numberOf } from "../../../platform/figures.ts";
import { useChange, useOperation } from "../../../platform/operations.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { ConfirmDialog } from "../../../ui/dialogs/confirm-dialog.tsx";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import type { Segment } from "../rules.ts";
import { words } from "../words.ts";
import { SEGMENT_STALE } from "./stale.ts";

type Props = { scope: string; segment: Segment };

/** How many campaigns that can still deliver use it, so that no person archives it unawares. */
function Use({ scope, segment: { id } }: Props) {
  const found = useOperation(scope, "listSegmentHistory", { path: { id }, query: { perPage: 1 } });
  const open = found.data?.campaigns.open ?? 0;
  return open > 0 ? <Text fw={600}>{words.archiveUse(numberOf(open))}</Text> : null;
}

/** Archives a segment, after saying what that means. */
export function Archive({ scope, segment }: Props) {
  const [isAsking, setAsking] = useState(false);
  const { headers, renew } = useRequestKey();
  const archiving = useChange(scope, "archiveSegment", SEGMENT_STALE);
  const begin = (): void => {
    archiving.reset();
    renew();
    setAsking(true);
  };
  const archive = (): void =>
    archiving.mutate(
      { path: { id: segment.id }, headers },
      { onSuccess: () => notifications.show({ message: words.archived }) },
    );
  return (
    <>
      <RoleButton scope={scope} needs={"editor" as const} variant="default" onClick={begin}>
        {words.archive}
      </RoleButton>
      <ConfirmDialog
        opened={isAsking}
        close={() => setAsking(false)}
        act={archive}
        change={archiving}
        title={words.archiveTitle(segment.name)}
        about={words.archiveAbout}
        action={words.archive}
      >
        <Use scope={scope} segment={segment} />
      </ConfirmDialog>
    </>
  );
}
