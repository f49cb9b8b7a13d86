import { Alert, Autocomplete, Stack, Text } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import classes from "../../../ui/long.module.css";
import { LookChoice, useLook } from "../../../ui/preview/look.tsx";
import { DrawnMessage } from "../../../ui/preview/message.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { calledBeside, soughtOf } from "../../../ui/user/who.pure.ts";
import type { Drawn } from "./use-preview.ts";
import { words } from "./words.ts";

/** Finds users while a person types an id, an email address or a name. */
function AsUser({
  scope,
  userId,
  isForNobody,
  choose,
}: {
  scope: string;
  userId: string;
  isForNobody: boolean;
  choose: (userId: string) => void;
}) {
  const typed = soughtOf(userId);
  const still = { refetchInterval: false } as const;
  const newest = useOperation(
    scope,
    "listUsers",
    { query: { perPage: 8 } },
    { ...still, enabled: typed === "" },
  );
  const found = useOperation(scope, "findUsers", { body: { q: typed } }, { ...still, enabled: typed !== "" });
  const users = (typed === "" ? newest : found).data?.users ?? [];
  const beside = new Map(
    typed === "" ? [] : found.data?.users.map((user) => [user.externalUserId, calledBeside(user)]),
  );
  return (
    <Autocomplete
      label={words.as}
      description={words.asAbout}
      maxLength={256}
      error={isForNobody && words.asNobody}
      data={[...new Set(users.map(({ externalUserId }) => externalUserId))]}
      renderOption={({ option: { value } }) => (
        <div className={classes.long}>
          {value}
          <Text size="xs">{beside.get(value)}</Text>
        </div>
      )}
      filter={({ options }) => options}
      value={userId}
      onChange={choose}
    />
  );
}

type Props = Drawn & {
  scope: string;
  userId: string;
  choose: (userId: string) => void;
};

/** A message as a chosen user gets it: on a phone or a desktop, in the light or the dark. */
export function PreviewPane({ scope, preview, fault, failure, isForNobody, userId, choose }: Props) {
  const choice = useLook();
  return (
    <Stack>
      <AsUser {...{ scope, userId, isForNobody, choose }} />
      {preview?.channel !== "push" && <LookChoice {...choice} />}
      {failure !== null && <Problem {...failure} />}
      {preview === null && failure === null && (
        <Text c="dimmed" role="status">
          {fault ?? words.nothingToShow}
        </Text>
      )}
      {preview !== null && (
        <div style={{ opacity: fault === null ? 1 : 0.6 }}>
          <DrawnMessage preview={preview} look={choice.look} />
        </div>
      )}
      {preview?.remarks.map(({ message, severity, path }) => (
        <Alert key={path + message} color={severity === "error" ? "red" : "yellow"} p="xs">
          {message}
        </Alert>
      ))}
      <Text size="sm" c="dimmed">
        {preview?.channel === "push" ? words.pushAbout : words.previewAbout}
      </Text>
    </Stack>
  );
}
