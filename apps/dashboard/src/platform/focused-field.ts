import { useEffect, useEffectEvent } from "react";
import { useAddress } from "./address.ts";

type Field = HTMLInputElement | HTMLTextAreaElement;

const MODAL = "[role=dialog][aria-modal=true]";

/** The field that a person is in, with the place of the cursor, for the address of a page that has the same field. */
export function focusedField(): Readonly<Record<string, string>> {
  const field = document.activeElement;
  const isField = field instanceof HTMLInputElement || field instanceof HTMLTextAreaElement;
  if (!isField || field.name === "") return {};
  return { field: field.name, caret: String(field.selectionStart ?? "") };
}

/** Runs something once no dialog is open any more: one that closes gives the focus back to what has opened it. */
function withoutDialog(act: () => void): () => void {
  const watch = new MutationObserver(() => tryIt());
  function tryIt(): void {
    if (document.querySelector(MODAL) !== null) return;
    watch.disconnect();
    act();
  }
  watch.observe(document.body, { childList: true, subtree: true });
  tryIt();
  return () => watch.disconnect();
}

/**
 * Gives the focus to the field that the address names, once, with the cursor where it says.
 * @param nameIn the name that the form gives to a field of the address
 */
export function useFocusedField(nameIn: (field: string) => string): void {
  const [{ field = "", caret = "" }, go] = useAddress();
  const focus = useEffectEvent((): void => {
    const name = CSS.escape(nameIn(field));
    // What a list gives to a form is hidden: the field in which one types says by itself which one it is.
    const found = document.querySelector<Field>(
      `[name="${name}"]:not([type=hidden]), [data-field="${name}"]`,
    );
    found?.focus();
    if (caret !== "") found?.setSelectionRange(Number(caret), Number(caret));
    go({ field: "", caret: "" }, false);
  });
  useEffect(() => (field === "" ? undefined : withoutDialog(() => focus())), [field]);
}
