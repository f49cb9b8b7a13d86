import { Anchor, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { useAddress, useNamed } from "../../platform/address.ts";
import { roleAt, useMe } from "../../platform/me.ts";
import { useOperation } from "../../platform/operations.ts";
import { reaches } from "../../platform/pages.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { BringingStep } from "./parts/bringing-step.tsx";
import { DeleteFile } from "./parts/delete-file.tsx";
import { FileStep } from "./parts/file-step.tsx";
import { FoundStep } from "./parts/found-step.tsx";
import { LeftStep } from "./parts/left-step.tsx";
import { usePlan } from "./plan.ts";
import { type ImportFile, type ImportPreset, lookAgainMs, stageOf } from "./rules.ts";
import { useUpload } from "./uploads.ts";
import { words } from "./words.ts";

type OfFile = { scope: string; file: ImportFile };

const isPreset = (tool: string): tool is ImportPreset => Object.hasOwn(words.tools, tool);

/** What the server finds in a file, once all of it is there; it reads the file for editors alone. */
function useLook(scope: string, file: ImportFile) {
  const [{ tool = "" }] = useAddress();
  const upload = useUpload(file.id);
  const isEditor = reaches(roleAt(useMe(), scope), "editor");
  const isThere = stageOf(file) === "ready" && (upload === null || upload.state === "done");
  return useOperation(
    scope,
    "lookAtImport",
    { path: { id: file.id }, body: isPreset(tool) ? { preset: tool } : {} },
    { enabled: isThere && isEditor, refetchInterval: false },
  );
}

/** All that leads from a file to what came of it, in the order in which a person does it. */
function FileSteps({ scope, file }: OfFile) {
  const look = useLook(scope, file);
  const planning = usePlan(file, look.data);
  const stage = stageOf(file);
  const step = { scope, file, look, planning };
  const hasLeft = file.kind !== "events";
  const places = stage === "over" ? [null, null, null, null] : [1, 2, 3, hasLeft ? 4 : 3];
  const [first = null, second = null, third = null, last = null] = places;
  const bringing = <BringingStep {...step} place={last} />;
  return (
    <Stack gap="xl">
      {stage === "over" && bringing}
      <FileStep {...step} place={first} />
      {stage !== "uploading" && <FoundStep {...step} place={second} />}
      {stage !== "uploading" && hasLeft && <LeftStep {...step} place={third} />}
      {stage !== "uploading" && stage !== "over" && bringing}
      <Text size="sm" c="dimmed">
        {timesOf()}
      </Text>
    </Stack>
  );
}

export function ImportPage({ scope }: { scope: string }) {
  const id = useNamed("importId");
  const found = useOperation(
    scope,
    "getImport",
    { path: { id } },
    { refetchInterval: ({ state: { data } }) => lookAgainMs(data === undefined ? [] : [data.import]) },
  );
  const file = found.data?.import;
  return (
    <Page
      {...(file !== undefined && { title: file.name })}
      actions={file && <DeleteFile key={file.id} scope={scope} file={file} />}
    >
      <Anchor component={Link} to={`/p/${scope}/import`} size="sm">
        {words.all}
      </Anchor>
      <Loaded query={found}>
        {(known) => <FileSteps key={known.import.id} scope={scope} file={known.import} />}
      </Loaded>
    </Page>
  );
}
