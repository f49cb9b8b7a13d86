import { Radio, SimpleGrid, Text } from "@mantine/core";
import { useNavigate } from "@tanstack/react-router";
import { beginningOf } from "@tidings/client/text";
import { useState } from "react";
import { useAddress } from "../../../platform/address.ts";
import { isRefused } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { newRequestKey } from "../../../platform/request-key.ts";
import { sizeOf } from "../../../platform/sizes.ts";
import { Problem } from "../../../ui/problem.tsx";
import { Section } from "../../../ui/section.tsx";
import { IMPORT_KINDS, kindIn, stageOf } from "../rules.ts";
import { beginUpload, digestOfFile } from "../uploads.ts";
import { words } from "../words.ts";
import { DropZone } from "./drop-zone.tsx";

const MOST_NAME = 200;

/** What a file is about, which the address says. */
function KindChoice() {
  const [address, change] = useAddress();
  return (
    <Radio.Group
      label={words.kind}
      value={kindIn(address)}
      onChange={(kind) => change({ kind: kind === "users" ? "" : kind }, false)}
    >
      <SimpleGrid cols={{ base: 1, md: 3 }} mt="xs">
        {IMPORT_KINDS.map((kind) => (
          <Radio key={kind} value={kind} label={words.kinds[kind]} description={words.kindsAbout[kind]} />
        ))}
      </SimpleGrid>
    </Radio.Group>
  );
}

/** Begins to bring in a file: it is uploaded while its page opens. */
function useBegin(scope: string) {
  const [address] = useAddress();
  const navigate = useNavigate();
  const [isReading, setReading] = useState(false);
  const [unfit, setUnfit] = useState<string | null>(null);
  const creating = useChange(scope, "createImport", ["listImports"]);
  const begin = async (file: File): Promise<void> => {
    const name = beginningOf(file.name, MOST_NAME);
    const sha256 = await digestOfFile(file);
    const { import: made } = await creating.mutateAsync({
      body: { kind: kindIn(address), name, bytes: file.size, ...(sha256 !== null && { sha256 }) },
      headers: { "Idempotency-Key": newRequestKey() },
    });
    if (stageOf(made) === "uploading") beginUpload({ scope, id: made.id, file, parts: made.parts });
    await navigate({ to: `/p/${scope}/import/${made.id}` });
  };
  return {
    creating,
    isReading,
    unfit,
    async choose(file: File): Promise<void> {
      creating.reset();
      setUnfit(file.size === 0 ? words.isEmpty(file.name) : null);
      if (file.size === 0) return;
      setReading(true);
      await begin(file).catch((error: unknown) => {
        if (isRefused(error, 413)) setUnfit(words.tooLarge(sizeOf(file.size)));
        else if (error instanceof DOMException) setUnfit(words.unreadable(file.name));
      });
      setReading(false);
    },
  };
}

/** Where a person begins: what the file is about, and the file. */
export function NewFile({ scope }: { scope: string }) {
  const { creating, isReading, unfit, choose } = useBegin(scope);
  return (
    <Section isFramed title={words.newFile} about={words.newFileAbout}>
      <KindChoice />
      <DropZone scope={scope} label={words.choose} isBusy={isReading} choose={(file) => void choose(file)} />
      {unfit !== null && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {unfit}
        </Text>
      )}
      {unfit === null && creating.error !== null && <Problem error={creating.error} />}
    </Section>
  );
}
