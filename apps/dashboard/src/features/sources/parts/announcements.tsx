import { Select, Stack } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { optionsOf } from "../../../ui/options.ts";
import { words } from "../words.ts";
import { announcementCells } from "./announcement.tsx";

const STATES = ["waiting", "launched"] as const;

/** From a commit to the lift: the campaigns that announce changes, each in one line. */
export function Announcements({ scope }: { scope: string }) {
  const [address, change] = useAddress();
  const state = STATES.find((each) => each === address.state);
  const page = pageIn(address);
  const found = useOperation(scope, "listAnnouncements", {
    query: { page, ...(state !== undefined && { state }) },
  });
  return (
    <Stack>
      <Select
        label={words.announced}
        data={[{ value: "", label: words.every }, ...optionsOf(words.announcedStates)]}
        value={state ?? ""}
        allowDeselect={false}
        maw="16rem"
        onChange={(chosen) => change({ state: chosen ?? "", page: "" })}
      />
      <Loaded query={found}>
        {(all) => (
          <PagedRows
            paging={all}
            heads={[words.campaign, words.change, words.launch, words.lift]}
            rows={all.announcements.map((each) => ({
              id: each.campaign.id,
              cells: announcementCells(scope, each),
            }))}
            empty={
              <Empty
                title={words.noAnnouncements}
                about={words.noAnnouncementsAbout}
                filtered={
                  state !== undefined || page > 1
                    ? { title: words.noMatch, clear: () => change({ state: "", page: "" }) }
                    : null
                }
              />
            }
          />
        )}
      </Loaded>
    </Stack>
  );
}
