import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { pageIn, search, useAddress } from "../../../../platform/address.ts";
import { roleAt, useMe } from "../../../../platform/me.ts";
import { useOperation } from "../../../../platform/operations.ts";
import { reaches } from "../../../../platform/pages.ts";
import { timeOf } from "../../../../platform/times.ts";
import { Empty } from "../../../../ui/lists/empty.tsx";
import { PagedRows } from "../../../../ui/lists/paged-rows.tsx";
import { Loaded } from "../../../../ui/loaded.tsx";
import classes from "../../../../ui/look/long.module.css";
import { words } from "../../words.ts";
import { CaughtMail } from "./caught-mail.tsx";

const PER_PAGE = 25;

type OfScope = { scope: string };

function CaughtMails({ scope }: OfScope) {
  const [address, change] = useAddress();
  const found = useOperation(scope, "listCaughtMail", {
    query: { perPage: PER_PAGE, page: pageIn(address) },
  });
  const { data: sender } = useOperation(scope, "getEmailSender");
  const isCaught = sender?.mailServer !== "own" && sender?.mailServer !== "shared";
  return (
    <Stack>
      <Text c="dimmed" maw="44rem">
        {words.caughtAbout}
      </Text>
      <Loaded query={found}>
        {(answer) => (
          <PagedRows
            paging={answer}
            heads={[words.subject, words.to, words.mailFrom, words.caught]}
            rows={answer.mails.map(({ id, subject, recipient, from, at }) => ({
              id,
              cells: [
                <Anchor
                  key="subject"
                  component={Link}
                  to="."
                  search={search({ view: "outbox", mail: id })}
                  fw={600}
                  className={classes.long}
                >
                  {subject ?? words.noSubject}
                </Anchor>,
                <Text key="to" size="sm" className={classes.long}>
                  {recipient}
                </Text>,
                <Text key="from" size="sm" className={classes.long}>
                  {from}
                </Text>,
                timeOf(at),
              ],
            }))}
            empty={
              <Empty
                title={words.caughtEmpty}
                about={isCaught ? words.caughtEmptyAbout : words.caughtEmptySent}
                filtered={
                  answer.page > 1 ? { title: words.caughtEmpty, clear: () => change({ page: "" }) } : null
                }
              />
            }
          />
        )}
      </Loaded>
    </Stack>
  );
}

/** Mail that was caught because no mail server is named. The address says which one is open. */
export function MailCatcher({ scope }: OfScope) {
  const [{ mail = "" }] = useAddress();
  if (!reaches(roleAt(useMe(), scope), "editor")) return <Text>{words.needsEditor}</Text>;
  return mail === "" ? <CaughtMails scope={scope} /> : <CaughtMail scope={scope} id={mail} />;
}
