import { Stack, Text } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import type { FoundUser } from "../../../ui/user/sought.pure.ts";
import { UserName } from "../../../ui/user/user-name.tsx";
import { words as ui } from "../../../ui/user/words.ts";
import { words } from "../words.ts";

type Props = {
  scope: string;
  /** What is looked for; empty where nothing can be like it. */
  q: string;
  /** Visitors are looked for, and no users. */
  areVisitors: boolean;
};

const cellsOf = (scope: string, { id, externalUserId, email, by }: FoundUser) => [
  <UserName key="user" scope={scope} userId={id} externalUserId={externalUserId} fw={600} />,
  <Text key="email" size="sm" className={classes.long}>
    {email}
  </Text>,
  ui.by[by],
];

/** The users whom an id, an email address or a name means, the most exact ones first. */
export function Found({ scope, q, areVisitors }: Props) {
  const [, change] = useAddress();
  const found = useOperation(
    scope,
    "findUsers",
    { body: { q, ...(areVisitors && { visitors: "only" as const }) } },
    { refetchInterval: false, enabled: q !== "" },
  );
  const none = (
    <Empty
      title={words.none}
      about={words.noneAbout}
      filtered={{ title: words.noMatch, clear: () => change({ q: "", page: "" }) }}
    />
  );
  if (q === "") return none;
  return (
    <Loaded query={found}>
      {({ users, more, searchedAll }) => (
        <Stack gap="xs">
          {users.length === 0 ? (
            none
          ) : (
            <Rows
              heads={[words.id, words.email, words.foundBy]}
              rows={users.map((user) => ({ id: user.id, cells: cellsOf(scope, user) }))}
            />
          )}
          {more && <Text size="sm">{ui.many}</Text>}
          {!searchedAll && (
            <Text size="sm" c="dimmed">
              {ui.newestOnly}
            </Text>
          )}
        </Stack>
      )}
    </Loaded>
  );
}
