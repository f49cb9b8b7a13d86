import { Stack, Text } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { To } from "../../../ui/to.tsx";
import { words } from "../words.ts";

/** The segments that a user is in now. */
export function Segments({ scope, id }: { scope: string; id: string }) {
  const found = useOperation(scope, "listUserSegments", { path: { id } }, { refetchInterval: false });
  return (
    <Loaded of={found}>
      {({ segments, evaluatedAt, lookedAll }) => (
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {segments.length === 0
              ? words.noSegments(timeOf(evaluatedAt))
              : words.inSegments(segments.length, timeOf(evaluatedAt))}
            {!lookedAll && ` ${words.newestSegments}`}
          </Text>
          {segments.map((segment) => (
            <div key={segment.id}>
              <To scope={scope} path={`segments/${segment.id}`}>
                {segment.name}
              </To>
            </div>
          ))}
        </Stack>
      )}
    </Loaded>
  );
}
