import { Text } from "@mantine/core";
import { applying } from "../../../ui/at-work/rules.ts";
import { Unattended } from "../../../ui/at-work/unattended.tsx";
import type { Approval } from "../rules.ts";

/** What applies an approved change, as long as it is not applied. */
export function Applying({ approval: { proposal, atWork } }: { approval: Approval }) {
  if (proposal.state !== "approved") return null;
  const { isDone, text, missing } = applying(atWork);
  return missing === null ? (
    <Text size="sm" fw={600} {...(!isDone && { c: "red" })}>
      {text}
    </Text>
  ) : (
    <Unattended missing={missing} title={text} />
  );
}
