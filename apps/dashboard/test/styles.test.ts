import assert from "node:assert/strict";
import { existsSync, globSync, readFileSync } from "node:fs";
import { join } from "node:path";
import { it } from "node:test";

const SOURCES = new URL("../src/", import.meta.url).pathname;
const LIBRARY = new URL("../../../node_modules/@mantine/core/", import.meta.url).pathname;
const COMPONENTS = join(LIBRARY, "esm/components");
/** Parts that components share, some of which have styles, too. */
const SHARED = join(LIBRARY, "esm/utils");

const read = (...path: string[]): string => readFileSync(join(...path), "utf8");

/** What pages use of the library, and what those components are made of. */
function componentsInUse(): Set<string> {
  const names = globSync("**/*.{ts,tsx}", { cwd: SOURCES }).flatMap((file) =>
    [...read(SOURCES, file).matchAll(/import \{([^}]*)\} from "@mantine\/core"/g)].flatMap(([, list = ""]) =>
      list
        .split(",")
        .map((name) => name.trim())
        .filter((name) => name !== ""),
    ),
  );
  // The place for notifications comes from a package beside, and shows this one.
  const found = new Set([...names, "Notification"]);
  for (const name of found)
    for (const file of globSync(`${COMPONENTS}/${name}/**/*.mjs`))
      for (const [, part = ""] of read(file).matchAll(/from "(?:\.\.\/)+(?:utils\/)?([A-Z]\w*)\//g))
        if ([COMPONENTS, SHARED].some((folder) => existsSync(join(folder, part)))) found.add(part);
  return found;
}

it("every component that pages use has its style sheet, and no other is loaded", () => {
  const hasStyles = (name: string): boolean => existsSync(join(LIBRARY, `styles/${name}.css`));
  const listed = [...read(SOURCES, "ui/look/styles.ts").matchAll(/styles\/([A-Z]\w*)\.css/g)].map(
    ([, name = ""]) => name,
  );
  assert.deepEqual(listed.toSorted(), [...componentsInUse()].filter(hasStyles).toSorted());
  const all = read(LIBRARY, "styles.css");
  const placeOf = (name: string): number =>
    all.indexOf(read(LIBRARY, `styles/${name}.css`).match(/m_[0-9a-f]+/)?.[0] ?? "");
  assert.deepEqual(
    listed,
    listed.toSorted((one, other) => placeOf(one) - placeOf(other)),
    "in the order of the library",
  );
});
