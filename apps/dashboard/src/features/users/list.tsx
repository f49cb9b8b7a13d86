import { NativeSelect, SimpleGrid, Text } from "@mantine/core";
import { pageIn, useAddress } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeOf } from "../../platform/times.ts";
import { Figure } from "../../ui/charts/figure.tsx";
import { Empty } from "../../ui/lists/empty.tsx";
import { PagedRows } from "../../ui/lists/paged-rows.tsx";
import { Search } from "../../ui/lists/search.tsx";
import { Loaded } from "../../ui/loaded.tsx";
import classes from "../../ui/look/long.module.css";
import { optionsOf } from "../../ui/options.ts";
import { Page } from "../../ui/page.tsx";
import { SaveList } from "../../ui/save/save-list.tsx";
import { soughtOf } from "../../ui/user/sought.pure.ts";
import { UserName } from "../../ui/user/user-name.tsx";
import { Found } from "./parts/found.tsx";
import { someTraits, type User } from "./rules.ts";
import { words } from "./words.ts";

const PER_PAGE = 25;
/** In the address: visitors, and no users. */
const ONLY = "only";

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
  <UserName key="id" scope={scope} userId={id} externalUserId={externalUserId} fw={600} />,
  <Traits key="traits" traits={traits} />,
  timeOf(firstSeenAt),
  timeOf(lastSeenAt),
];

function Summary({ scope }: OfScope) {
  const summary = useOperation(scope, "getUserSummary");
  return (
    <Loaded query={summary}>
      {({ totalUsers, activeUsers, newUsers, visitors }) => (
        <SimpleGrid cols={{ base: 2, md: 4 }}>
          <Figure label={words.all} value={totalUsers} />
          <Figure label={words.active} value={activeUsers} />
          <Figure label={words.fresh} value={newUsers} />
          {visitors > 0 && <Figure label={words.visitors} value={visitors} />}
        </SimpleGrid>
      )}
    </Loaded>
  );
}

/** All users, or all visitors, those first seen last before the others. */
function Listed({ scope }: OfScope) {
  const [address, change] = useAddress();
  const areVisitors = address.visitors === ONLY;
  const users = useOperation(scope, "listUsers", {
    query: { perPage: PER_PAGE, page: pageIn(address), ...(areVisitors && { visitors: ONLY }) },
  });
  return (
    <Loaded query={users}>
      {(found) => (
        <PagedRows
          paging={found}
          heads={[areVisitors ? words.visitor : words.id, words.traits, words.firstSeen, words.lastSeen]}
          rows={found.users.map((user) => ({ id: user.id, cells: cellsOf(scope, user) }))}
          empty={
            <Empty
              title={areVisitors ? words.noVisitors : words.none}
              about={areVisitors ? words.noVisitorsAbout : words.noneAbout}
              filtered={found.page > 1 ? { title: words.noMatch, clear: () => change({ page: "" }) } : null}
            />
          }
        />
      )}
    </Loaded>
  );
}

/** Users or visitors, to choose where there are visitors. */
function Shown({ scope, areVisitors }: OfScope & { areVisitors: boolean }) {
  const [, change] = useAddress();
  const summary = useOperation(scope, "getUserSummary");
  if (!areVisitors && (summary.data?.visitors ?? 0) === 0) return null;
  return (
    <NativeSelect
      label={words.shown}
      data={optionsOf(words.kinds)}
      value={areVisitors ? ONLY : ""}
      onChange={({ currentTarget: { value } }) => change({ visitors: value, page: "" })}
      maw="28rem"
    />
  );
}

export function UsersPage({ scope }: OfScope) {
  const [{ q = "", visitors = "" }] = useAddress();
  const sought = soughtOf(q);
  return (
    <Page
      about={words.about}
      actions={
        <SaveList
          scope={scope}
          list="extractUsers"
          about={visitors === ONLY ? words.saveVisitorsAbout : words.saveAbout}
          {...(visitors === ONLY && { query: { visitors: ONLY } })}
        />
      }
    >
      <Summary scope={scope} />
      <Shown scope={scope} areVisitors={visitors === ONLY} />
      <Search label={words.search} description={words.searchAbout} maxLength={320} maw="28rem" />
      {q.trim() === "" ? (
        <Listed scope={scope} />
      ) : (
        <Found scope={scope} q={sought} areVisitors={visitors === ONLY} />
      )}
    </Page>
  );
}
