import { Badge, Group, Select, Stack, Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../../platform/address.ts";
import { useOperation } from "../../../../platform/operations.ts";
import { timeOf } from "../../../../platform/times.ts";
import { Empty } from "../../../../ui/empty.tsx";
import { Loaded } from "../../../../ui/loaded.tsx";
import classes from "../../../../ui/long.module.css";
import { optionsOf } from "../../../../ui/options.ts";
import { PagedRows } from "../../../../ui/paged-rows.tsx";
import { Search } from "../../../../ui/search.tsx";
import type { Suppressed } from "../../rules.ts";
import { words } from "../../words.ts";
import { Decisions } from "./decisions.tsx";
import { Lift } from "./lift.tsx";
import { StopMail } from "./stop-mail.tsx";

const PER_PAGE = 25;

type OfScope = { scope: string };

const cellsOf = (scope: string, { address, reason, suppressedAt, by }: Suppressed) => [
  <Text key="address" size="sm" fw={600} className={classes.long}>
    {address ?? words.erased}
  </Text>,
  <Badge key="reason" variant="default">
    {words.reasons[reason]}
  </Badge>,
  timeOf(suppressedAt),
  by,
  address === null ? null : <Lift key="lift" scope={scope} address={address} reason={reason} />,
];

function Filters({ scope }: OfScope) {
  const [{ reason = "" }, change] = useAddress();
  return (
    <Group justify="space-between" align="flex-start">
      <Group align="flex-start">
        <Search label={words.searchAddress} maxLength={320} />
        <Select
          label={words.reason}
          data={[{ value: "", label: words.anyReason }, ...optionsOf(words.reasons)]}
          value={reason}
          allowDeselect={false}
          onChange={(chosen) => change({ reason: chosen ?? "", page: "" })}
        />
      </Group>
      <StopMail scope={scope} />
    </Group>
  );
}

/** Addresses that get no mail, and why. People add to them and lift them. */
export function Suppressions({ scope }: OfScope) {
  const [address, change] = useAddress();
  const { q = "", reason: chosen = "" } = address;
  const reason = (["unsubscribed", "bounced", "complained", "manual"] as const).find(
    (each) => each === chosen,
  );
  const found = useOperation(scope, "listSuppressedAddresses", {
    query: {
      ...{ perPage: PER_PAGE, page: pageIn(address) },
      ...(q !== "" && { q }),
      ...(reason !== undefined && { reason }),
    },
  });
  return (
    <Stack>
      <Filters scope={scope} />
      <Loaded of={found}>
        {(answer) => (
          <PagedRows
            of={answer}
            heads={[words.address, words.reason, words.sinceHead, words.by, words.actions]}
            rows={answer.addresses.map((each, index) => ({
              id: each.address ?? `erased ${index}`,
              cells: cellsOf(scope, each),
            }))}
            empty={
              <Empty
                title={words.allGetMail}
                about={words.allGetMailAbout}
                filtered={
                  q !== "" || reason !== undefined || answer.page > 1
                    ? { title: words.noAddress, clear: () => change({ q: "", reason: "", page: "" }) }
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
