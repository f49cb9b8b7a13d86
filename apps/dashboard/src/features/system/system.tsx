import { Stack } from "@mantine/core";
import { ORGANIZATION } from "../../platform/client.ts";
import { useOperation } from "../../platform/operations.ts";
import { timeWithSecondsOf, zoneName } from "../../platform/times.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Backup } from "./parts/backup.tsx";
import { Doctor } from "./parts/doctor.tsx";
import { DatabasePart, Server } from "./parts/server.tsx";
import { Processes, Queues, Turns } from "./parts/work.tsx";
import { words } from "./words.ts";

/** How the server is, for those who run it. */
export function SystemPage() {
  const system = useOperation(ORGANIZATION, "getSystem");
  const at = system.data?.evaluatedAt;
  return (
    <Page {...(at !== undefined && { about: words.about(timeWithSecondsOf(at), zoneName()) })}>
      <Loaded query={system}>
        {(known) => (
          <Stack gap="xl">
            <Server system={known} />
            <Doctor />
            <Queues system={known} />
            <Processes system={known} />
            <Turns system={known} />
            <DatabasePart system={known} />
            <Backup system={known} />
          </Stack>
        )}
      </Loaded>
    </Page>
  );
}
