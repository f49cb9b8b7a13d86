import { Text } from "@mantine/core";
import { Nobody } from "../../../ui/at-work/nobody.tsx";
import { applying } from "../../../ui/at-work/rules.ts";
import type { Approval } from "../rules.ts";

/** Who applies what was approved, as long as it is not applied. */
export function Applying({ approval: { proposal, atWork } }: { approval: Approval }) {
  if (proposal.state !== "approved") return null;
  const { isDone, text, missing } = applying(atWork);
  return missing === null ? (
    <Text size="sm" fw={600} {...(!isDone && { c: "red" })}>
      {text}
    </Text>
  ) : (
    <Nobody missing={missing} title={text} />
  );
}
