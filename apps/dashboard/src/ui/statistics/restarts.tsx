import { Alert, Stack, Text } from "@mantine/core";
import type { Answer } from "@tidings/client";
import type { ReactNode } from "react";
import { words } from "./words.ts";

export type Restart = Answer<"reviewCampaign">["restarts"][number];

type Props = {
  restarts: readonly Restart[];
  /** The name of a variant by its id. */
  nameOf: (variantId: string) => string;
  /** What can be done about it. */
  action?: (restart: Restart) => ReactNode;
};

/** For which variants counting begins anew by a change, and what counts no more then. */
export function Restarts({ restarts, nameOf, action }: Props) {
  if (restarts.length === 0) return null;
  return (
    <Stack gap="sm">
      {restarts.map((restart) => {
        const { variantId, because, verdict, exposedUsers } = restart;
        const claim = verdict === null || verdict === "undecided" ? null : words.claimed[verdict];
        return (
          <Alert key={variantId} color="red" title={words.beginsAnew(nameOf(variantId), verdict !== null)}>
            <Stack gap="xs" align="flex-start">
              <Text size="sm">{words.lost[because](exposedUsers, claim)}</Text>
              {action?.(restart)}
            </Stack>
          </Alert>
        );
      })}
      <Text size="sm" c="dimmed">
        {words.lostStays}
      </Text>
    </Stack>
  );
}
