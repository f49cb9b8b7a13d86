import { Text } from "@mantine/core";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { Views } from "../../ui/views.tsx";
import { EventNames } from "./parts/event-names.tsx";
import { Stream } from "./parts/stream.tsx";
import { words } from "./words.ts";

export function EventsPage({ scope }: { scope: string }) {
  const { views } = words;
  return (
    <Page about={words.about}>
      <Views
        label={words.sections}
        views={[
          { name: "stream", label: views.stream, content: <Stream scope={scope} /> },
          { name: "names", label: views.names, content: <EventNames scope={scope} /> },
        ]}
      />
      <Text size="sm" c="dimmed">
        {timesOf()}
      </Text>
    </Page>
  );
}
