import { useState } from "react";
import { RoleButton } from "../../ui/dialogs/role-button.tsx";
import { Page } from "../../ui/page.tsx";
import { Views } from "../../ui/views.tsx";
import { Consents } from "./parts/consents.tsx";
import { NewTopic } from "./parts/new-topic.tsx";
import { TopicList } from "./parts/topic-list.tsx";
import { words } from "./words.ts";

export function TopicsPage({ scope }: { scope: string }) {
  const [isMaking, setMaking] = useState(false);
  const add = (
    <RoleButton scope={scope} needs={"editor" as const} onClick={() => setMaking(true)}>
      {words.make}
    </RoleButton>
  );
  return (
    <Page about={words.about} actions={add}>
      <Views
        label={words.sections}
        views={[
          { name: "topics", label: words.views.topics, content: <TopicList scope={scope} /> },
          { name: "consents", label: words.views.consents, content: <Consents scope={scope} /> },
        ]}
      />
      {isMaking && <NewTopic scope={scope} close={() => setMaking(false)} />}
    </Page>
  );
}
