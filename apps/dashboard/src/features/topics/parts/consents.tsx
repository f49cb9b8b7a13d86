import { Stack, Text } from "@mantine/core";
import { useAddress } from "../../../platform/address.ts";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Older, useBefore } from "../../../ui/lists/older.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { Search } from "../../../ui/lists/search.tsx";
import { Loaded } from "../../../ui/loaded.tsx";
import classes from "../../../ui/look/long.module.css";
import { timesOf } from "../../../ui/texts/times-of.ts";
import { type Consent, wholeAddress } from "../rules.ts";
import { words } from "../words.ts";

const readerOf = ({ channel, address, externalUserId }: Consent): string =>
  channel === "push" ? words.user(externalUserId ?? words.forgotten) : (address ?? words.forgotten);

function howOf({ via, by, source }: Consent): string {
  const way = words.ways[via];
  if (by !== null) return words.by(way, by);
  return source === null ? way : words.at(way, source);
}

const cellsOf = (consent: Consent) => [
  <Text key="reader" size="sm" className={classes.long}>
    {readerOf(consent)}
  </Text>,
  words.acts[consent.action],
  consent.topic ?? words.everything,
  <Text key="how" size="sm" className={classes.long}>
    {howOf(consent)}
  </Text>,
  timeOf(consent.at),
];

/** What readers chose and confirmed, the newest first. */
export function Consents({ scope }: { scope: string }) {
  const [{ q = "" }, change] = useAddress();
  const { before } = useBefore();
  const email = wholeAddress(q);
  const query = { ...(email !== null && { email }), ...(before !== undefined && { before: String(before) }) };
  const found = useOperation(scope, "listConsents", { query });
  return (
    <Stack>
      <Text maw="44rem">{words.consentsAbout}</Text>
      <Search label={words.addressLabel} description={words.addressAbout} maxLength={320} maw="24rem" />
      <Loaded query={found}>
        {({ consents, next }) =>
          consents.length === 0 ? (
            <Empty
              title={words.noConsents}
              about={words.noConsentsAbout}
              filtered={email === null ? null : { title: words.noMatch, clear: () => change({ q: "" }) }}
            />
          ) : (
            <Stack>
              <Rows
                heads={[words.address, words.what, words.topic, words.how, words.when]}
                rows={consents.map((consent) => ({ id: consent.id, cells: cellsOf(consent) }))}
              />
              <Older next={next} />
              <Text size="sm" c="dimmed">
                {timesOf()}
              </Text>
            </Stack>
          )
        }
      </Loaded>
    </Stack>
  );
}
