/**
 * How a mail looks: inline styles, because many mail programs read nothing else, and a style sheet that replaces their colours
 * where the reader prefers dark. Each class of the sheet stands for one colour or pair of colours.
 */
const FONT = "-apple-system,BlinkMacSystemFont,'Segoe UI',Roboto,Helvetica,Arial,sans-serif";
const MONO = "ui-monospace,SFMono-Regular,Menlo,Consolas,monospace";

const LIGHT = {
  page: "#f2f4f7",
  card: "#ffffff",
  text: "#1d2433",
  muted: "#566073",
  link: "#1a56db",
  button: "#1a56db",
  onButton: "#ffffff",
  panel: "#f2f4f7",
  line: "#d5dae3",
};

const DARK: typeof LIGHT = {
  page: "#0d1016",
  card: "#181c24",
  text: "#e8ebf1",
  muted: "#a4adbd",
  link: "#8fb6ff",
  button: "#8fb6ff",
  onButton: "#0c1730",
  panel: "#242a35",
  line: "#3a4250",
};

const HEADINGS: Readonly<Record<number, string>> = {
  1: "font-size:28px;line-height:34px;font-weight:700",
  2: "font-size:22px;line-height:28px;font-weight:700",
  3: "font-size:18px;line-height:26px;font-weight:600",
};

/** Styles by what they are for; `start` is the side where lines begin. */
export const STYLE = {
  page: `margin:0;padding:0;width:100%;background-color:${LIGHT.page};-webkit-text-size-adjust:100%`,
  frame: `width:100%;background-color:${LIGHT.page}`,
  around: "padding:32px 12px",
  column: "width:100%;max-width:600px;margin:0 auto;table-layout:fixed",
  card:
    `padding:40px 44px;background-color:${LIGHT.card};border-radius:12px;color:${LIGHT.text};font-family:${FONT};` +
    "font-size:16px;line-height:26px;word-break:break-word;overflow-wrap:anywhere",
  footer:
    `padding:24px 20px 8px;color:${LIGHT.muted};font-family:${FONT};font-size:13px;line-height:20px;text-align:center;` +
    "word-break:break-word;overflow-wrap:anywhere",
  address: "margin:0",
  unsubscribe: "margin:8px 0 0",
  mutedLink: `color:${LIGHT.muted};text-decoration:underline`,
  link: `color:${LIGHT.link};text-decoration:underline`,
  paragraph: (gap: number) => `margin:0 0 ${gap}px`,
  heading: (depth: number, gap: number, isFirst: boolean) =>
    `margin:${isFirst ? 0 : 32 - 4 * Math.min(depth, 3)}px 0 ${Math.min(gap, 12)}px;${HEADINGS[depth] ?? "font-size:16px;line-height:24px;font-weight:600"}`,
  list: (top: number, gap: number, start: "left" | "right", indent: number) =>
    `margin:${top}px 0 ${gap}px;padding:0;padding-${start}:${indent}px`,
  item: (gap: number) => `margin:0 0 ${gap}px`,
  quote: (gap: number, start: "left" | "right") =>
    `margin:0 0 ${gap}px;padding:2px 0;padding-${start}:18px;border:0 solid ${LIGHT.line};border-${start}-width:3px;color:${LIGHT.muted}`,
  codeBlock: (gap: number) =>
    `margin:0 0 ${gap}px;padding:16px 18px;background-color:${LIGHT.panel};border-radius:8px;color:${LIGHT.text};` +
    `font-family:${MONO};font-size:14px;line-height:22px;white-space:pre-wrap`,
  code: `padding:2px 5px;background-color:${LIGHT.panel};border-radius:4px;color:${LIGHT.text};font-family:${MONO};font-size:14px`,
  rule: "margin:32px 0;height:0;border:0;font-size:0;line-height:0;" + `border-top:1px solid ${LIGHT.line}`,
  tableFrame: (gap: number) => `margin:0 0 ${gap}px;overflow-x:auto`,
  table: "width:100%;border-collapse:collapse;font-size:15px;line-height:22px",
  cellPadding: (left: number, right: number) => `padding:8px ${right}px 8px ${left}px`,
  header: `border-bottom:2px solid ${LIGHT.line};font-weight:600`,
  cell: `border-bottom:1px solid ${LIGHT.line};vertical-align:top`,
  image: "max-width:100%;height:auto;border:0;border-radius:8px;vertical-align:middle",
  picture: "display:block;max-width:100%;height:auto;border:0;border-radius:8px",
  buttonFrame: (gap: number) => `margin:${gap}px 0 0;border-collapse:separate`,
  buttonCell: `background-color:${LIGHT.button};border-radius:8px;text-align:center;mso-padding-alt:13px 26px`,
  button:
    `display:inline-block;padding:13px 26px;color:${LIGHT.onButton};font-family:${FONT};font-size:16px;line-height:22px;` +
    "font-weight:600;text-decoration:none;border-radius:8px",
  hidden:
    "display:none;max-height:0;max-width:0;overflow:hidden;opacity:0;font-size:1px;line-height:1px;mso-hide:all",
  pixel: "display:block;width:1px;height:1px;border:0",
} as const;

export const BUTTON_COLOR = LIGHT.button;
export const PAGE_COLOR = LIGHT.page;

const paint = (name: string, rules: Readonly<Record<string, string>>): string =>
  `.${name}{${Object.entries(rules)
    .map(([property, value]) => `${property}:${value}!important`)
    .join(";")}}`;

/** The classes: `page card text muted link button panel line`, each prefixed, since mail programs add pages of their own. */
export const STYLE_SHEET = [
  ":root{color-scheme:light dark;supported-color-schemes:light dark}",
  `@media (max-width:480px){${paint("t-around", { padding: "12px 8px" })}${paint("t-card", { padding: "28px 22px" })}}`,
  "@media (prefers-color-scheme:dark){",
  paint("t-page", { "background-color": DARK.page }),
  paint("t-card", { "background-color": DARK.card, color: DARK.text }),
  paint("t-muted", { color: DARK.muted }),
  paint("t-link", { color: DARK.link }),
  paint("t-button", { "background-color": DARK.button, color: DARK.onButton }),
  paint("t-panel", { "background-color": DARK.panel, color: DARK.text }),
  paint("t-line", { "border-color": DARK.line }),
  "}",
].join("\n");
