import { z } from "zod";
import { commitSha } from "../../../domain/fields.ts";
import { epochMs, instant, MAX_URL, parsedUrl, text } from "../../../platform/http/contract/fields.ts";
import { branchFault, refFault } from "../git/url.pure.ts";

const id = z.string().max(128);

/** The id of a source, as people chose it. */
export const sourceId = text(128).describe(
  "The source, by the name that people chose when they connected it (Sources in the dashboard, or `tidings source add`).",
);
/** The name of an environment, as reports of deployments write it. */
export const environment = text(128).describe("Such as `production`.");

/** Where a source has to be live before the campaigns that announce its changes launch. */
export const Mapping = z
  .object({
    id,
    environment: z.string().max(128),
    scope: z.string().max(200).nullable().describe("What people call the place."),
    follows: z
      .string()
      .max(256)
      .nullable()
      .describe("The ref whose tip counts as deployed; null where deployments are reported."),
    confirmedBy: z.string().max(80),
    confirmedAt: epochMs,
  })
  .meta({ id: "Mapping" });
export type Mapping = z.infer<typeof Mapping>;

export const SourceState = z.enum(["pending", "ok", "unavailable"]);
export type SourceState = z.infer<typeof SourceState>;

/** A repository from which changes are deployed. */
export const Source = z
  .object({
    id: z.string().max(128),
    kind: z
      .enum(["git", "github"])
      .describe("`github`: pull requests and deployments are read from its API as well."),
    repository: z.string().max(2_048).describe("The address of the repository, without credentials."),
    branch: z.string().max(255),
    enabled: z.boolean(),
    paused: z.boolean().describe("Whether campaigns that announce its changes wait."),
    state: SourceState,
    reason: z
      .string()
      .max(64)
      .nullable()
      .describe(
        "Why it cannot be read: git_missing, auth, not_found, branch_missing, too_large, no_room, timeout or unavailable.",
      ),
    tipSha: z.string().max(40).nullable().describe("The commit at the tip of the branch."),
    fetchedAt: epochMs.nullable(),
    mappings: z.array(Mapping).max(100),
  })
  .meta({ id: "Source" });
export type Source = z.infer<typeof Source>;

export const DeploymentStatus = z.enum(["pending", "success", "failure"]);
export type DeploymentStatus = z.infer<typeof DeploymentStatus>;

/** What was put where: a commit of a source, in an environment. */
export const Deployment = z
  .object({
    id,
    deploymentId: z.string().max(300).describe("The id that the reporter gave it."),
    sourceId: z.string().max(128),
    environment: z.string().max(128),
    sha: z.string().max(40),
    status: DeploymentStatus,
    provider: z
      .string()
      .max(40)
      .describe(
        "Where it comes from: `api` for a report, `ref` for the tip of a ref that a mapping follows, `github`.",
      ),
    deployedAt: epochMs,
    reportedAt: epochMs,
    url: z.string().max(2_048).nullable(),
    label: z.string().max(200).nullable(),
  })
  .meta({ id: "Deployment" });
export type Deployment = z.infer<typeof Deployment>;

/** An address that a browser opens. */
const pageUrl = text(MAX_URL)
  .refine(
    (url) => ["http:", "https:"].includes(parsedUrl(url)?.protocol ?? ""),
    "must be an http:// or https:// address",
  )
  .meta({ pattern: "^[Hh][Tt][Tt][Pp][Ss]?:" });

export const RecordDeploymentBody = z.object({
  deploymentId: text(128).describe(
    "An id of yours, such as that of the CI run: a repeat with the same one changes nothing.",
  ),
  sourceId,
  environment,
  sha: commitSha,
  status: DeploymentStatus.describe("`success` and `failure` are final."),
  deployedAt: instant.optional().describe("When it went live; by default now."),
  url: pageUrl.optional().describe("A page about it, for people."),
  label: text(200).optional().describe("What people call it, such as `v1.4.2`."),
});
export type RecordDeploymentBody = z.output<typeof RecordDeploymentBody>;

/** Adds the fault of a text (the end of a sentence about it) as the issue of its field. */
const faultless = (faultOf: (value: string) => string | null) => (ctx: z.core.ParsePayload<string>) => {
  const message = faultOf(ctx.value);
  if (message !== null) ctx.issues.push({ code: "custom", message, input: ctx.value });
};

/** An id that people choose for a source. */
export const newSourceId = text(128)
  .check(
    faultless((id) =>
      id.trim() === "" || /\p{Cc}/u.test(id) ? "must not be blank, nor contain control characters" : null,
    ),
  )
  .describe("A name of your choice, by which campaigns and deployments name it.");

export const repository = text(MAX_URL).describe(
  "The address, without credentials: https://, ssh:// or git@host:path.",
);
export const branch = text(255)
  .check(faultless(branchFault))
  .describe("The branch from which changes are deployed.");
export const credential = text(16_000).describe(
  "`user:token`, or a private key for ssh. Kept sealed, and never shown.",
);
export const knownHosts = text(16_000).describe("For ssh: the keys of the host, as ssh-keyscan prints them.");

/** The most characters of what an agent has to mind. */
export const MOST_INSTRUCTIONS = 8_000;
export const instructions = text(MOST_INSTRUCTIONS, 0).describe(
  "What an agent has to mind when it drafts campaigns of it.",
);
export const followedRef = text(256).check(faultless(refFault));
export const mappingId = text(40)
  .refine((id) => /^map_[0-9a-f-]{36}$/.test(id), "must be the id of a mapping")
  .describe("Id of the mapping.");
