import { Stack, Text } from "@mantine/core";
import type { Input } from "@tidings/client";
import { useOperation } from "../../platform/operations.ts";
import { Loaded } from "../loaded.tsx";
import type { Look } from "./look.tsx";
import { DrawnMessage, type Preview } from "./message.tsx";
import { Remarks } from "./remarks.tsx";
import { words } from "./words.ts";

type Body = Input<"previewMessage">["body"];

type Props = {
  scope: string;
  channel: Preview["channel"];
  /** A message as it is stored. */
  message: object;
  /** Which of the messages of a page it is. */
  name: string;
  /** The user whose traits fill it; empty for one without traits. */
  userId: string;
  look: Look;
  /** What fills the message of a template, null for samples; left out for the message of a campaign. */
  data?: Readonly<Record<string, unknown>> | null;
};

/** A stored message as a user gets it. */
export function StoredMessagePreview({ scope, channel, message, name, userId, look, data }: Props) {
  const body = {
    // A stored message has the shape that a request sends.
    channel,
    message: message as Body["message"],
    ...(userId !== "" && { userId }),
    ...(data !== undefined && { purpose: "transactional" as const, ...(data !== null && { data }) }),
  };
  const preview = useOperation(scope, "previewMessage", { body }, { refetchInterval: false });
  return (
    <Loaded query={preview}>
      {(found) => (
        <Stack gap="xs">
          <Remarks preview={found} />
          <DrawnMessage preview={found} look={look} name={name} />
          {"content" in found && found.content === null && <Text c="dimmed">{words.noPicture}</Text>}
        </Stack>
      )}
    </Loaded>
  );
}
