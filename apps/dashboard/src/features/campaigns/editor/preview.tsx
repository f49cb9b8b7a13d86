import { Alert, Autocomplete, Stack, Text } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { LookChoice, useLook } from "../../../ui/preview/look.tsx";
import { DrawnMessage } from "../../../ui/preview/message.tsx";
import { Problem } from "../../../ui/problem.tsx";
import type { Drawn } from "./use-preview.ts";
import { words } from "./words.ts";

/** Finds users while somebody types their id. */
function AsUser({
  scope,
  userId,
  choose,
}: {
  scope: string;
  userId: string;
  choose: (userId: string) => void;
}) {
  const found = useOperation(
    scope,
    "listUsers",
    { query: { perPage: 8, ...(userId !== "" && { q: userId }) } },
    { refetchInterval: false },
  );
  return (
    <Autocomplete
      label={words.as}
      description={words.asAbout}
      maxLength={256}
      data={[...new Set((found.data?.users ?? []).map(({ externalUserId }) => externalUserId))]}
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
export function PreviewPane({ scope, preview, fault, failure, userId, choose }: Props) {
  const choice = useLook();
  return (
    <Stack>
      <AsUser {...{ scope, userId, choose }} />
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
