import { Button, Group, Stack, Text, TextInput } from "@mantine/core";
import type { Answer } from "@tidings/client";
import { type FormEvent, useState } from "react";
import { ORGANIZATION } from "../../../platform/client.ts";
import { useChange } from "../../../platform/operations.ts";
import { Dialog } from "../../../ui/dialogs/dialog.tsx";
import { DialogEnd } from "../../../ui/form/dialog-end.tsx";
import { Copied } from "../../../ui/texts/copied.tsx";
import { To } from "../../../ui/to.tsx";
import { words } from "../words.ts";

const KEYS = ["publishableKey", "secretKey", "agentKey"] as const;

/** The keys of a new project, for the only time, and the ways on. */
function Made({ made, close }: { made: Answer<"createProject">; close: () => void }) {
  const ways = [
    { path: "overview", label: words.nextOverview },
    { path: "people", label: words.nextPeople },
    { path: "email", search: { view: "sender" }, label: words.nextEmail },
  ];
  return (
    <Stack>
      <Text>{words.keysAbout}</Text>
      {KEYS.map((name) => (
        <div key={name}>
          <Text size="sm" fw={600}>
            {words.keys[name]}
          </Text>
          <Copied text={made[name]} label={words.keys[name]} />
        </div>
      ))}
      <div>
        <Text size="sm" fw={600}>
          {words.next}
        </Text>
        <Group gap="md">
          {ways.map(({ label, ...way }) => (
            <To key={way.path} scope={made.projectId} {...way}>
              {label}
            </To>
          ))}
        </Group>
      </div>
      <Button data-autofocus onClick={close}>
        {words.close}
      </Button>
    </Stack>
  );
}

/** Makes a project. */
export function NewProject() {
  const [isOpen, setOpen] = useState(false);
  const [name, setName] = useState("");
  const making = useChange(ORGANIZATION, "createProject", ["getMe", "listAuditEntries"]);
  const open = (): void => {
    making.reset();
    setName("");
    setOpen(true);
  };
  const close = (): void => setOpen(false);
  const submit = (event: FormEvent): void => {
    event.preventDefault();
    making.mutate({ body: { name } });
  };
  return (
    <>
      <Button onClick={open}>{words.newProject}</Button>
      <Dialog
        opened={isOpen}
        close={close}
        title={making.data === undefined ? words.newProject : words.ready(name.trim())}
      >
        {making.data === undefined ? (
          <form onSubmit={submit}>
            <Stack>
              <Text>{words.newAbout}</Text>
              <TextInput
                label={words.name}
                required
                maxLength={80}
                data-autofocus
                value={name}
                onChange={({ currentTarget }) => setName(currentTarget.value)}
              />
              <DialogEnd change={making} action={words.make} close={close} />
            </Stack>
          </form>
        ) : (
          <Made made={making.data} close={close} />
        )}
      </Dialog>
    </>
  );
}
