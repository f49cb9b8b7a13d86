import { Stack } from "@mantine/core";
import type { CampaignDetail } from "../../../platform/api-types.ts";
import { useOperation } from "../../../platform/operations.ts";
import { LaunchMode } from "../../../ui/activation/launch-mode.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { To } from "../../../ui/to.tsx";

import { words } from "../words.ts";

/** How a draft that announces changes of code comes to be launched, and the way to what it waits for. */
export function LaunchByCode({ scope, campaign: { id, name } }: { scope: string; campaign: CampaignDetail }) {
  const activation = useOperation(scope, "getCampaignActivation", { path: { id } });
  return (
    <Stack gap={4}>
      <To scope={scope} path={`approvals/campaigns/${id}`}>
        {words.waitsForCode}
      </To>
      <Loaded query={activation}>
        {(known) => <LaunchMode scope={scope} name={name} activation={known} />}
      </Loaded>
    </Stack>
  );
}
