import assert from "node:assert/strict";
import { it } from "node:test";
import { setSettings } from "../../../../test/email.ts";
import { ownRepository } from "../../../../test/from-code.ts";
import { WITHOUT_GIT } from "../../../../test/peers/repository.ts";
import {
  claimed,
  managedHouse,
  type Op,
  planFor,
  readCampaign,
  reconcile,
  refused,
  workProject,
} from "../../../../test/source-work.ts";

const house = managedHouse();
/** After a refusal the ref rests. */
const HOUR_MS = 3_600_000;

const mailTo = (sha: string, body: string): Op => ({
  op: "create",
  shas: [sha],
  campaign: { name: "Dark mode", channel: "email", message: { subject: "Dark mode is here", body } },
});

it("a draft from code links only where a person has allowed it", { skip: WITHOUT_GIT }, async () => {
  const repository = ownRepository();
  const project = await workProject(house, repository);
  const sha = repository.commit({ "dark.css": "black\n" }, "Add dark mode");
  for (const body of ["[Look](https://evil.example/x)", "Look at evil.example", "<https://evil.example>"]) {
    const claim = await claimed(house, project);
    const { status, body: refusalBody } = await refused(
      reconcile(project, claim, planFor(claim, [mailTo(sha, body)])),
    );
    const { error, retryAfterMs } = refusalBody as Record<string, unknown>;
    assert.deepEqual([status, retryAfterMs], [409, 600_000], body);
    house.advance(HOUR_MS);
    assert.match(String(error), /^ops\[0\]\.campaign: variants\[0\]\.message\.body links to evil\.example/);
  }
  await setSettings(house, project, { "links.allowedHosts": "acme.example" });
  const claim = await claimed(house, project);
  const { campaigns } = await reconcile(
    project,
    claim,
    planFor(claim, [mailTo(sha, "[Look](https://acme.example/dark)")]),
  );
  const draft = await readCampaign(project, campaigns[0]?.campaignId ?? "");
  await setSettings(house, project, { "links.allowedHosts": "" });

  const next = repository.commit({ "light.css": "white\n" }, "Add light mode");
  const later = await claimed(house, project);
  const known = later.drafts.find(({ campaignId }) => campaignId === draft.id);
  const revising = (before: string, after: string): Op => ({
    op: "revise",
    shas: [next],
    campaignId: draft.id,
    baseContentHash: known?.contentHash ?? "",
    patch: {
      variants: [{ id: draft.variants[0]?.id ?? "", edits: [{ field: "body" as const, before, after }] }],
    },
  });
  const bad = await refused(
    reconcile(project, later, planFor(later, [revising("acme.example", "evil.example")])),
  );
  assert.match(JSON.stringify(bad.body), /ops\[0\]\.patch: .*links to evil\.example/);
  house.advance(HOUR_MS);
  const again = await claimed(house, project);
  await reconcile(project, again, planFor(again, [revising("/dark", "/dark-and-light")]));
  assert.deepEqual(await house.differences(project.projectId), {});
});
