import { Anchor, Button, Group, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { useDebouncedCallback } from "@mantine/hooks";
import { Link } from "@tanstack/react-router";
import { pageIn, useAddress } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Figure } from "../../ui/figure.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Pager } from "../../ui/pager.tsx";
import { Rows } from "../../ui/rows.tsx";
import { someTraits, type User } from "./rules.ts";
import classes from "./users.module.css";
import { words } from "./words.ts";

const PER_PAGE = 25;
const AFTER_KEYS_MS = 250;

type OfScope = { scope: string };

function Traits({ traits }: Pick<User, "traits">) {
  const { shown, more } = someTraits(traits);
  return (
    <Text size="sm" className={classes.long}>
      {[...shown, ...(more > 0 ? [words.more(more)] : [])].join(", ")}
    </Text>
  );
}

const cellsOf = (scope: string, { id, externalUserId, traits, firstSeenAt, lastSeenAt }: User) => [
  <Anchor key="id" component={Link} to={`/p/${scope}/users/${id}`} fw={600} className={classes.long}>
    {externalUserId}
  </Anchor>,
  <Traits key="traits" traits={traits} />,
  timeOf(firstSeenAt),
  timeOf(lastSeenAt),
];

function Summary({ scope }: OfScope) {
  const summary = useOperation(scope, "getUserSummary");
  return (
    <Loaded of={summary}>
      {({ totalUsers, activeUsers, newUsers }) => (
        <SimpleGrid cols={{ base: 2, md: 4 }}>
          <Figure label={words.all} value={totalUsers} />
          <Figure label={words.active} value={activeUsers} />
          <Figure label={words.fresh} value={newUsers} />
        </SimpleGrid>
      )}
    </Loaded>
  );
}

function Nothing({ isSearched }: { isSearched: boolean }) {
  const [, change] = useAddress();
  if (!isSearched)
    return (
      <Stack gap="xs">
        <Text fw={600}>{words.none}</Text>
        <Text c="dimmed">{words.noneAbout}</Text>
      </Stack>
    );
  return (
    <Group>
      <Text>{words.noMatch}</Text>
      <Button variant="default" size="xs" onClick={() => change({ q: "", page: "" })}>
        {words.showAll}
      </Button>
    </Group>
  );
}

export function UsersPage({ scope }: OfScope) {
  const [address, change] = useAddress();
  const { q = "" } = address;
  const search = useDebouncedCallback(
    (typed: string) => change({ q: typed, page: "" }, false),
    AFTER_KEYS_MS,
  );
  const users = useOperation(scope, "listUsers", {
    query: { perPage: PER_PAGE, page: pageIn(address), ...(q !== "" && { q }) },
  });
  return (
    <Page title={words.label} about={words.about}>
      <Summary scope={scope} />
      <TextInput
        // The key takes what was typed away when the search is taken away.
        key={String(q === "")}
        type="search"
        label={words.search}
        description={words.searchAbout}
        defaultValue={q}
        autoFocus={q !== ""}
        maxLength={256}
        maw="28rem"
        onChange={({ currentTarget }) => search(currentTarget.value)}
      />
      <Loaded of={users}>
        {({ users: found, total, page: shown, pageCount }) =>
          found.length === 0 ? (
            <Nothing isSearched={q !== "" || shown > 1} />
          ) : (
            <>
              <Rows
                heads={[words.id, words.traits, words.firstSeen, words.lastSeen]}
                rows={found.map((user) => ({ id: user.id, cells: cellsOf(scope, user) }))}
              />
              <Pager {...{ total, pageCount }} page={shown} open={(next) => change({ page: String(next) })} />
            </>
          )
        }
      </Loaded>
    </Page>
  );
}
