import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { problemOf } from "../../../platform/client.ts";
import { useOperation } from "../../../platform/operations.ts";
import type { Preview } from "../../../ui/preview/message.tsx";
import type { Channel } from "../rules.ts";
import { type Content, messageOf } from "./draft.ts";

/** So short that it is drawn within 100 ms of a key, and long enough for a key that is held down. */
const DRAW_AFTER_MS = 40;

/** A message as a user gets it, shortly after each key. What cannot be sent has a fault, and the picture before it stays. */
export function usePreview(
  scope: string,
  channel: Channel,
  content: Content,
  userId: string,
): { preview: Preview | null; fault: string | null } {
  const [written] = useDebouncedValue(content, DRAW_AFTER_MS);
  const { data, error } = useOperation(
    scope,
    "previewMessage",
    { body: { channel, message: messageOf(written), ...(userId !== "" && { userId }) } },
    { refetchInterval: false },
  );
  const [last, setLast] = useState<Preview | null>(null);
  if (data !== undefined && data !== last) setLast(data);
  return {
    preview: last?.channel === channel ? last : null,
    fault: error === null ? null : problemOf(error).message,
  };
}
