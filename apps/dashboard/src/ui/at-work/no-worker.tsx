import { Box } from "@mantine/core";
import { lazy, Suspense } from "react";
import { ORGANIZATION } from "../../platform/client.ts";
import { useOperation } from "../../platform/operations.ts";

/** It comes when it is needed, which is seldom. */
const Unattended = lazy(async () => ({ default: (await import("./unattended.tsx")).Unattended }));

/** Whether no process works, so that nothing goes by itself. Unknown counts as not. */
export const useHasNoWorker = (): boolean => useOperation(ORGANIZATION, "getAtWork").data?.worker === false;

/** Above every page: what all of them say of things that go by themselves is not so while no process works. */
export const NoWorkerAtWork = () =>
  useHasNoWorker() ? (
    <Suspense>
      <Box mb="lg">
        <Unattended missing="worker" />
      </Box>
    </Suspense>
  ) : null;
