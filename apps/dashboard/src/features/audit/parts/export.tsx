import { Button, Group, Radio, Stack, Text } from "@mantine/core";
import type { Input } from "@tidings/client";
import { useState } from "react";
import { useAddress } from "../../../platform/address.ts";
import { roleAt, useMe } from "../../../platform/me.ts";
import { useChange } from "../../../platform/operations.ts";
import { reaches } from "../../../platform/pages.ts";
import { saveFile } from "../../../platform/save-file.ts";
import { Dialog } from "../../../ui/dialog.tsx";
import { optionsOf } from "../../../ui/options.ts";
import { Problem } from "../../../ui/problem.tsx";
import { RoleButton } from "../../../ui/role-button.tsx";
import { words } from "../words.ts";

type Narrowed = Pick<NonNullable<Input<"exportAuditEntries">["query"]>, "personId" | "operations">;
type Format = keyof typeof words.formats;

const TYPES: Readonly<Record<Format, string>> = { csv: "text/csv", ndjson: "application/x-ndjson" };
const formats = optionsOf(words.formats);

/** Downloads what the filters leave. */
export function Export({ scope, narrowed }: { scope: string; narrowed: Narrowed }) {
  // The palette leads straight to it.
  const [{ export: wanted }, change] = useAddress();
  const [isAsking, setAsking] = useState(false);
  const isOwner = reaches(roleAt(useMe(), scope), "owner");
  const isOpen = isAsking || (isOwner && wanted === "1");
  const setOpen = (next: boolean): void => {
    setAsking(next);
    if (wanted === "1") change({ export: "" }, false);
  };
  const [format, setFormat] = useState<Format>("csv");
  const exporting = useChange(scope, "exportAuditEntries", []);
  const download = (): void =>
    exporting.mutate(
      { query: { ...narrowed, format } },
      {
        onSuccess(text) {
          const day = new Date().toISOString().slice(0, 10);
          saveFile(`audit-log-${day}.${format}`, text, TYPES[format]);
          setOpen(false);
        },
      },
    );
  return (
    <>
      <RoleButton scope={scope} needs="owner" variant="default" onClick={() => setOpen(true)}>
        {words.export}
      </RoleButton>
      <Dialog opened={isOpen} close={() => setOpen(false)} title={words.exportTitle}>
        <Stack>
          <Text>{words.exportAbout(Object.keys(narrowed).length > 0)}</Text>
          <Radio.Group
            label={words.format}
            value={format}
            onChange={(chosen) => setFormat(chosen === "ndjson" ? "ndjson" : "csv")}
          >
            <Stack gap="xs" mt="xs">
              {formats.map(({ value, label }) => (
                <Radio key={value} value={value} label={label} />
              ))}
            </Stack>
          </Radio.Group>
          {exporting.error !== null && <Problem error={exporting.error} />}
          <Group justify="flex-end">
            <Button variant="default" onClick={() => setOpen(false)}>
              {words.cancel}
            </Button>
            <Button data-autofocus loading={exporting.isPending} onClick={download}>
              {words.download}
            </Button>
          </Group>
        </Stack>
      </Dialog>
    </>
  );
}
