import assert from "node:assert/strict";
import { writeFileSync } from "node:fs";
import { join } from "node:path";
import { describe, it } from "node:test";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import {
  claimed,
  connected,
  dueOf,
  look,
  managedHouse,
  planFor,
  reconcile,
} from "../../../../test/source-work.ts";

const house = managedHouse();

describe("source work in windows", { skip: WITHOUT_GIT }, () => {
  it("cuts long histories into windows, each of which begins where the last one ended", async () => {
    const { repository, project } = await connected(house);
    repository.git("config", "core.looseCompression", "0");
    const shas = Array.from({ length: 230 }, (_, n) =>
      repository.git("commit", "--quiet", "--allow-empty", "-m", `Change ${n}`) === ""
        ? repository.tip()
        : "",
    );
    const first = await claimed(house, project);
    assert.deepEqual(
      first.changes.map(({ sha }) => sha),
      shas.slice(0, 200),
    );
    await reconcile(
      project,
      first,
      planFor(first, [{ op: "skip", shas: shas.slice(0, 200), reason: "Empty." }]),
    );
    const second = await claimed(house, project);
    assert.deepEqual([second.fromSha, second.changes.map(({ sha }) => sha)], [shas[199], shas.slice(200)]);
  });

  it("ends a window before it has 300 files, and shows 300 of a commit that has more", async () => {
    const { repository, project } = await connected(house);
    const commitMany = (name: string, count: number): string => {
      for (let n = 0; n < count; n++) writeFileSync(join(repository.folder, `${name}-${n}.txt`), `${n}\n`);
      repository.git("add", "-A");
      repository.git("commit", "--quiet", "-m", `Add ${name}`);
      return repository.tip();
    };
    const [a, b, c] = [commitMany("a", 200), commitMany("b", 200), commitMany("c", 310)];
    for (const [sha, files] of [
      [a, 200],
      [b, 200],
      [c, 300],
    ] as const) {
      const claim = await claimed(house, project);
      assert.deepEqual(
        [claim.changes.map((each) => each.sha), claim.toSha, claim.files.length],
        [[sha], sha, files],
      );
      await reconcile(project, claim, planFor(claim, [{ op: "skip", shas: [sha], reason: "Files." }]));
    }
    await look(house);
    assert.deepEqual(await dueOf(project), []);
  });

  it("shows patches of text of up to 256 KB, whatever files are called", async () => {
    const { repository, project } = await connected(house);
    repository.commit(
      {
        "large.txt": `${"x".repeat(99)}\n`.repeat(3_000),
        "binary.bin": "a\0b",
        "with space and ü and\ttab.txt": "fine\n",
        "diff.txt": "diff --git a/x b/x\n",
      },
      "Add files",
    );
    repository.git("rm", "-q", "README.md");
    repository.git("commit", "-q", "-m", "Remove the readme");
    const { files, repositoryContext } = await claimed(house, project);
    assert.deepEqual(
      files.map(({ path, patch }) => [path, patch === null ? null : patch.split("\n").at(-2)]),
      [
        ["README.md", "-Acme"],
        ["binary.bin", null],
        ["diff.txt", "+diff --git a/x b/x"],
        ["large.txt", null],
        ["with space and ü and\ttab.txt", "+fine"],
      ],
    );
    assert.equal(repositoryContext.readme, null);
  });
});
