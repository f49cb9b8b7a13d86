import { Stack } from "@mantine/core";
import { pageIn, useAddress } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { DecidedApprovals } from "./parts/decided-approvals.tsx";
import { Launches } from "./parts/launches.tsx";
import { Stopped } from "./parts/stopped.tsx";
import { WaitingApprovals } from "./parts/waiting-approvals.tsx";
import { byApproval } from "./rules.ts";
import { words } from "./words.ts";

const PER_PAGE = 25;

export function ApprovalsPage({ scope }: { scope: string }) {
  const [address] = useAddress();
  const approvals = useOperation(scope, "listApprovals", {
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Page about={`${words.about} ${timesOf()}`}>
      <Loaded query={approvals}>
        {(found) => {
          const { pending, approved } = byApproval(found.campaigns);
          return (
            <Stack gap="xl">
              <WaitingApprovals scope={scope} proposals={found.waiting} campaigns={pending} />
              <Stopped scope={scope} />
              <Launches
                scope={scope}
                campaigns={approved}
                isPaused={found.launchesPaused}
                author={found.launchesPausedBy}
              />
              <DecidedApprovals scope={scope} approvals={found} />
            </Stack>
          );
        }}
      </Loaded>
    </Page>
  );
}
