import { Button, Group, Stack, Text } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import { SaveList } from "../../../ui/save/save-list.tsx";
import { UserName } from "../../../ui/user/user-name.tsx";
import { words as ui } from "../../../ui/words.ts";
import type { Segment } from "../rules.ts";
import { words } from "../words.ts";

const PER_PAGE = 25;

/** The users that are in a segment. The address names the user behind whom the page begins. */
export function Members({ scope, segment: { id } }: { scope: string; segment: Segment }) {
  const [{ after = "" }, change] = useAddress();
  const found = useOperation(scope, "listSegmentUsers", {
    path: { id },
    query: { limit: PER_PAGE, ...(after !== "" && { after }) },
  });
  return (
    <Stack>
      <Group justify="space-between">
        <Text c="dimmed">{words.membersAbout}</Text>
        <SaveList
          scope={scope}
          list={"extractUsers" as const}
          query={{ segment: id }}
          about={words.saveAbout}
        />
      </Group>
      <Loaded query={found}>
        {({ users, next }) => (
          <Stack>
            {users.length === 0 ? (
              <Empty
                title={words.noMembers}
                about={words.noMembersAbout}
                filtered={after === "" ? null : { title: words.noMore, clear: () => change({ after: "" }) }}
              />
            ) : (
              <Rows
                heads={[words.user, words.firstSeen, words.lastSeen]}
                rows={users.map((user) => ({
                  id: user.id,
                  cells: [
                    <UserName
                      key="user"
                      scope={scope}
                      userId={user.id}
                      externalUserId={user.externalUserId}
                    />,
                    timeOf(user.firstSeenAt),
                    timeOf(user.lastSeenAt),
                  ],
                }))}
              />
            )}
            <Group>
              {after !== "" && (
                <Button size="xs" variant="default" onClick={() => change({ after: "" })}>
                  {words.first}
                </Button>
              )}
              {next !== null && (
                <Button size="xs" variant="default" onClick={() => change({ after: next })}>
                  {ui.next}
                </Button>
              )}
            </Group>
          </Stack>
        )}
      </Loaded>
    </Stack>
  );
}
