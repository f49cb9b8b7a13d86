import { Stack } from "@mantine/core";
import { notifications } from "@mantine/notifications";
import { useChange } from "../../../platform/operations.ts";
import { newRequestKey } from "../../../platform/request-key.ts";
import { RoleButton } from "../../../ui/dialogs/role-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import type { Sync } from "../rules.ts";
import { SYNC_READS } from "../stale.ts";
import { words } from "../words.ts";

/** Has a sync write what is due, without waiting. */
export function RunSync({ scope, sync }: { scope: string; sync: Sync }) {
  const running = useChange(scope, "runSync", SYNC_READS);
  const run = (): void =>
    running.mutate(
      { path: { id: sync.id }, headers: { "Idempotency-Key": newRequestKey() } },
      { onSuccess: () => notifications.show({ message: words.ran }) },
    );
  return (
    <Stack gap="xs">
      <RoleButton
        scope={scope}
        needs={"owner" as const}
        loading={running.isPending}
        refusal={sync.state === "off" ? words.offFirst : null}
        onClick={run}
      >
        {words.run}
      </RoleButton>
      {running.error !== null && <Problem error={running.error} />}
    </Stack>
  );
}
