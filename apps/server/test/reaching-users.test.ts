import assert from "node:assert/strict";
import { it } from "node:test";
import { endpoints, peopleEndpoints } from "../src/features.ts";
import { isManagementWrite } from "../src/platform/http/contract/endpoint.ts";
import { PERSON_ROLES } from "../src/platform/http/contract/person.ts";

/**
 * What each operation of people by which something is changed does to users, judged for the setting `people.launch`. `asks`: it reaches users
 * at once, so that it asks the setting for the role. `no` and why: it reaches no user, or only as a person of that role has decided.
 * `features/launch/reaching-users.test.ts` tries those that ask.
 */
const EDITORS: Readonly<Record<string, "asks" | `no: ${string}`>> = {
  createCampaign: "asks",
  setCampaignStatus: "asks",
  updateCampaign: "asks",
  updateCampaignActivation: "asks",
  createGoal: "asks",
  updateGoal: "asks",
  recordDeployment: "asks",
  sendTestEmail: "asks",
  sendPushTest: "asks",
  testEmailSender: "no: it sends words of Tidings to the person who asks",
  createSegment: "no: campaigns take it by a change of their own",
  updateSegment: "no: campaigns keep the version that they pinned",
  archiveSegment: "no: campaigns that pinned it go on",
  uploadCampaignMedia: "no: an image has the address of its digest, and replaces none",
  scheduleEvaluation: "no: agents act within what the goal allows them",
  dispatchCampaignPush: "no: it plans what runs a minute earlier",
  decideUnknownSends: "no: it repeats a mail that was launched, to the same address",
  suppressEmailAddress: "no: it takes an address away",
  allowEmailAddress: "no: an address gets what was launched for it",
};

it("judges each change that people below an approver can make: does it reach users?", () => {
  const below = PERSON_ROLES.slice(0, PERSON_ROLES.indexOf("approver"));
  const changes = [...endpoints, ...peopleEndpoints].filter(
    (endpoint) =>
      below.some((role) => role === endpoint.spec.people) &&
      endpoint.spec.method !== "GET" &&
      endpoint.spec.isRead !== true,
  );
  assert.deepEqual(changes.map(({ spec }) => spec.id).sort(), Object.keys(EDITORS).sort());
  assert.ok(changes.every((endpoint) => isManagementWrite(endpoint)));
});
