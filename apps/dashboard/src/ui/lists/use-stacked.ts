import { useMediaQuery } from "@mantine/hooks";
import { type RefObject, useLayoutEffect, useRef, useState } from "react";

type Stacked = {
  /** Around the table: as wide as what it may take. */
  room: RefObject<HTMLDivElement | null>;
  table: RefObject<HTMLTableElement | null>;
  isStacked: boolean;
};

/**
 * Whether the rows of a table stand below each other as a list: on a phone, and wherever the table is wider than its room, as beside the
 * navigation of a tablet. It is measured before it is painted.
 */
export function useStacked(): Stacked {
  const isPhone = useMediaQuery("(max-width: 48em)", undefined, { getInitialValueInEffect: false });
  const [isTooWide, setTooWide] = useState(false);
  const [room, table] = [useRef<HTMLDivElement>(null), useRef<HTMLTableElement>(null)];
  /** How wide the table was when it was too wide: a list does not show that. */
  const needed = useRef(0);
  // After each drawing, because what the cells say decides as much as the window.
  useLayoutEffect(() => {
    const around = room.current;
    if (around === null || isPhone) return;
    const measure = (): void => {
      if (!isTooWide) needed.current = table.current?.scrollWidth ?? 0;
      setTooWide(needed.current > around.clientWidth);
    };
    measure();
    const observer = new ResizeObserver(measure);
    observer.observe(around);
    // A cell draws itself when the name of its user arrives: the table grows then, often without a change of its room.
    if (table.current !== null) observer.observe(table.current);
    return () => observer.disconnect();
  });
  return { room, table, isStacked: isPhone || isTooWide };
}
