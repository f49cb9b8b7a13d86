import { Page } from "../../ui/page.tsx";
import { CaughtOf } from "../../ui/reach/reach.tsx";
import { Views } from "../../ui/views.tsx";
import { Credentials } from "./parts/credentials.tsx";
import { Devices } from "./parts/devices.tsx";
import { StandingOf } from "./parts/standing.tsx";
import { words } from "./words.ts";

export function PushPage({ scope }: { scope: string }) {
  const { views } = words;
  return (
    <Page about={words.about}>
      <CaughtOf scope={scope} channels={["push"]} />
      <Views
        label={words.sections}
        views={[
          { name: "standing", label: views.standing, content: <StandingOf scope={scope} /> },
          { name: "devices", label: views.devices, content: <Devices scope={scope} /> },
          { name: "credentials", label: views.credentials, content: <Credentials scope={scope} /> },
        ]}
      />
    </Page>
  );
}
