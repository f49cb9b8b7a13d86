import { useDebouncedValue } from "@mantine/hooks";
import { useState } from "react";
import { isFinal, problemOf } from "../../../platform/client.ts";
import { useOperation } from "../../../platform/operations.ts";
import { type DraftContent, messageOf } from "../../../ui/message-fields/content.ts";
import type { Preview } from "../../../ui/preview/message.tsx";
import { isOfUnknownUser } from "../../../ui/user/unknown-user.tsx";

import type { CampaignDraft } from "./draft.ts";

/** So short that it is drawn within 100 ms of a key, and long enough for a key that a person keeps pressed. */
const DRAW_AFTER_MS = 40;

export type DrawnPreview = {
  /** The newest one that could be made; null before the first. */
  preview: Preview | null;
  /** Why there is none of what is written now. */
  fault: string | null;
  /** Whether no user has the id that it is for. */
  isForUnknownUser: boolean;
  /** The server failed at it; it may do better when it is asked again. */
  failure: { error: Error; retry: () => void } | null;
};

/** What is drawn: a message, for a user, and with the data of a request where it is that of a template; null for samples. */
type PreviewedMessage = {
  content: DraftContent;
  userId: string;
  values: Readonly<Record<string, unknown>> | null;
};

/** A message as a user gets it, shortly after each key. What cannot be sent has a fault, and the picture before it stays. */
export function usePreview(
  scope: string,
  { channel, template }: Pick<CampaignDraft, "channel" | "template">,
  { content, userId, values }: PreviewedMessage,
  /** Which message of the campaign it is: the picture of another one is none of it. */
  place: string,
): DrawnPreview {
  const [written] = useDebouncedValue(content, DRAW_AFTER_MS);
  const [writtenAt] = useDebouncedValue(place, DRAW_AFTER_MS);
  const { data, error, isPlaceholderData, refetch } = useOperation(
    scope,
    "previewMessage",
    {
      body: {
        channel,
        message: messageOf(written),
        ...(userId !== "" && { userId }),
        ...(template !== null && {
          purpose: "transactional" as const,
          ...(values !== null && { data: values }),
        }),
      },
    },
    { refetchInterval: false },
  );
  const [last, setLast] = useState<{ place: string; preview: Preview } | null>(null);
  if (data !== undefined && !isPlaceholderData && (data !== last?.preview || writtenAt !== last.place))
    setLast({ place: writtenAt, preview: data });
  return {
    preview: last?.place === place ? last.preview : null,
    fault: error === null ? null : problemOf(error).message,
    isForUnknownUser: userId !== "" && isOfUnknownUser(error),
    failure: error === null || isFinal(error) ? null : { error, retry: () => void refetch() },
  };
}
