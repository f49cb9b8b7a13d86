import { useEffect, useEffectEvent, useState } from "react";
import { hasSingleKeys } from "../../platform/single-keys.ts";
import { commandOf } from "./keys.pure.ts";

/** How long "g" waits for its letter. */
const LED_MS = 1_500;

const FIELDS = "input, textarea, select, [contenteditable], [role=combobox], [role=listbox], [role=dialog]";

/** Whether keys belong to what has the focus, or to a dialog that is open. */
const isTaken = (target: EventTarget | null): boolean =>
  (target instanceof Element && target.closest(FIELDS) !== null) ||
  document.querySelector("[role=dialog]") !== null;

type Act = { show: (what: "palette" | "keys") => void; open: (path: string) => void };

/**
 * Listens to the keys of the whole page: the palette, "g" and a letter, "/" and "?".
 * @returns whether "g" was pressed and waits for its letter
 */
export function useKeys(act: Act): boolean {
  const [isLed, setLed] = useState(false);
  const hear = useEffectEvent((event: KeyboardEvent): void => {
    if (event.defaultPrevented || event.repeat || event.isComposing || event.key === "Shift") return;
    const { key, ctrlKey, metaKey, altKey } = event;
    const command = commandOf({
      key,
      ctrlKey,
      metaKey,
      altKey,
      isLed,
      isTaken: isTaken(event.target),
      areOn: hasSingleKeys(),
    });
    setLed(command === "lead");
    if (command === null || command === "lead") return;
    const search = document.querySelector<HTMLElement>("main input[type=search]");
    if (command === "search" && search === null) return;
    event.preventDefault();
    if (command === "search") search?.focus();
    else if (command === "palette" || command === "keys") act.show(command);
    else act.open(command.path);
  });
  useEffect(() => {
    const listen = (event: KeyboardEvent): void => hear(event);
    addEventListener("keydown", listen);
    return () => removeEventListener("keydown", listen);
  }, []);
  useEffect(() => {
    if (!isLed) return;
    const timer = setTimeout(() => setLed(false), LED_MS);
    return () => clearTimeout(timer);
  }, [isLed]);
  return isLed;
}
