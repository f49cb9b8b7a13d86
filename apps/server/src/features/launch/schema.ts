import { z } from "zod";
import { answerIds, example } from "../../domain/fields.ts";
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
    revision: revision.meta({ example: "0" }),
  })
  .meta({ id: "LaunchPolicy" });
export type LaunchPolicy = z.infer<typeof LaunchPolicy>;

/** A report that something is deployed. */
export const DeploymentEvidence = z
  .object({
    id: id.meta({ description: "The deployment.", example: "dep_1" }),
    provider: z
      .string()
      .max(40)
      .meta({ description: "Where it comes from: `api`, `ref` or `github`.", example: "api" }),
    label: z.string().max(200).meta({ description: "What people call it.", example: "v1.4.2" }),
    url: z.string().max(2_048).meta({
      description: "A page about it; empty where none was reported.",
      example: "https://ci.example.com/1042",
    }),
    revision: z
      .string()
      .max(40)
      .meta({ description: "The commit that was deployed.", example: example.commit }),
    reportedAt: epochMs,
  })
  .meta({ id: "Evidence" });
export type DeploymentEvidence = z.infer<typeof DeploymentEvidence>;

/** A change that has to be live, with the environments where. */
export const Requirement = z
  .object({
    id: id.meta({ description: "Id of the declared change.", example: "req_1" }),
    sourceId: z.string().max(128).meta({
      description:
        "The source, by the name that people chose when they connected it (Sources in the dashboard, or `tidings source add`).",
      example: "web",
    }),
    label: z.string().max(200).meta({ description: "What people call it.", example: "commit 0123456789ab" }),
    mappingIds: z
      .array(id)
      .max(100)
      .meta({ description: "The environments where it has to be live.", example: ["map_1"] }),
  })
  .meta({ id: "Requirement" });
export type Requirement = z.infer<typeof Requirement>;

export const CoverageState = z.enum(["present", "absent", "reverted", "unknown", "pending"]);
export type CoverageState = z.infer<typeof CoverageState>;

/** Whether a change is live in an environment. */
export const Coverage = z
  .object({
    requirementId: id.meta({ description: "The declared change.", example: "req_1" }),
    mappingId: id.meta({ description: "The environment of a source.", example: "map_1" }),
    state: CoverageState.describe(
      "`pending`: nothing was deployed there yet. `unknown`: the repository cannot tell (yet).",
    ),
    evidence: DeploymentEvidence.nullable().describe("The deployment that counts there now."),
    reason: z.string().max(1_000).optional().describe("Why that is not known."),
    mappingLabel: z.string().max(400).optional().describe("Repository and environment, for people."),
  })
  .meta({ id: "Coverage" });
export type Coverage = z.infer<typeof Coverage>;

/** How a campaign was launched for the first time. */
export const LaunchReceipt = z
  .object({
    mode: LaunchMode.describe("Whether it launched by itself."),
    startedAt: epochMs,
    contentHash: z.string().max(64).describe("SHA-256 of what users read, and who gets it."),
    requirementsDigest: z.string().max(64).describe("The revision of what the campaign declared."),
    evidence: z.array(DeploymentEvidence).max(1_000).describe("The deployments that show it."),
    override: z
      .object({
        by: z.string().max(80).describe("Who it was."),
        reason: z.string().max(500).describe("Why."),
      })
      .optional()
      .describe("The person who launched it although changes were not live, and why."),
  })
  .meta({ id: "LaunchReceipt" });
export type LaunchReceipt = z.infer<typeof LaunchReceipt>;

/** A change that a launched campaign announces was taken back. The campaign goes on: people decide. */
export const LaunchWarning = z
  .object({
    id: id.meta({ description: "Id of the warning.", example: "wrn_1" }),
    reason: z
      .enum(["rollback", "revert"])
      .describe("`rollback`: a deployment without the change. `revert`: a commit that takes it back."),
    createdAt: epochMs,
    mappingId: id.meta({ description: "The environment of a source.", example: "map_1" }),
    mappingLabel: z
      .string()
      .max(400)
      .meta({ description: "Repository and environment, for people.", example: "acme/web production" }),
    requirementIds: z
      .array(id)
      .max(100)
      .meta({ description: "The declared changes.", example: ["req_1"] }),
    evidence: DeploymentEvidence.describe("The deployment that took them back."),
  })
  .meta({ id: "LaunchWarning" });
export type LaunchWarning = z.infer<typeof LaunchWarning>;

/** Whether and how a campaign launches by itself. */
export const CampaignActivation = z
  .object({
    campaignId: answerIds.campaign,
    revision: revision.meta({ example: "0" }),
    defaultMode: LaunchMode.describe("Whether campaigns launch by themselves that say nothing of their own."),
    override: LaunchMode.nullable().describe("The campaign's own mode; null takes the default."),
    effectiveMode: LaunchMode.describe("The mode that counts."),
    approval: z
      .enum(["approved", "pending", "unavailable"])
      .describe("Whether a person allowed it to launch by itself; `unavailable` once it was launched."),
    approvedAsIs: z
      .boolean()
      .nullable()
      .describe(
        "Whether what would launch now is what that person saw. Where it is not, `approval` says whether their approval counts. Null where nobody allowed it, or once it was launched.",
      ),
    assessment: z
      .object({
        state: z
          .enum(["not_initial", "waiting", "eligible"])
          .describe("`not_initial`: it was launched, or has ended."),
        blockers: z.array(Blocker).max(1_000).describe("Everything that keeps it from launching by itself."),
      })
      .describe("Whether it launches by itself now, and what it waits for."),
    requirements: z.array(Requirement).max(100).describe("What has to be live, and where."),
    coverage: z.array(Coverage).max(10_000).describe("Whether each change is live in each environment."),
    lastCheckedAt: epochMs.nullable().describe("When a repository was last compared with what is deployed."),
    launch: LaunchReceipt.nullable().meta({
      description: "How it was launched for the first time; null while it was not.",
      example: null,
    }),
    warnings: z.array(LaunchWarning).max(100).describe("The newest 100, newest first."),
  })
  .meta({ id: "CampaignActivation" });
export type CampaignActivation = z.infer<typeof CampaignActivation>;
