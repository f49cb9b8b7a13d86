import { Alert, Button, Group, Progress, Stack, Text } from "@mantine/core";
import { useQueryClient } from "@tanstack/react-query";
import { useEffect, useState } from "react";
import { sizeOf } from "../../../platform/sizes.ts";
import { timeOf } from "../../../platform/times.ts";
import { Problem } from "../../../ui/problem.tsx";
import { Section } from "../../../ui/section.tsx";
import { type FileLook, type ImportFile, stageOf } from "../rules.ts";
import type { StepProps } from "../steps.ts";
import { otherFile } from "../upload-parts.pure.ts";
import { beginUpload, type FileUpload, isOtherFile, resumeUpload, useUpload } from "../uploads.ts";
import { words } from "../words.ts";
import { DropZone } from "./drop-zone.tsx";

type OfFile = { scope: string; file: ImportFile };

/** The file once more, for an upload that this window knows nothing of. */
function ChooseAgain({ scope, file }: OfFile) {
  const [other, setOther] = useState<"name" | "size" | null>(null);
  const choose = (chosen: File): void => {
    const why = otherFile(chosen, file);
    setOther(why);
    if (why === null) beginUpload({ scope, id: file.id, file: chosen, parts: file.parts });
  };
  return (
    <Stack gap="xs">
      <DropZone scope={scope} label={words.chooseAgain(file.name)} choose={choose} />
      {other !== null && (
        <Text size="sm" c="var(--mantine-color-error)" role="alert">
          {words.otherFile[other](file.name)}
        </Text>
      )}
    </Stack>
  );
}

function UploadProgress({ upload: { sent, bytes } }: { upload: FileUpload }) {
  return (
    <Stack gap="xs">
      <Text role="status">{words.uploading(sizeOf(sent), sizeOf(bytes))}</Text>
      <Progress value={(100 * sent) / bytes} aria-label={words.uploadBar} />
      <Text size="sm" c="dimmed">
        {words.uploadGoesOn}
      </Text>
    </Stack>
  );
}

/** An upload that this window has begun, until all of it is there. */
function OwnUpload({ scope, file, upload }: OfFile & { upload: FileUpload }) {
  const { state, error } = upload;
  if (state === "cut")
    return (
      <Alert color="yellow" title={words.uploadCut} role="alert">
        <Group justify="space-between">
          <Text size="sm">{words.uploadCutAbout}</Text>
          <Button size="xs" onClick={() => resumeUpload(file.id)}>
            {words.uploadGoOn}
          </Button>
        </Group>
      </Alert>
    );
  if (state === "refused")
    return (
      <Stack gap="xs">
        {isOtherFile(error) ? (
          <Alert color="red" title={words.uploadRefused} role="alert">
            {words.otherFile.parts(file.name)}
          </Alert>
        ) : (
          <Problem error={error} />
        )}
        <ChooseAgain scope={scope} file={file} />
      </Stack>
    );
  return <UploadProgress upload={upload} />;
}

/** Reads the file anew as soon as its last part has arrived. */
function useArrived(scope: string, upload: FileUpload | null): void {
  const queries = useQueryClient();
  const isDone = upload?.state === "done";
  useEffect(() => {
    if (isDone) void queries.invalidateQueries({ queryKey: [scope, "getImport"] });
  }, [isDone, queries, scope]);
}

/** What kind of file it is, in a line. */
function formatLine({ bytes }: ImportFile, look: FileLook | undefined): string {
  if (look === undefined) return sizeOf(bytes);
  const { format, delimiter, isGzip, columns } = look;
  const between = delimiter === null ? undefined : words.delimiters[delimiter];
  return [
    sizeOf(bytes),
    words.formats[format],
    ...(between === undefined ? [] : [between]),
    ...(isGzip ? [words.packed] : []),
    words.columns(columns.length),
  ].join(", ");
}

/** The first step: the file, and how much of it is there. */
export function FileStep({ scope, file, look, place }: StepProps) {
  const upload = useUpload(file.id);
  useArrived(scope, upload);
  const isUploading = stageOf(file) === "uploading";
  return (
    <Section
      title={words.step(place, words.theFile)}
      about={words.begunBy(words.kinds[file.kind], file.by, timeOf(file.createdAt))}
    >
      {!isUploading && <Text>{formatLine(file, look.data)}</Text>}
      {isUploading && upload !== null && <OwnUpload scope={scope} file={file} upload={upload} />}
      {isUploading && upload === null && (
        <>
          <Alert color="yellow" title={words.uploadPartly}>
            {file.parts.length === 0 ? words.uploadNone : words.uploadPartlyAbout(file.parts.length)}
          </Alert>
          <ChooseAgain scope={scope} file={file} />
        </>
      )}
    </Section>
  );
}
