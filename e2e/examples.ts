import assert from "node:assert/strict";
import type { Locator, Page } from "playwright-core";

/** What a sentence of a page for people asks for: each of these is done, or waited for. */
const STEP =
  /Open \*\*(?<open>.+?)\*\*|[Pp]ress \*\*(?<press>.+?)\*\*|At \*\*(?<at>.+?)\*\*|[Ww]rite `(?<typed>[^`]+)` in \*\*(?<field>.+?)\*\*|Choose \*\*(?<option>.+?)\*\*(?: under \*\*(?<list>.+?)\*\*)?|You see (?:it filled with samples: )?\*\*(?<seen>.+?)\*\*/g;

/** The numbered lists of a page, by the headings over them, in their order. */
export function listsOf(text: string): Map<string, string[][]> {
  const lists = new Map<string, string[][]>();
  for (const section of text.split(/^## /m).slice(1)) {
    const [heading = "", ...lines] = section.split("\n");
    const found: string[][] = [];
    for (const line of lines) {
      const [, number, item] = /^(\d+)\. (.+)$/.exec(line) ?? [];
      if (item === undefined) continue;
      if (number === "1") found.push([]);
      found.at(-1)?.push(item);
    }
    lists.set(heading, found);
  }
  return lists;
}

const dialogOr = async (page: Page): Promise<Page | Locator> => {
  const dialog = page.getByRole("dialog");
  return (await dialog.count()) > 0 ? dialog : page;
};

/** The first of some places on a page that is there, and can be seen. */
async function firstOf(places: readonly Locator[], what: string): Promise<Locator> {
  const [first, ...others] = places;
  if (first === undefined) throw new Error(`There is no place for ${what}.`);
  const any = others.reduce((found, each) => found.or(each), first);
  await any.first().waitFor();
  for (const place of places) if ((await place.count()) > 0) return place.first();
  throw new Error(`${what} is gone again.`);
}

async function open(page: Page, name: string): Promise<void> {
  const exact = { name, exact: true };
  const places = [page.getByRole("link", exact), page.getByRole("tab", exact)];
  await (await firstOf(places, name)).click();
}

async function press(page: Page, name: string): Promise<void> {
  const where = await dialogOr(page);
  const exact = { name, exact: true };
  await (await firstOf([where.getByRole("button", exact), where.getByRole("link", exact)], name)).click();
}

async function choose(page: Page, option: string, list: string | undefined): Promise<void> {
  if (list === undefined) await page.getByRole("radio", { name: option, exact: true }).check();
  else await page.getByLabel(list, { exact: true }).selectOption({ label: option });
}

/** A part of a page by its heading. */
const partOf = (page: Page, name: string): Promise<Locator> => {
  const exact = { name, exact: true };
  return firstOf([page.getByRole("group", exact), page.getByRole("region", exact)], name);
};

/** Does what an item of a numbered list says. Every bold word in it is a control or a text of the page. */
export async function follow(page: Page, item: string): Promise<void> {
  assert.ok(!item.replaceAll(STEP, "").includes("**"), `Nothing is done with some bold words: ${item}`);
  let part: string | null = null;
  for (const { groups = {} } of item.matchAll(STEP)) {
    const { open: link, press: button, at, typed, field, option, list, seen } = groups;
    if (link !== undefined) await open(page, link);
    if (button !== undefined) await press(page, button);
    if (at !== undefined) part = at;
    if (typed !== undefined && field !== undefined) {
      const where = part === null ? page : await partOf(page, part);
      const exact = { name: field, exact: true };
      const places = [where.getByRole("textbox", exact), where.getByLabel(field, { exact: true })];
      await (await firstOf(places, field)).fill(typed);
    }
    if (option !== undefined) await choose(page, option, list);
    if (seen !== undefined) await page.getByText(seen, { exact: false }).first().waitFor();
  }
}
