import { z } from "zod";
import { epochMs, text } from "../../platform/http/contract/fields.ts";
import { Blocker } from "../campaigns/authoring/schema.ts";

const id = z.string().max(128);
const revision = z.string().max(128).describe("Changes with what it belongs to; a change names it.");
export const expectedRevision = text(128).describe("The `revision` of now: a stale one is refused.");

export const LaunchMode = z.enum(["automatic", "manual"]);
export type LaunchMode = z.infer<typeof LaunchMode>;

/** How campaigns of a project launch that say nothing of their own. */
export const LaunchPolicy = z
  .object({
    defaultMode: LaunchMode.describe(
      "`automatic`: an approved campaign launches by itself once the changes that it announces are live.",
    ),
    revision,
  })
  .meta({ id: "LaunchPolicy" });
export type LaunchPolicy = z.infer<typeof LaunchPolicy>;

/** A report that something is deployed. */
export const DeploymentEvidence = z
  .object({
    id: id.describe("The deployment."),
    provider: z.string().max(40),
    label: z.string().max(200),
    url: z.string().max(2_048).describe("A page about it; empty where none was reported."),
    revision: z.string().max(40).describe("The commit that was deployed."),
    reportedAt: epochMs,
  })
  .meta({ id: "Evidence" });
export type DeploymentEvidence = z.infer<typeof DeploymentEvidence>;

/** A change that has to be live, with the environments where. */
export const Requirement = z
  .object({
    id,
    sourceId: z.string().max(128),
    label: z.string().max(200),
    mappingIds: z.array(id).max(100),
  })
  .meta({ id: "Requirement" });
export type Requirement = z.infer<typeof Requirement>;

export const CoverageState = z.enum(["present", "absent", "reverted", "unknown", "pending"]);
export type CoverageState = z.infer<typeof CoverageState>;

/** Whether a change is live in an environment. */
export const Coverage = z
  .object({
    requirementId: id,
    mappingId: id,
    state: CoverageState.describe(
      "`pending`: nothing was deployed there yet. `unknown`: the repository cannot tell (yet).",
    ),
    evidence: DeploymentEvidence.nullable().describe("The deployment that counts there now."),
    reason: z.string().max(1_000).optional(),
    mappingLabel: z.string().max(400).optional(),
  })
  .meta({ id: "Coverage" });
export type Coverage = z.infer<typeof Coverage>;

/** How a campaign was launched for the first time. */
export const LaunchReceipt = z
  .object({
    mode: LaunchMode,
    startedAt: epochMs,
    contentHash: z.string().max(64).describe("SHA-256 of what users read, and who gets it."),
    requirementsDigest: z.string().max(64).describe("The revision of what the campaign declared."),
    evidence: z.array(DeploymentEvidence).max(1_000),
    override: z
      .object({ by: z.string().max(80), reason: z.string().max(500) })
      .optional()
      .describe("The person who launched it although changes were not live, and why."),
  })
  .meta({ id: "LaunchReceipt" });
export type LaunchReceipt = z.infer<typeof LaunchReceipt>;

/** A change that a launched campaign announces was taken back. The campaign goes on: people decide. */
export const LaunchWarning = z
  .object({
    id,
    reason: z
      .enum(["rollback", "revert"])
      .describe("`rollback`: a deployment without the change. `revert`: a commit that takes it back."),
    createdAt: epochMs,
    mappingId: id,
    mappingLabel: z.string().max(400),
    requirementIds: z.array(id).max(100),
    evidence: DeploymentEvidence,
  })
  .meta({ id: "LaunchWarning" });
export type LaunchWarning = z.infer<typeof LaunchWarning>;

/** Whether and how a campaign launches by itself. */
export const CampaignActivation = z
  .object({
    campaignId: id,
    revision,
    defaultMode: LaunchMode,
    override: LaunchMode.nullable().describe("The campaign's own mode; null takes the default."),
    effectiveMode: LaunchMode,
    approval: z
      .enum(["approved", "pending", "unavailable"])
      .describe("Whether a person allowed it to launch by itself; `unavailable` once it was launched."),
    approvedAsIs: z
      .boolean()
      .nullable()
      .describe(
        "Whether what would launch now is what that person saw. Where it is not, `approval` says whether their approval counts. Null where nobody allowed it, or once it was launched.",
      ),
    assessment: z.object({
      state: z.enum(["not_initial", "waiting", "eligible"]),
      blockers: z.array(Blocker).max(1_000).describe("Everything that keeps it from launching by itself."),
    }),
    requirements: z.array(Requirement).max(100),
    coverage: z.array(Coverage).max(10_000),
    lastCheckedAt: epochMs.nullable().describe("When a repository was last compared with what is deployed."),
    launch: LaunchReceipt.nullable(),
    warnings: z.array(LaunchWarning).max(100).describe("The newest 100, newest first."),
  })
  .meta({ id: "CampaignActivation" });
export type CampaignActivation = z.infer<typeof CampaignActivation>;
