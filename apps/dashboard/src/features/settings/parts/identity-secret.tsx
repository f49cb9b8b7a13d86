import { Button, Group, SimpleGrid, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Grace, USUAL_GRACE } from "../../../ui/dialogs/grace.tsx";
import { SaveButton } from "../../../ui/form/save-button.tsx";
import { Problem } from "../../../ui/problem.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import type { ListedSettings } from "../rules.ts";
import { words as all } from "../words.ts";

const { secret: words } = all;
const HASH_LINE =
  'require("node:crypto").createHmac("sha256", process.env.TIDINGS_IDENTITY_SECRET).update(userId).digest("hex")';

const validityOf = (present: NonNullable<ListedSettings["identitySecret"]>): string =>
  [
    words.there(timeOf(present.createdAt)),
    ...(present.formerUntil === null ? [] : [words.former(timeOf(present.formerUntil))]),
  ].join(" ");

/** The secret itself, which only this dialog shows. */
function Shown({ secret, close }: { secret: string; close: () => void }) {
  return (
    <Dialog opened close={close} title={words.title}>
      <Stack>
        <Text>{words.shown}</Text>
        <Copied text={secret} label={words.label} />
        <Text size="sm">{words.line}</Text>
        <Copied text={HASH_LINE} label={words.line} />
        <Button onClick={close}>{words.close}</Button>
      </Stack>
    </Dialog>
  );
}

type Asking = {
  /** For how many minutes the former one stays valid. */
  grace: number;
  setGrace: (grace: number) => void;
  close: () => void;
  replace: () => void;
};

function Replacing({ grace, setGrace, close, replace }: Asking) {
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    replace();
  };
  return (
    <Dialog opened close={close} title={words.replaceTitle}>
      <form onSubmit={submit}>
        <Stack>
          <Text>{words.replaceAbout}</Text>
          <Grace label={words.grace} minutes={grace} choose={setGrace} />
          <Group justify="flex-end">
            <Button variant="default" data-autofocus onClick={close}>
              {words.cancel}
            </Button>
            <SaveButton type="submit">{words.replaceNow}</SaveButton>
          </Group>
        </Stack>
      </form>
    </Dialog>
  );
}

type Props = { scope: string; present: ListedSettings["identitySecret"] };

/** The secret that user hashes are made with: when it was made, and the ways to see and to replace it. */
export function IdentitySecret({ scope, present }: Props) {
  const [isAsking, setAsking] = useState(false);
  const [grace, setGrace] = useState(USUAL_GRACE);
  const { headers, renew } = useRequestKey();
  const showing = useChange(scope, "showIdentitySecret", [
    "listPeopleSettings",
    "listSettingLog",
    "listAuditEntries",
  ]);
  // To show it again has no effect, so it needs no key.
  const show = (): void => showing.mutate({ body: { rotate: false } });
  const replace = (): void => {
    setAsking(false);
    showing.mutate({ body: { rotate: true, graceMinutes: grace }, headers }, { onSuccess: renew });
  };
  return (
    <SimpleGrid cols={{ base: 1, md: 2 }} spacing="lg" verticalSpacing="xs">
      <div>
        <Text fw={600}>{words.title}</Text>
        <Text size="sm">{words.about}</Text>
      </div>
      <Stack gap="xs">
        <Text size="sm">{present === null ? words.none : validityOf(present)}</Text>
        {showing.error !== null && <Problem error={showing.error} />}
        <Group gap="xs">
          <Button variant="default" loading={showing.isPending} onClick={show}>
            {present === null ? words.make : words.show}
          </Button>
          {present !== null && (
            <Button variant="default" onClick={() => setAsking(true)}>
              {words.replace}
            </Button>
          )}
        </Group>
      </Stack>
      {isAsking && (
        <Replacing
          grace={grace}
          replace={replace}
          setGrace={(chosen) => {
            setGrace(chosen);
            renew();
          }}
          close={() => setAsking(false)}
        />
      )}
      {showing.data !== undefined && <Shown secret={showing.data.secret} close={showing.reset} />}
    </SimpleGrid>
  );
}
