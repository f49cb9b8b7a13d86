import { Stack, Text } from "@mantine/core";
import { pageIn, useAddress } from "../../../platform/address.ts";
import { numberOf } from "../../../platform/figures.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { timesOf } from "../../../ui/texts/times-of.ts";
import { UserName } from "../../../ui/user/user-name.tsx";
import { words } from "../words.ts";

const PER_PAGE = 25;

/** Addresses that get mail and whose reader never opens or clicks. */
export function Unread({ scope }: { scope: string }) {
  const [address, change] = useAddress();
  const found = useOperation(scope, "listUnreadAddresses", {
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  return (
    <Stack>
      <Text maw="44rem">{words.unreadAbout}</Text>
      <Loaded query={found}>
        {(answer) => (
          <PagedRows
            paging={answer}
            heads={[words.address, words.mails, words.firstMail, words.lastMail, words.user]}
            rows={answer.addresses.map((each) => ({
              id: each.address,
              cells: [
                <Text key="address" size="sm" fw={600} className={classes.long}>
                  {each.address}
                </Text>,
                numberOf(each.mails),
                timeOf(each.firstAt),
                timeOf(each.lastAt),
                <UserName
                  key="user"
                  scope={scope}
                  userId={each.userId}
                  externalUserId={each.externalUserId}
                />,
              ],
            }))}
            empty={
              <Empty
                title={words.noUnread}
                about={words.noUnreadAbout}
                filtered={
                  answer.page > 1 ? { title: words.noUnread, clear: () => change({ page: "" }) } : null
                }
              />
            }
          />
        )}
      </Loaded>
      <Text size="sm" c="dimmed">
        {timesOf()}
      </Text>
    </Stack>
  );
}
