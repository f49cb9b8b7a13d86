import { Alert, Box, Stack, Text } from "@mantine/core";
import { ORGANIZATION } from "../../platform/client.ts";
import { useOperation } from "../../platform/operations.ts";
import { Copied } from "../texts/copied.tsx";
import { findMissingAgent, lineFor, type MissingAgent } from "./rules.ts";
import { words } from "./words.ts";

/** Says that no process or program does what a page promises, what stands still therefore, and how to start one. */
export const Unattended = ({
  missing,
  title = words.titles[missing],
}: {
  missing: MissingAgent;
  title?: string;
}) => (
  <Alert color="red" title={title} role="alert">
    <Stack gap="xs">
      <Text size="sm">{words.stands[missing]}</Text>
      <Text size="sm">{words.start[missing]}</Text>
      <Copied text={lineFor(missing, window.location.origin)} label={words.command} />
    </Stack>
  </Alert>
);

/** Whether no process works, so that nothing goes by itself. Unknown counts as not. */
export const useHasNoWorker = (): boolean => useOperation(ORGANIZATION, "getAtWork").data?.worker === false;

/** That no process looks after the campaigns of a project although its settings say how; nothing where one does. */
export function NoAgentAtWork({ scope }: { scope: string }) {
  const activity = useOperation(scope, "getAgentActivity").data;
  return activity !== undefined && findMissingAgent(activity.atWork) === "agent" ? (
    <Unattended missing="agent" />
  ) : null;
}

/** Above every page: what all of them say of things that go by themselves is not so while no process works. */
export const NoWorkerAtWork = () =>
  useHasNoWorker() ? (
    <Box mb="lg">
      <Unattended missing="worker" />
    </Box>
  ) : null;
