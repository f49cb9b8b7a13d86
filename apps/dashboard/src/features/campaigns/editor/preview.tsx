import { Stack, Text } from "@mantine/core";
import type { ReactNode } from "react";
import { inWords } from "../../../platform/faults.ts";
import { AsUser } from "../../../ui/preview/as-user.tsx";
import { LookChoice, useLook } from "../../../ui/preview/look.tsx";
import { DrawnMessage } from "../../../ui/preview/message.tsx";
import { Remarks } from "../../../ui/preview/remarks.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { withoutFieldRemarks } from "./field-remarks.tsx";
import type { DrawnPreview } from "./use-preview.ts";
import { words } from "./words.ts";

type Props = DrawnPreview & {
  scope: string;
  userId: string;
  /** Whether a person has begun to write: before that it lies on nothing that there is no picture. */
  isBegun: boolean;
  choose: (userId: string) => void;
  /** What else fills it: the data of a template. */
  children?: ReactNode;
};

/** A message as a chosen user gets it: on a phone or a desktop, in the light or the dark. */
export function PreviewPane({
  scope,
  preview,
  fault,
  failure,
  isForUnknownUser,
  userId,
  isBegun,
  choose,
  children,
}: Props) {
  const choice = useLook();
  return (
    <Stack>
      <AsUser scope={scope} userId={userId} isForUnknownUser={isForUnknownUser} choose={choose} />
      {children}
      {preview?.channel !== "push" && <LookChoice {...choice} />}
      {failure !== null && <Problem {...failure} />}
      {preview === null && failure === null && (
        <Text c="dimmed" role="status">
          {isBegun && fault !== null ? inWords(fault) : words.nothingToShow}
        </Text>
      )}
      {preview !== null && <Remarks preview={withoutFieldRemarks(preview)} />}
      {preview !== null && fault !== null && !isForUnknownUser && (
        <Text size="sm" c="dimmed" role="status">
          {words.ofBefore}
        </Text>
      )}
      {preview !== null && (
        <div style={{ opacity: fault === null ? 1 : 0.6 }}>
          <DrawnMessage preview={preview} look={choice.look} />
        </div>
      )}
      <Text size="sm" c="dimmed">
        {preview?.channel === "push" ? words.pushAbout : words.previewAbout}
      </Text>
    </Stack>
  );
}
