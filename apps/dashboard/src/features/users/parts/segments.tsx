import { Stack, Text } from "@mantine/core";
import { useOperation } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { Loaded } from "../../../ui/loaded.tsx";
import { To } from "../../../ui/to.tsx";
import { words } from "../words.ts";

const Names = ({ scope, segments }: { scope: string; segments: readonly { id: string; name: string }[] }) =>
  segments.map(({ id, name }) => (
    <div key={id}>
      <To scope={scope} path={`segments/${id}`}>
        {name}
      </To>
    </div>
  ));

/** The segments that a user is in now. */
export function Segments({ scope, id }: { scope: string; id: string }) {
  const found = useOperation(scope, "listUserSegments", { path: { id } }, { refetchInterval: false });
  return (
    <Loaded query={found}>
      {({ segments, unreadable, evaluatedAt, lookedAll }) => (
        <Stack gap="xs">
          <Text size="sm" c="dimmed">
            {segments.length === 0
              ? words.noSegments(timeOf(evaluatedAt))
              : words.inSegments(segments.length, timeOf(evaluatedAt))}
            {!lookedAll && ` ${words.newestSegments}`}
          </Text>
          <Names scope={scope} segments={segments} />
          {unreadable.length > 0 && (
            <Text size="sm" c="red">
              {words.unreadableSegments}
            </Text>
          )}
          <Names scope={scope} segments={unreadable} />
        </Stack>
      )}
    </Loaded>
  );
}
