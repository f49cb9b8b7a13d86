import { Alert, Button, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { isRefused, problemOf } from "../../platform/client.ts";
import { faultAt } from "../../platform/faults.ts";
import { useOperation } from "../../platform/operations.ts";
import { Loaded } from "../loaded.tsx";
import classes from "../look/long.module.css";
import { calledBeside, type FoundUser, soughtOf } from "./sought.pure.ts";
import own from "./unknown-user.module.css";
import { words } from "./words.ts";

type Choosing = { choose: (user: FoundUser) => void };

/** Whether a refusal says that the id is of no user: it is unknown, or no user can have it. */
export const isOfUnknownUser = (error: unknown, field = "userId"): boolean =>
  isRefused(error, 404) || (isRefused(error, 400) && faultAt(problemOf(error).message, field) !== undefined);

function Suggestion({ user, choose }: Choosing & { user: FoundUser }) {
  const beside = calledBeside(user);
  return (
    <li className={own.suggestion}>
      <Button variant="default" size="xs" className={own.button} onClick={() => choose(user)}>
        {user.externalUserId}
      </Button>
      <Text size="sm" className={classes.long}>
        {beside === "" ? words.by[user.by] : `${beside}, ${words.by[user.by]}`}
      </Text>
    </li>
  );
}

function Suggestions({
  found: { users, more, searchedAll },
  choose,
}: Choosing & { found: Answer<"findUsers"> }) {
  const question = more ? words.many : users.length === 1 ? words.meant : words.several;
  return (
    <Stack gap="xs">
      <Text>{users.length === 0 ? words.none : question}</Text>
      {users.length > 0 && (
        <ul className={own.suggestions}>
          {users.map((user) => (
            <Suggestion key={user.id} user={user} choose={choose} />
          ))}
        </ul>
      )}
      {!searchedAll && (
        <Text size="sm" c="dimmed">
          {words.newestOnly}
        </Text>
      )}
    </Stack>
  );
}

/** In place of an answer about an unknown user: says that no user has this id, and whom it could mean. */
export function UnknownUser({
  scope,
  typed,
  title = words.unknown,
  choose,
}: Choosing & { scope: string; typed: string; title?: string }) {
  const q = soughtOf(typed);
  const found = useOperation(
    scope,
    "findUsers",
    { body: { q } },
    { refetchInterval: false, enabled: q !== "" },
  );
  return (
    <Alert color="yellow" title={title}>
      {q === "" ? (
        <Text>{words.none}</Text>
      ) : (
        <Loaded query={found}>{(answer) => <Suggestions found={answer} choose={choose} />}</Loaded>
      )}
    </Alert>
  );
}
