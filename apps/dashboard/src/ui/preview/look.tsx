import { Checkbox, Group, useComputedColorScheme } from "@mantine/core";
import { useState } from "react";
import { words } from "./words.ts";

/** How messages are looked at: the width of the window, CSS pixels, and its colours. */
export type Look = { width: number; scheme: "light" | "dark" };

const WIDTHS = { phone: 390, desktop: 960 };

type Choice = {
  look: Look;
  isPhone: boolean;
  isDark: boolean;
  setPhone: (isPhone: boolean) => void;
  setDark: (isDark: boolean) => void;
};

/** The look that a person has chosen; at first a phone's where the page is on one, in the colours of the dashboard. */
export function useLook(startsOnPhone = false): Choice {
  const [isPhone, setPhone] = useState(() => startsOnPhone || window.innerWidth < WIDTHS.phone * 2);
  const own = useComputedColorScheme("light", { getInitialValueInEffect: false });
  const [isDark, setDark] = useState(own === "dark");
  const look: Look = {
    width: isPhone ? WIDTHS.phone : WIDTHS.desktop,
    scheme: isDark ? "dark" : "light",
  };
  return { look, isPhone, isDark, setPhone, setDark };
}

/** Lets a person choose how messages are looked at. */
export const LookChoice = ({ isPhone, isDark, setPhone, setDark }: Choice) => (
  <Group role="group" aria-label={words.look}>
    <Checkbox
      label={words.phone}
      checked={isPhone}
      onChange={({ currentTarget }) => setPhone(currentTarget.checked)}
    />
    <Checkbox
      label={words.dark}
      checked={isDark}
      onChange={({ currentTarget }) => setDark(currentTarget.checked)}
    />
  </Group>
);
