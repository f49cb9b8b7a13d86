import { Stack, Text } from "@mantine/core";
import { useState } from "react";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { Page } from "../../ui/page.tsx";
import { timesOf } from "../../ui/texts/times-of.ts";
import { Views } from "../../ui/views.tsx";
import { Announcements } from "./parts/announcements.tsx";
import { Deployments } from "./parts/deployments.tsx";
import { LaunchPolicy } from "./parts/policy.tsx";
import { Repositories } from "./parts/repositories.tsx";
import { ConnectForm } from "./parts/source-form.tsx";
import { words } from "./words.ts";

export function SourcesPage({ scope }: { scope: string }) {
  const [isConnecting, setConnecting] = useState(false);
  const { views } = words;
  return (
    <Page
      about={words.about}
      actions={
        <RoleButton scope={scope} needs={"owner" as const} onClick={() => setConnecting(true)}>
          {words.connect}
        </RoleButton>
      }
    >
      <LaunchPolicy scope={scope} />
      <Stack>
        <Views
          label={words.sections}
          views={[
            {
              name: "repositories",
              label: views.repositories,
              content: <Repositories scope={scope} connect={() => setConnecting(true)} />,
            },
            {
              name: "announcements",
              label: views.announcements,
              content: <Announcements scope={scope} />,
            },
            { name: "deployments", label: views.deployments, content: <Deployments scope={scope} /> },
          ]}
        />
        <Text size="sm" c="dimmed">
          {timesOf()}
        </Text>
      </Stack>
      {isConnecting && <ConnectForm scope={scope} close={() => setConnecting(false)} />}
    </Page>
  );
}
