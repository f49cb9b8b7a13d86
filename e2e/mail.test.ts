import assert from "node:assert/strict";
import { describe, it } from "node:test";
import type { Page } from "playwright-core";
import { mailOf, TRACKED } from "../apps/server/test/compiled-mail.ts";
import { testBrowser } from "./browser.ts";

const browser = testBrowser();

const LONG = "Donaudampfschifffahrtsgesellschaft".repeat(6);
const RICH = `# Hello {{ user.name }}, ${LONG}

Some *text* with \`code ${LONG}\`, and [a link](https://a.example) to https://a.example/${LONG}.

![A wide picture](https://a.example/wide.svg)

Beside text ![another](https://a.example/wide.svg) more.

## List

1. one
   - two ${LONG}
     - three
- [x] four

> A quote ${LONG}
>
> > in a quote

| A | B | C | D | E | F | G | H |
|---|---|---|---|---|---|---|---|
| first | second | third | fourth | fifth | sixth | seventh | ${LONG} |

\`\`\`
const code = "${LONG} that does not end";
\`\`\`

---

<b>raw</b>`;

const ARABIC = `# مرحبا {{ user.name }}\n\nنشكرك على التسجيل. [اقرأ المزيد](https://a.example)\n\n- واحد\n- اثنان\n\n> اقتباس`;

const WIDE = `<svg xmlns="http://www.w3.org/2000/svg" width="1600" height="400"><rect width="1600" height="400" fill="#8af"/></svg>`;

type Seen = { text: string; ratio: number };

/** Every element with text of its own: what it says, and how its colour stands out from what is behind it (WCAG 2.2, 1.4.3). */
const contrasts = (page: Page): Promise<Seen[]> =>
  page.evaluate(() => {
    const channels = (color: string): number[] => (color.match(/[\d.]+/g) ?? []).map(Number);
    const luminance = (color: string): number => {
      const [red = 0, green = 0, blue = 0] = channels(color).map((channel) => {
        const part = channel / 255;
        return part <= 0.04045 ? part / 12.92 : ((part + 0.055) / 1.055) ** 2.4;
      });
      return 0.2126 * red + 0.7152 * green + 0.0722 * blue;
    };
    const behind = (element: Element | null): string => {
      for (let at = element; at !== null; at = at.parentElement) {
        const color = getComputedStyle(at).backgroundColor;
        if (channels(color)[3] !== 0) return color;
      }
      return "rgb(255, 255, 255)";
    };
    return [...document.body.querySelectorAll("*")]
      .filter((element) =>
        [...element.childNodes].some((node) => node.nodeType === 3 && node.textContent?.trim()),
      )
      .filter((element) => element.getClientRects().length > 0)
      .map((element) => {
        const [light = 0, dark = 0] = [getComputedStyle(element).color, behind(element)]
          .map(luminance)
          .sort((a, b) => b - a);
        const text = `${element.tagName} ${element.textContent?.trim().slice(0, 30)}`;
        return { text, ratio: (light + 0.05) / (dark + 0.05) };
      });
  });

async function open(body: string, colorScheme: "light" | "dark", width: number): Promise<Page> {
  const cta = { label: `See what is new ${LONG}`, url: "https://a.example" };
  const { htmlPart } = await mailOf({ body, cta, previewText: "What is new" }, { name: "Ada" }, TRACKED);
  const page = await browser().newPage({ colorScheme, viewport: { width, height: 800 } });
  await page.route("**/*", (route) => route.fulfill({ contentType: "image/svg+xml", body: WIDE }));
  await page.setContent(htmlPart, { waitUntil: "load" });
  return page;
}

describe("a mail in a browser", () => {
  for (const [name, body] of [
    ["rich", RICH],
    ["Arabic", ARABIC],
  ] as const) {
    for (const scheme of ["light", "dark"] as const) {
      it(`is readable when it is ${name}, in ${scheme}`, async () => {
        const page = await open(body, scheme, 1_000);
        const seen = await contrasts(page);
        assert.deepEqual(
          seen.filter(({ ratio }) => ratio < 4.5),
          [],
        );
        const tags = new Set(seen.map(({ text }) => text.split(" ", 1)[0]));
        for (const tag of ["H1", "P", "A", "LI"]) assert.ok(tags.has(tag), tag);
        const card = await page.locator(".t-card").evaluate((cell) => getComputedStyle(cell).backgroundColor);
        assert.equal(card, scheme === "dark" ? "rgb(24, 28, 36)" : "rgb(255, 255, 255)");
        await page.close();
      });
    }

    for (const width of [1_000, 360, 320]) {
      it(`fits ${width} px when it is ${name}`, async () => {
        const page = await open(body, "light", width);
        const { scroll, client, sizes } = await page.evaluate(() => ({
          scroll: document.documentElement.scrollWidth,
          client: document.documentElement.clientWidth,
          sizes: [
            ...document.querySelectorAll(".t-card, .t-card img, .t-card p, .t-card pre, a.t-button"),
          ].map((element) => element.getBoundingClientRect()),
        }));
        assert.equal(scroll, client);
        for (const { left, right } of sizes) {
          assert.ok(left >= 0 && right <= width, `${left} to ${right}`);
          assert.ok(right - left <= 600);
        }
        await page.close();
      });
    }
  }

  it("shows and reaches neither the trap nor the preview text", async () => {
    const page = await open("Hello", "light", 1_000);
    assert.equal(await page.locator('a[href$="/trap"]').isVisible(), false);
    assert.equal(await page.getByText("What is new", { exact: false }).first().isVisible(), false);
    const reached = new Set<string>();
    for (let presses = 0; presses < 6; presses++) {
      await page.keyboard.press("Tab");
      reached.add(await page.evaluate(() => document.activeElement?.getAttribute("href") ?? ""));
    }
    assert.deepEqual(
      [...reached].filter((href) => href !== "").map((href) => new URL(href).pathname.split("/").at(-1)),
      ["click", "unsubscribe"],
    );
    await page.close();
  });

  it("goes from right to left where its text does", async () => {
    const page = await open(ARABIC, "light", 1_000);
    const [heading, button, item] = await Promise.all(
      ["h1", "a.t-button", "li"].map((name) => page.locator(name).first().boundingBox()),
    );
    const card = await page.locator(".t-card").boundingBox();
    const end = (box: { x: number; width: number } | null | undefined): number =>
      (box?.x ?? 0) + (box?.width ?? 0);
    assert.equal(end(heading), end(card) - 44);
    assert.equal(end(button), end(card) - 44);
    assert.equal(end(item), end(card) - 44 - 26);
    await page.close();
  });
});
