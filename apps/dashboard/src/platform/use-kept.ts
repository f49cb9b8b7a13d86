import { useState } from "react";
import { keep, readKept } from "./kept.ts";
import { newRequestKey } from "./request-key.ts";

/**
 * What a person writes in a form: this tab keeps it over a reload until it is saved or given up. `requestKey` is of one content, so that
 * a second press after a lost answer has no second effect.
 * @param key names the form and what it is about
 */
export function useKept<Value>(key: string, initial: () => Value) {
  const [value, setValue] = useState(() => readKept<Value>(key) ?? initial());
  const [isSaved, setSaved] = useState(false);
  const [requestKey, setRequestKey] = useState(newRequestKey);
  return {
    value,
    requestKey,
    /** Whether something was written that is not saved. */
    isUnsaved: (): boolean => !isSaved && readKept(key) !== null,
    change(next: Value): void {
      setValue(next);
      setRequestKey(newRequestKey());
      keep(key, next);
    },
    startOver(next: Value): void {
      setValue(next);
      setRequestKey(newRequestKey());
      keep(key, null);
    },
    /** The server has it: nothing is kept any more. */
    saved(): void {
      setSaved(true);
      keep(key, null);
    },
  };
}
