import assert from "node:assert/strict";
import { globSync, readFileSync } from "node:fs";
import { describe, it } from "node:test";

const SRC = new URL("../../src/", import.meta.url);

/** The one file that spells the key of a delivery. */
const SPELLED_IN = "features/deliveries/key-store.ts";

const files = globSync("**/*.ts", { cwd: SRC })
  .filter((file) => !file.includes(".test") && file !== SPELLED_IN)
  .map((file) => ({ file, text: readFileSync(new URL(file, SRC), "utf8") }));

/** Where a text of the house has a pattern: `file: what stands there`. */
const findAll = (pattern: RegExp): string[] =>
  files.flatMap(({ file, text }) => [...text.matchAll(pattern)].map(([found]) => `${file}: ${found}`));

describe("the key of a delivery", () => {
  it("is compared by a fragment: user and campaign alone are those of all occasions", () => {
    const compared = /\w+\.user_key = (\w+)\.user_key\s+and \w+\.campaign_id = \1\.campaign_id/g;
    assert.deepEqual(findAll(compared), [], "use sameDelivery, onDelivery or sameCampaign");
  });

  it("is compared with values by a fragment", () => {
    const bySql = /user_key = \$\{[^}]+\}(?:::uuid)?\s+and (?:\w+\.)?campaign_id = \$\{/g;
    const byKysely = /\.where\("(?:\w+\.)?userKey", "=", [^)]+\)\s+\.where\("(?:\w+\.)?campaignId", "=",/g;
    assert.deepEqual([...findAll(bySql), ...findAll(byKysely)], [], "use isDelivery");
  });

  it("is listed with its occasion", () => {
    // Recipients of a push have the id of the send beside the campaign, which follows from the occasion.
    const listed = /user_key,\s+(?:\w+\.)?campaign_id\b(?!,\s+(?:\w+\.)?(?:occasion|send_id))/g;
    assert.deepEqual(
      findAll(listed),
      [],
      "use deliveryKey or deliveryRow, and withheldKey where there is no occasion",
    );
  });
});
