import { Button, Group, Stack, Textarea } from "@mantine/core";
import { useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { Rows } from "../../../ui/lists/rows.tsx";
import { UserName } from "../../../ui/user/user-name.tsx";
import { idsIn } from "../rules.ts";
import { words } from "../words.ts";
import { JOURNEY_STALE } from "./stale.ts";

type Props = { scope: string; journeyId: string; close: () => void };

/** Lets users in by their ids, and says of each what became of it. */
export function AddUsers({ scope, journeyId, close }: Props) {
  const [text, setText] = useState("");
  const adding = useChange(scope, "addJourneyEntries", JOURNEY_STALE);
  const userIds = idsIn(text);
  const results = adding.data?.results;
  return (
    <Dialog opened close={close} title={words.addTitle}>
      {results === undefined ? (
        <form
          onSubmit={(event) => {
            event.preventDefault();
            adding.mutate({ path: { id: journeyId }, body: { userIds } });
          }}
        >
          <Stack>
            <Textarea
              label={words.addIds}
              description={words.addAbout}
              data-autofocus
              autosize
              minRows={3}
              maxRows={12}
              value={text}
              onChange={({ currentTarget }) => setText(currentTarget.value)}
            />
            <DialogEnd change={adding} action={words.addNow} close={close} disabled={userIds.length === 0} />
          </Stack>
        </form>
      ) : (
        <Stack>
          <Rows
            heads={[words.user, words.result]}
            rows={results.map(({ userId, reason }) => ({
              id: userId,
              cells: [
                // A user whom the project does not know has no page.
                reason === "no_user" ? userId : <UserName key="user" scope={scope} userId={userId} />,
                reason === null ? words.isIn : words.barred[reason],
              ],
            }))}
          />
          <Group justify="flex-end">
            <Button data-autofocus onClick={close}>
              {words.close}
            </Button>
          </Group>
        </Stack>
      )}
    </Dialog>
  );
}
