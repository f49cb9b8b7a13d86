import { type FocusEvent, useState } from "react";

/**
 * The fields of a form that a person has been in, by names. What is still empty is a fault only there: a person is not wrong about a
 * field that they have not come to.
 * @param form names the form: in another one, all is forgotten
 * @param nameOf the name of the field that an element is a part of
 */
export function useVisited(form: string, nameOf: (element: HTMLElement) => string | null | undefined) {
  const [known, setKnown] = useState<{ form: string; names: readonly string[] }>({ form, names: [] });
  const visited = known.form === form ? known.names : [];
  const [current, setCurrent] = useState<string | null>(null);
  return {
    visited,
    /** The field that a person is in; null outside of all. */
    current,
    come({ target }: FocusEvent<HTMLElement>): void {
      setCurrent(nameOf(target) ?? null);
    },
    leave({ target }: FocusEvent<HTMLElement>): void {
      const name = nameOf(target) ?? null;
      setCurrent(null);
      if (name !== null && !visited.includes(name)) setKnown({ form, names: [...visited, name] });
    },
  };
}
