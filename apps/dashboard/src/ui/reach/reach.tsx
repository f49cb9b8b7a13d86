import { Alert, List, Text } from "@mantine/core";
import type { Channel } from "../../platform/api-types.ts";
import { useOperation } from "../../platform/operations.ts";
import { To } from "../to.tsx";
import { isCaught, type ReachRemark, type Setup, WAYS } from "./rules.ts";
import { words } from "./words.ts";

type Props = {
  scope: string;
  remarks: readonly ReachRemark[];
  /** What else happens on the way to another page, such as that a dialog closes. */
  leave?: () => void;
};

/** Why no user gets a message yet, each with the way to where that is mended; nothing where some may get it. */
export function ReachRemarks({ scope, remarks, leave }: Props) {
  if (remarks.length === 0) return null;
  return (
    <Alert color="yellow" role="note">
      <List listStyleType="none" spacing="xs">
        {remarks.map((remark) => {
          const { title, about, way } = words.remarks[remark];
          return (
            <List.Item key={remark}>
              <Text fw={700}>{title}</Text>
              <Text size="sm">
                {about}{" "}
                <To
                  isOnColour
                  scope={scope}
                  {...WAYS[remark]}
                  {...(leave !== undefined && { onClick: leave })}
                >
                  {way}
                </To>
              </Text>
            </List.Item>
          );
        })}
      </List>
    </Alert>
  );
}

/** The remarks on each channel; undefined before they are known of this project. */
function useReach(scope: string): Setup["reach"] | undefined {
  const { data, isPlaceholderData } = useOperation(scope, "getSetup");
  return isPlaceholderData ? undefined : data?.reach;
}

/** The remarks on a channel, read by itself; nothing before they are known. */
export const ReachOf = ({ scope, channel }: { scope: string; channel: Channel }) => (
  <ReachRemarks scope={scope} remarks={useReach(scope)?.[channel] ?? []} />
);

/** That mail or pushes of this project land on this server, for pages that are about no single campaign. */
export function CaughtOf({ scope, channels }: { scope: string; channels: readonly Channel[] }) {
  const reach = useReach(scope);
  const remarks = reach === undefined ? [] : channels.flatMap((channel) => reach[channel].filter(isCaught));
  return <ReachRemarks scope={scope} remarks={remarks} />;
}
