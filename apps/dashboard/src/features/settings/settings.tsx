import { ORGANIZATION } from "../../platform/client.ts";
import { useOperation } from "../../platform/operations.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Views } from "../../ui/views.tsx";
import { SettingsLog } from "./parts/settings-log.tsx";
import { Values } from "./parts/values.tsx";
import { words } from "./words.ts";

function AllValues({ scope }: { scope: string }) {
  const listed = useOperation(scope, "listPeopleSettings");
  return <Loaded query={listed}>{(found) => <Values scope={scope} listed={found} />}</Loaded>;
}

export function SettingsPage({ scope }: { scope: string }) {
  const { views } = words;
  return (
    <Page about={scope === ORGANIZATION ? words.aboutOrganization : words.about}>
      <Views
        label={words.sections}
        views={[
          { name: "values", label: views.values, content: <AllValues scope={scope} /> },
          { name: "log", label: views.log, content: <SettingsLog scope={scope} /> },
        ]}
      />
    </Page>
  );
}
