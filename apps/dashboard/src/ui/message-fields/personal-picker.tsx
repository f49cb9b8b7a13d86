import { Button, Group, Paper, SimpleGrid, Stack, Text, TextInput } from "@mantine/core";
import { type FocusEvent, type KeyboardEvent, type ReactNode, useId, useRef, useState } from "react";
import { useOperation } from "../../platform/operations.ts";
import { Failed } from "../loaded.tsx";
import { PERSONAL_FIELDS, personalField } from "./personal-field.pure.ts";
import { words } from "./words.ts";

type TextField = HTMLInputElement | HTMLTextAreaElement;

const isPersonal = (field: EventTarget): field is TextField =>
  (field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement) &&
  PERSONAL_FIELDS.includes(field.name);

/** Writes at the cursor as the keyboard does, so that the form hears of it and the browser can undo it. */
function typeInto(field: TextField, text: string): void {
  field.focus();
  document.execCommand("insertText", false, text);
}

type Props = {
  scope: string;
  /** The fields of the message. */
  children: ReactNode;
};

/** The choice of a trait, and of what those read who have none. */
function Choice({
  scope,
  insert,
  close,
}: {
  scope: string;
  insert: (text: string) => void;
  close: () => void;
}) {
  const id = useId();
  const [trait, setTrait] = useState("");
  const [fallback, setFallback] = useState("");
  const capabilities = useOperation(scope, "getAudienceCapabilities", {}, { refetchInterval: false });
  const known = capabilities.data?.capabilities.traits ?? [];
  const found = known.find(({ key }) => key === trait);
  const act = (): void => {
    if (trait !== "") insert(personalField(trait, fallback));
  };
  const hear = (event: KeyboardEvent): void => {
    if (event.key !== "Enter" && event.key !== "Escape") return;
    event.preventDefault();
    (event.key === "Enter" ? act : close)();
  };
  return (
    <Paper withBorder p="sm" role="group" aria-label={words.personalField} onKeyDown={hear}>
      <Stack gap="xs">
        <SimpleGrid cols={{ base: 1, xs: 2 }}>
          <TextInput
            label={words.trait}
            description={
              found === undefined ? words.traitAbout : words.traitOf(found.users, found.values?.[0])
            }
            list={`${id}-traits`}
            maxLength={128}
            autoFocus
            value={trait}
            onChange={({ currentTarget }) => setTrait(currentTarget.value)}
          />
          <datalist id={`${id}-traits`}>
            {known.map(({ key }) => (
              <option key={key} value={key} />
            ))}
          </datalist>
          <TextInput
            label={words.fallback}
            description={words.fallbackAbout}
            maxLength={200}
            value={fallback}
            onChange={({ currentTarget }) => setFallback(currentTarget.value)}
          />
        </SimpleGrid>
        <Failed query={capabilities} />
        <Group gap="xs">
          <Button size="xs" disabled={trait === ""} onClick={act}>
            {words.insert}
          </Button>
          <Button size="xs" variant="default" onClick={close}>
            {words.notNow}
          </Button>
          {trait !== "" && <Text size="sm">{personalField(trait, fallback)}</Text>}
        </Group>
      </Stack>
    </Paper>
  );
}

/** The texts of a message, with a button that writes a personal field where the cursor was last in one of them. */
export function PersonalTexts({ scope, children }: Props) {
  const [isOpen, setOpen] = useState(false);
  const last = useRef<TextField | null>(null);
  const all = useRef<HTMLDivElement>(null);
  const come = ({ target }: FocusEvent): void => {
    if (isPersonal(target)) last.current = target;
  };
  const target = (): TextField | null => {
    if (last.current?.isConnected) return last.current;
    return all.current?.querySelector<TextField>("[name=body]") ?? null;
  };
  const close = (): void => {
    setOpen(false);
    target()?.focus();
  };
  const insert = (text: string): void => {
    setOpen(false);
    const field = target();
    if (field !== null) typeInto(field, text);
  };
  return (
    <Stack gap="xs" ref={all} onFocus={come}>
      <Group>
        <Button size="compact-sm" variant="default" aria-expanded={isOpen} onClick={() => setOpen(!isOpen)}>
          {words.personalField}
        </Button>
      </Group>
      {isOpen && <Choice scope={scope} insert={insert} close={close} />}
      {children}
    </Stack>
  );
}
