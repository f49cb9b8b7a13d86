import { Badge, Group, Stack, Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../../platform/address.ts";
import { useOperation } from "../../../../platform/operations.ts";
import { timeOf, zoneName } from "../../../../platform/times.ts";
import { Empty } from "../../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../../ui/loaded.tsx";
import classes from "../../../../ui/look/long.module.css";
import { SaveList } from "../../../../ui/save/save-list.tsx";
import { To } from "../../../../ui/to.tsx";
import { UserName } from "../../../../ui/user/user-name.tsx";
import { dayRange, type Suppressed, shownStop } from "../../rules.ts";
import { words } from "../../words.ts";
import { Decisions } from "./decisions.tsx";
import { LiftSuppression } from "./lift-suppression.tsx";
import { StopMail } from "./stop-mail.tsx";
import { SuppressionFilters } from "./suppression-filters.tsx";

const PER_PAGE = 25;

type OfScope = { scope: string };

function cellsOf(scope: string, stopped: Suppressed) {
  const { address, by, campaign, user } = stopped;
  const { reason, since, stream } = shownStop(stopped);
  return [
    <Text key="address" size="sm" fw={600} className={classes.long}>
      {address ?? words.erased}
    </Text>,
    <Badge key="reason" variant="default">
      {words.reasons[reason]}
    </Badge>,
    words.streams[stream],
    timeOf(since),
    campaign && (
      <To key="campaign" scope={scope} path={`campaigns/${campaign.id}`}>
        {campaign.name}
      </To>
    ),
    user && <UserName key="user" scope={scope} userId={user.id} externalUserId={user.externalUserId} />,
    by,
    address === null ? null : <LiftSuppression key="lift" scope={scope} address={address} reason={reason} />,
  ];
}

const REASONS = ["unsubscribed", "bounced", "complained", "manual"] as const;

/** What the address narrows the list to. */
function narrowedBy(address: Readonly<Record<string, string>>) {
  const { q = "", reason: chosen = "", campaign = "" } = address;
  const reason = REASONS.find((each) => each === chosen);
  return {
    ...(q !== "" && { q }),
    ...(reason !== undefined && { reason }),
    ...(campaign !== "" && { campaignId: campaign }),
    ...dayRange(address, new Date()),
  };
}

const NOT_NARROWED = { q: "", reason: "", when: "", from: "", to: "", campaign: "", page: "" };

/** Addresses that get no mail, and why. People add to them and lift them. */
export function Suppressions({ scope }: OfScope) {
  const [address, change] = useAddress();
  const narrowed = narrowedBy(address);
  const found = useOperation(scope, "listSuppressedAddresses", {
    query: { perPage: PER_PAGE, page: pageIn(address), ...narrowed },
  });
  return (
    <Stack>
      <Group justify="space-between" align="flex-end">
        <SuppressionFilters scope={scope} />
        <Group>
          <SaveList
            scope={scope}
            list={"extractSuppressions" as const}
            query={narrowed}
            about={words.saveAbout}
          />
          <StopMail scope={scope} />
        </Group>
      </Group>
      <Text size="sm" c="dimmed">
        {words.daysAbout(zoneName())} {words.bringing}
      </Text>
      <Loaded query={found}>
        {(answer) => (
          <PagedRows
            paging={answer}
            heads={[
              words.address,
              words.reason,
              words.stream,
              words.sinceHead,
              words.campaign,
              words.user,
              words.by,
              words.actions,
            ]}
            rows={answer.addresses.map((each, index) => ({
              id: each.address ?? `erased ${index}`,
              cells: cellsOf(scope, each),
            }))}
            empty={
              <Empty
                title={words.allGetMail}
                about={words.allGetMailAbout}
                filtered={
                  Object.keys(narrowed).length > 0 || answer.page > 1
                    ? { title: words.noAddress, clear: () => change(NOT_NARROWED) }
                    : null
                }
              />
            }
          />
        )}
      </Loaded>
      <Decisions scope={scope} />
    </Stack>
  );
}
