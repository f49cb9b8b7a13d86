import { Alert, Stack, Text } from "@mantine/core";
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

/** That no process looks after the campaigns of a project although its settings say how; nothing where one does. */
export function NoAgentAtWork({ scope }: { scope: string }) {
  const activity = useOperation(scope, "getAgentActivity").data;
  return activity !== undefined && findMissingAgent(activity.atWork) === "agent" ? (
    <Unattended missing="agent" />
  ) : null;
}
