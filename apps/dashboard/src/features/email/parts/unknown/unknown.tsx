import { Checkbox, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { useState } from "react";
import { pageIn, useAddress } from "../../../../platform/address.ts";
import { useOperation } from "../../../../platform/operations.ts";
import { Empty } from "../../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../../ui/loaded.tsx";
import { stillThere } from "../../rules.ts";
import { words } from "../../words.ts";
import { Decide } from "./decide.tsx";
import { unknownCells } from "./unknown-row.tsx";

const PER_PAGE = 50;

type OfScope = { scope: string };

/** What a person can do about such mail, and what each choice means. */
const Choices = () => (
  <Stack gap={4} maw="44rem">
    <Text>{words.unknownAbout}</Text>
    {words.choices.map(([choice, meaning]) => (
      <Text key={choice} size="sm">
        <Text span fw={600} size="sm">
          {`${choice}: `}
        </Text>
        {meaning}
      </Text>
    ))}
  </Stack>
);

function Queue({ scope, found }: OfScope & { found: Answer<"listUnknownSends"> }) {
  const [, change] = useAddress();
  const [ids, setIds] = useState<readonly string[]>([]);
  const { sends } = found;
  // Others may have decided about some of them since.
  const chosen = stillThere(ids, sends);
  const choose = (id: string, isChosen: boolean): void =>
    setIds(isChosen ? [...chosen, id] : chosen.filter((each) => each !== id));
  const all = sends.map(({ deliveryId }) => deliveryId);
  return (
    <Stack>
      {found.total > 0 && <Choices />}
      <Decide scope={scope} ids={chosen} sends={sends} done={() => setIds([])}>
        <Checkbox
          label={words.chooseAll}
          checked={chosen.length === all.length}
          indeterminate={chosen.length > 0 && chosen.length < all.length}
          onChange={({ currentTarget }) => setIds(currentTarget.checked ? all : [])}
        />
      </Decide>
      <PagedRows
        paging={found}
        heads={[words.recipient, words.campaign, words.handedOver, words.lastReport]}
        rows={sends.map((send) => ({
          id: send.deliveryId,
          cells: unknownCells(scope, send, {
            isChosen: chosen.includes(send.deliveryId),
            choose: (isChosen) => choose(send.deliveryId, isChosen),
          }),
        }))}
        empty={
          <Empty
            title={words.noUnknown}
            about={words.noUnknownAbout}
            filtered={found.page > 1 ? { title: words.noUnknown, clear: () => change({ page: "" }) } : null}
          />
        }
      />
    </Stack>
  );
}

/** Mail that was handed over without an answer, as a queue in which people decide. */
export function Unknown({ scope }: OfScope) {
  const [address] = useAddress();
  const found = useOperation(scope, "listUnknownSends", {
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return <Loaded query={found}>{(answer) => <Queue scope={scope} found={answer} />}</Loaded>;
}
