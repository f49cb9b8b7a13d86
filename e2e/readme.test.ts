import assert from "node:assert/strict";
import { execFile } from "node:child_process";
import { readFile } from "node:fs/promises";
import { it } from "node:test";
import { promisify } from "node:util";
import { sharedHouse } from "../apps/server/test/harness.ts";
import { testBrowser } from "./browser.ts";
import { pageWith, testSite } from "./site.ts";

const house = sharedHouse();
const browser = testBrowser();
const site = testSite();

it("the README's lines in a page and its one command show a message", async () => {
  const { publishableKey, secretKey } = await house.project();
  const readme = await readFile(new URL("../README.md", import.meta.url), "utf8");
  const section = readme.split("\n## ").find((part) => part.startsWith("In your page")) ?? "";
  const [lines = "", command = ""] = [...section.matchAll(/```(?:html|sh)\n([\s\S]*?)```/g)].map(
    ([, block = ""]) =>
      block
        .replaceAll("http://127.0.0.1:8080", house.url)
        .replaceAll("pk_pub_...", publishableKey)
        .replaceAll("pk_...", secretKey),
  );
  const { stdout } = await promisify(execFile)("bash", ["-euo", "pipefail", "-c", command]);
  assert.match(stdout, /"status":"running"/);
  site.serve({ "/": { html: pageWith(lines) } });
  const page = await browser().newPage();
  await page.goto(site.url);
  await page.getByText("It works").waitFor();
});
