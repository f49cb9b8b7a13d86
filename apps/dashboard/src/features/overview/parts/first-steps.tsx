import { Stack, Text } from "@mantine/core";
import { Copied } from "../../../ui/texts/copied.tsx";
import { words } from "../words.ts";
import { snippetOf } from "./snippet.ts";

/** The lines for pages, folded away: a person who has them already may want them for another page. */
export const FirstSteps = ({ projectKey }: { projectKey: string | null }) => (
  <details>
    <summary>{words.begin}</summary>
    <Stack gap="xs">
      <Text c="dimmed">{projectKey === null ? words.noKey : words.beginAbout}</Text>
      {projectKey !== null && <Copied text={snippetOf(projectKey)} label={words.snippet} />}
    </Stack>
  </details>
);
