import { Button, Stack, Text } from "@mantine/core";
import { type FormEvent, useState } from "react";
import { useChange } from "../../../platform/operations.ts";
import { timeOf } from "../../../platform/times.ts";
import { useRequestKey } from "../../../platform/use-request-key.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { Grace, USUAL_GRACE } from "../../../ui/dialogs/grace.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { type KeyKind, lineOf } from "../rules.ts";
import { words } from "../words.ts";

const MINUTE_MS = 60_000;

type MadeProps = { kind: KeyKind; made: string; formerUntil: number | null; close: () => void };

/** The new key, for the only time, with the line to use it. */
function Made({ kind, made, formerUntil, close }: MadeProps) {
  const { line } = words.kinds[kind];
  return (
    <Stack>
      <Text>{kind === "publishable" ? words.shownPublishable : words.shown}</Text>
      <Copied text={made} label={words.newKey} />
      {formerUntil !== null && (
        <Text size="sm">
          {formerUntil <= Date.now() ? words.formerEnded : words.formerUntil(timeOf(formerUntil))}
        </Text>
      )}
      <Text size="sm">{line}</Text>
      <Copied text={lineOf(kind, made, location.origin)} label={line} />
      <Button data-autofocus onClick={close}>
        {words.close}
      </Button>
    </Stack>
  );
}

type Props = {
  scope: string;
  kind: KeyKind;
  /** How many keys it takes the place of; null where it is a further one. */
  replaces: number | null;
  close: () => void;
};

const STALE = ["listKeys", "getMe", "listAuditEntries"] as const;

/** Makes a key, a further one or in the place of others, and shows it once. */
export function NewKeyDialog({ scope, kind, replaces, close }: Props) {
  const [grace, setGrace] = useState(USUAL_GRACE);
  const { headers } = useRequestKey();
  const making = useChange(scope, "createKey", STALE);
  const replacing = useChange(scope, "rotateKey", STALE);
  const { title } = words.kinds[kind];
  const made = making.data?.key ?? replacing.data?.key;
  const error = making.error ?? replacing.error;
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    if (replaces === null) making.mutate({ body: { kind }, headers });
    else replacing.mutate({ path: { kind }, body: { graceMinutes: grace }, headers });
  };
  return (
    <Dialog opened close={close} title={replaces === null ? words.makeOf(title) : words.replaceOf(title)}>
      {made !== undefined ? (
        <Made
          kind={kind}
          made={made}
          formerUntil={replaces === null ? null : replacing.submittedAt + grace * MINUTE_MS}
          close={close}
        />
      ) : (
        <form onSubmit={submit}>
          <Stack>
            <Text>{replaces === null ? words.makeAbout : words.replaceAbout(replaces)}</Text>
            {replaces !== null && <Grace label={words.grace} minutes={grace} choose={setGrace} />}
            <DialogEnd
              change={{ error, isPending: making.isPending || replacing.isPending }}
              action={replaces === null ? words.makeNow : words.replaceNow}
              close={close}
              hasFocus
            />
          </Stack>
        </form>
      )}
    </Dialog>
  );
}
