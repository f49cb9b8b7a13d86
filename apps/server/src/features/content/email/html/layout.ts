import { directionOf, type TextDirection } from "../language.ts";
import type { Renderer } from "./renderer.ts";
import { BUTTON_COLOR, PAGE_COLOR, STYLE, STYLE_SHEET } from "./theme.ts";

/** What the page around the body needs; texts are escaped HTML with placeholders. */
export type Sheet = {
  language: string;
  direction: TextDirection;
  title: string;
  /** What a mail program shows beside the subject; empty for none. */
  preview: string;
  body: string;
  button: { label: string; url: string } | null;
  postalAddress: string;
  unsubscribes: boolean;
  /** Whether a link leads to the page where readers choose topics. */
  chooses: boolean;
  countsOpens: boolean;
  countsClicks: boolean;
};

/** Blanks behind the preview text, as many as a list of mails shows, so that the list does not show the body after it. */
const PREVIEW_PADDING = "&nbsp;&zwnj;".repeat(100);

const isolated = (html: string): string => `<div style="${STYLE.hidden}">${html}</div>\n`;

function button({ label, url }: { label: string; url: string }, hasBody: boolean): string {
  return `<table role="presentation" cellpadding="0" cellspacing="0" border="0" style="${STYLE.buttonFrame(hasBody ? 28 : 0)}"><tr>
<td class="t-button" bgcolor="${BUTTON_COLOR}" style="${STYLE.buttonCell}"><a class="t-button" dir="auto" href="${url}" style="${STYLE.button}">${label}</a></td>
</tr></table>
`;
}

function footer(sheet: Sheet, renderer: Renderer): string {
  const address = sheet.postalAddress.trim().replace(/\r\n?/g, "\n");
  const direction = directionOf(address) ?? "ltr";
  const link = (page: string, label: string): string =>
    `<a class="t-muted" href="${renderer.own(page)}" style="${STYLE.mutedLink}">${label}</a>`;
  const choose = sheet.chooses ? ` · ${link("preferences", "Choose what you get")}` : "";
  const links = `<p lang="en" dir="ltr" style="${STYLE.unsubscribe}">${link("unsubscribe", "Unsubscribe")}${choose}</p>\n`;
  return (
    (address === ""
      ? ""
      : `<p dir="${direction}" style="${STYLE.address}">${renderer.text(address).replaceAll("\n", "<br>\n")}</p>\n`) +
    (sheet.unsubscribes ? links : "")
  );
}

/** Addresses that only programs fetch: the image that counts an opening, and the honeypot, a link that no person can see or reach. */
function tracking({ countsOpens, countsClicks }: Sheet, renderer: Renderer): string {
  const honeypot = `<a href="${renderer.own("trap")}" aria-hidden="true" tabindex="-1" style="${STYLE.hidden}"></a>\n`;
  const pixel = `<img src="${renderer.own("open.gif")}" width="1" height="1" alt="" style="${STYLE.pixel}">\n`;
  return (countsOpens || countsClicks ? honeypot : "") + (countsOpens ? pixel : "");
}

/**
 * The HTML of a mail around its body: a card of 600 px at most in the middle of the page, the footer below. Tables, because
 * Outlook lays out nothing else; the comments are read by Outlook alone, which knows no max-width.
 */
export function layOut(sheet: Sheet, renderer: Renderer): string {
  const preview = sheet.preview === "" ? "" : isolated(sheet.preview + PREVIEW_PADDING);
  return `<!DOCTYPE html>
<html lang="${sheet.language}" dir="${sheet.direction}">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width,initial-scale=1">
<meta name="color-scheme" content="light dark">
<meta name="supported-color-schemes" content="light dark">
<meta name="format-detection" content="telephone=no,date=no,address=no,email=no">
<title>${sheet.title}</title>
<style>
${STYLE_SHEET}
</style>
</head>
<body class="t-page" style="${STYLE.page}">
${preview}<table role="presentation" class="t-page" dir="${sheet.direction}" width="100%" cellpadding="0" cellspacing="0" border="0" bgcolor="${PAGE_COLOR}" style="${STYLE.frame}"><tr><td class="t-around" style="${STYLE.around}">
<!--[if mso]><table role="presentation" align="center" width="600" cellpadding="0" cellspacing="0"><tr><td><![endif]-->
<table role="presentation" align="center" width="100%" cellpadding="0" cellspacing="0" border="0" style="${STYLE.column}">
<tr><td class="t-card" style="${STYLE.card}">
${sheet.body}${sheet.button === null ? "" : button(sheet.button, sheet.body !== "")}</td></tr>
<tr><td class="t-muted" style="${STYLE.footer}">
${footer(sheet, renderer)}</td></tr>
</table>
<!--[if mso]></td></tr></table><![endif]-->
</td></tr></table>
${tracking(sheet, renderer)}</body>
</html>
`;
}
