import type { Page as Tab } from "playwright-core";

/** Something that a page says: a text, and what it is the value of, where it stands in a cell, a field or under a label. */
export type Shown = { label: string; text: string };

/** As one line, in which facts are written as well: "Breakfast box | Converted: 68". */
export const lineOf = ({ label, text }: Shown): string => (label === "" ? text : `${label}: ${text}`);

/**
 * Reads all that the open part of a page says, also in what is folded away, in fields, and in the names of charts. Cells stand behind the
 * name of their row and the head of their column, numbers that stand alone behind the last words before them. Numbers at the lines of
 * a chart are its scale, and left out, as are words that are struck through.
 */
export const shownIn = (tab: Tab): Promise<Shown[]> =>
  tab.evaluate(() => {
    for (const closed of document.querySelectorAll("main details")) closed.setAttribute("open", "");
    const main = document.querySelector("main") ?? document.body;
    const plain = (text: string): string => text.replace(/\s+/g, " ").trim();

    /** What lays text out on lines of its own. */
    const blockOf = (text: Node): Element => {
      let block = text.parentElement ?? main;
      while (block !== main && /^(inline|contents)/.test(getComputedStyle(block).display))
        block = block.parentElement ?? main;
      return block;
    };

    /** The texts below an element, each with what lays it out. */
    const blocksIn = (within: Element): [Element, string][] => {
      const blocks: [Element, string][] = [];
      const texts = document.createTreeWalker(within, NodeFilter.SHOW_TEXT);
      for (let text = texts.nextNode(); text !== null; text = texts.nextNode()) {
        const words = text.textContent ?? "";
        const isSeen =
          text.parentElement?.checkVisibility() &&
          text.parentElement.closest("svg, del, textarea, option") === null;
        if (!isSeen) continue;
        const block = blockOf(text);
        const last = blocks.at(-1);
        if (last?.[0] === block) last[1] += words;
        else blocks.push([block, words]);
      }
      return blocks
        .map(([block, words]): [Element, string] => [block, plain(words)])
        .filter(([, words]) => words !== "");
    };

    const textsIn = (within: Element | null | undefined): string[] =>
      within ? blocksIn(within).map(([, words]) => words) : [];

    /** The name of a row: the first words of its first cell, or all of them where others of the table begin with the same. */
    const namesIn = (rows: readonly Element[]): string[] => {
      const names = rows.map((row) => textsIn(row.firstElementChild));
      const times = Map.groupBy(names, ([first = ""]) => first);
      return names.map((name) =>
        (times.get(name[0] ?? "")?.length ?? 0) > 1 ? name.join(" / ") : (name[0] ?? ""),
      );
    };

    const cells = [...main.querySelectorAll("tbody")].flatMap((body) => {
      const rows = [...body.children];
      const names = namesIn(rows);
      return rows.flatMap((row, place) =>
        [...row.querySelectorAll(":scope > td[data-head]")].map((cell) => {
          const head = cell.getAttribute("data-head") ?? "";
          const label = row.firstElementChild === cell ? head : `${names[place]} | ${head}`;
          return { label, text: textsIn(cell).join(" / ") };
        }),
      );
    });

    const isNumberAlone = (text: string): boolean =>
      /^[-+−$]?\d[\d,.]*\s?%?(\s(of|→)\s\d[\d,.]*)?$/.test(text);
    const free: { label: string; text: string }[] = [];
    let words = "";
    for (const [block, text] of blocksIn(main)) {
      if (block.closest("td[data-head]") !== null) continue;
      const label = block.closest("pre, code")?.getAttribute("aria-label") ?? "";
      const last = free.at(-1);
      if (text === "→") continue;
      if (!isNumberAlone(text)) {
        words = text;
        free.push({ label, text });
      } else if (last?.label === words) last.text += ` ${text}`;
      else free.push({ label: words, text });
    }

    const charts = [...main.querySelectorAll("[role=img][aria-label]")].map((chart) => ({
      label: "",
      text: plain(chart.getAttribute("aria-label") ?? ""),
    }));

    type Field = HTMLInputElement | HTMLTextAreaElement | HTMLSelectElement;
    const fields = [...main.querySelectorAll<Field>("input, textarea, select")]
      .filter((field) => field.checkVisibility() && !["checkbox", "radio", "file"].includes(field.type))
      .map((field) => {
        const label = field.labels?.[0]?.textContent ?? field.getAttribute("aria-label") ?? "";
        return { label: `[${plain(label)}]`, text: plain(field.value) };
      });

    return [...cells, ...free, ...charts, ...fields];
  });
