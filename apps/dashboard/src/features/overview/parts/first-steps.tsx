import { Stack, Text, Title } from "@mantine/core";
import { Copied } from "../../../ui/copied.tsx";
import { words } from "../words.ts";

/** The lines that a page needs, with the key of the project. */
const snippetOf = (key: string): string =>
  `<script async src="${location.origin}/tidings.js" data-key="${key}"></script>
<script>
  (window.tidings ??= []).push(["identify", "ada", { plan: "free" }]);
</script>`;

const Lines = ({ projectKey }: { projectKey: string | null }) => (
  <Stack gap="xs">
    <Text c="dimmed">{projectKey === null ? words.noKey : words.beginAbout}</Text>
    {projectKey !== null && <Copied text={snippetOf(projectKey)} label={words.snippet} />}
  </Stack>
);

/** How a project begins: open while nothing has happened in it, then folded away. */
export function FirstSteps({ projectKey, isNew }: { projectKey: string | null; isNew: boolean }) {
  if (isNew)
    return (
      <Stack component="section" gap="xs">
        <Title order={2} size="h4">
          {words.begin}
        </Title>
        <Lines projectKey={projectKey} />
      </Stack>
    );
  return (
    <details>
      <summary>{words.begin}</summary>
      <Lines projectKey={projectKey} />
    </details>
  );
}
