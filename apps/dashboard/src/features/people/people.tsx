import { Button, Group, Stack } from "@mantine/core";
import { useAddress } from "../../platform/address.ts";
import { useOperation } from "../../platform/operations.ts";
import { zoneName } from "../../platform/times.ts";
import { Loaded } from "../../ui/loaded.tsx";
import { Page } from "../../ui/page.tsx";
import { Invitations } from "./parts/invitations.tsx";
import { InviteForm } from "./parts/invite-form.tsx";
import { PeopleTable } from "./parts/people-table.tsx";
import { words } from "./words.ts";

export function PeoplePage({ scope }: { scope: string }) {
  const people = useOperation(scope, "listPeople");
  // The address says whether the form is open, so that the palette can lead there.
  const [{ invite = "" }, change] = useAddress();
  const actions = (
    <Group>
      <Button onClick={() => change({ invite: "1" }, false)}>{words.invite}</Button>
    </Group>
  );
  return (
    <Page about={words.about(zoneName())} actions={actions}>
      <Loaded query={people}>
        {({ people: members, invitations }) => (
          <Stack gap="xl">
            <PeopleTable scope={scope} members={members} />
            {invitations.length > 0 && <Invitations scope={scope} invitations={invitations} />}
          </Stack>
        )}
      </Loaded>
      {invite !== "" && <InviteForm scope={scope} close={() => change({ invite: "" }, false)} />}
    </Page>
  );
}
