import { Stack } from "@mantine/core";
import { curlOf } from "../../../platform/curl.ts";
import { publishableKeyAt, useMe } from "../../../platform/me.ts";
import { Empty } from "../../../ui/lists/empty.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { words } from "../words.ts";

const FIRST = { userId: "ada", event: "signed_up", props: { plan: "free" } };

/** In place of events: how the first one is sent, or the way back from filters that leave none. */
export function NoEvents({
  scope,
  isFiltered,
  clear,
}: {
  scope: string;
  isFiltered: boolean;
  clear: () => void;
}) {
  const key = publishableKeyAt(useMe(), scope);
  return (
    <Stack>
      <Empty
        title={words.none}
        about={key === null ? words.noKey : words.noneAbout}
        filtered={isFiltered ? { title: words.noMatch, clear } : null}
      />
      {!isFiltered && key !== null && (
        <Copied text={curlOf(location.origin, "/api/v1/track", key, FIRST)} label={words.first} />
      )}
    </Stack>
  );
}
