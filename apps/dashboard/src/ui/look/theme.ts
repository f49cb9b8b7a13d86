import { type CSSVariablesResolver, createTheme, type MantineColorsTuple } from "@mantine/core";
import { words } from "../words.ts";

/** The blue of the demo shop and the outbox, from light to dark. White on shade 6 has a contrast of 6. */
const tide: MantineColorsTuple = [
  "#eaf2ff",
  "#d3e2fa",
  "#a9c5f3",
  "#8ab4ff",
  "#6f9ff0",
  "#3f7ddb",
  "#1f5fbf",
  "#19509f",
  "#13407f",
  "#0d2f60",
];

/** What is wrong or cannot be taken back. White on shade 6 has a contrast of 5.9. */
const red: MantineColorsTuple = [
  "#fff5f5",
  "#ffe3e3",
  "#ffc9c9",
  "#ffa8a8",
  "#ff8787",
  "#e03131",
  "#c92a2a",
  "#b02525",
  "#961f1f",
  "#7d1a1a",
];

export const theme = createTheme({
  primaryColor: "tide",
  colors: { tide, red },
  primaryShade: 6,
  autoContrast: true,
  fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif',
  headings: { fontFamily: 'system-ui, -apple-system, "Segoe UI", Roboto, sans-serif', fontWeight: "650" },
  defaultRadius: "md",
  cursorType: "pointer",
  respectReducedMotion: true,
  components: {
    // The library writes titles in the colour of the ground, with too little contrast.
    Alert: { styles: { title: { color: "var(--mantine-color-text)" } } },
    // The library cuts the one word of a badge where a table is short of room.
    Badge: { styles: { root: { minWidth: "max-content" } } },
    // The library gives the button that closes a notice no name.
    Notification: { defaultProps: { closeButtonProps: { "aria-label": words.dismiss } } },
    // Fields beside each other begin at one height, whatever is written below them.
    InputWrapper: { defaultProps: { inputWrapperOrder: ["label", "input", "description", "error"] } },
  },
});

/** Colours with a contrast of 4.5 and more on their ground, which Mantine's own for side remarks, places and errors have not. */
export const cssVariables: CSSVariablesResolver = () => ({
  variables: {},
  light: {
    "--mantine-color-dimmed": "#5b626b",
    "--mantine-color-placeholder": "#6a717a",
    "--mantine-color-error": "#c92a2a",
  },
  dark: {
    "--mantine-color-dimmed": "#a9b0b8",
    "--mantine-color-placeholder": "#9aa1aa",
    "--mantine-color-error": "#ff8787",
  },
});
