import { Alert, Autocomplete, Stack, Text } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { LookChoice, useLook } from "../../../ui/preview/look.tsx";
import { DrawnMessage, type Preview } from "../../../ui/preview/message.tsx";
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

type Props = {
  scope: string;
  /** The newest one that could be made; null before the first. */
  preview: Preview | null;
  /** Why there is none of what is written now. */
  fault: string | null;
  userId: string;
  choose: (userId: string) => void;
};

/** A message as a chosen user gets it: on a phone or a desktop, in the light or the dark. */
export function PreviewPane({ scope, preview, fault, userId, choose }: Props) {
  const choice = useLook();
  return (
    <Stack>
      <AsUser {...{ scope, userId, choose }} />
      {preview?.channel !== "push" && <LookChoice {...choice} />}
      {preview === null && (
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
