import { Text } from "@mantine/core";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { Views } from "../../ui/views.tsx";
import { Connect } from "./parts/connect.tsx";
import { Incoming } from "./parts/incoming.tsx";
import { words } from "./words.ts";

export function ConnectionsPage({ scope }: { scope: string }) {
  const { views } = words;
  return (
    <Page about={words.about}>
      <Views
        label={words.sections}
        views={[
          { name: "incoming", label: views.incoming, content: <Incoming scope={scope} /> },
          { name: "connect", label: views.connect, content: <Connect scope={scope} /> },
        ]}
      />
      <Text size="sm" c="dimmed">
        {timesOf()}
      </Text>
    </Page>
  );
}
