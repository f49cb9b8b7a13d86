import { Button, Group, Stack } from "@mantine/core";
import { useState } from "react";
import { useOperation } from "../../platform/operations.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Invitations } from "./parts/invitations.tsx";
import { InviteForm } from "./parts/invite-form.tsx";
import { PeopleTable } from "./parts/people-table.tsx";
import { words } from "./words.ts";

export function PeoplePage({ scope }: { scope: string }) {
  const people = useOperation(scope, "listPeople");
  const [isInviting, setInviting] = useState(false);
  const actions = (
    <Group>
      <Button onClick={() => setInviting(true)}>{words.invite}</Button>
    </Group>
  );
  return (
    <Page about={words.about} actions={actions}>
      <Loaded of={people}>
        {({ people: members, invitations }) => (
          <Stack gap="xl">
            <PeopleTable scope={scope} members={members} />
            {invitations.length > 0 && <Invitations scope={scope} invitations={invitations} />}
          </Stack>
        )}
      </Loaded>
      {isInviting && <InviteForm scope={scope} close={() => setInviting(false)} />}
    </Page>
  );
}
