import { z } from "zod";
import { commitSha, example } from "../../../domain/fields.ts";
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
    id: id.meta({ description: "Id of the mapping.", example: "map_1" }),
    environment: z.string().max(128).meta({ description: "As deployments name it.", example: "production" }),
    scope: z.string().max(200).nullable().meta({ description: "What people call the place.", example: null }),
    follows: z.string().max(256).nullable().meta({
      description: "The ref whose tip counts as deployed; null where deployments are reported.",
      example: null,
    }),
    confirmedBy: z.string().max(80).meta({ description: "Who said so.", example: "Ada" }),
    confirmedAt: epochMs,
  })
  .meta({ id: "Mapping" });
export type Mapping = z.infer<typeof Mapping>;

export const SourceState = z.enum(["pending", "ok", "unavailable"]);
export type SourceState = z.infer<typeof SourceState>;

/** A repository from which changes are deployed. */
export const Source = z
  .object({
    id: z.string().max(128).meta({ description: "Its name, which people chose.", example: "web" }),
    kind: z
      .enum(["git", "github"])
      .describe("`github`: pull requests and deployments are read from its API as well."),
    repository: z.string().max(2_048).meta({
      description: "The address of the repository, without credentials.",
      example: "https://git.example.com/acme/web.git",
    }),
    branch: z
      .string()
      .max(255)
      .meta({ description: "The branch from which changes are deployed.", example: "main" }),
    enabled: z.boolean().describe("Whether it is looked at."),
    paused: z.boolean().describe("Whether campaigns that announce its changes wait."),
    state: SourceState.describe("`pending`: it was not fetched yet."),
    reason: z.string().max(64).nullable().meta({
      description:
        "Why it cannot be read: git_missing, auth, not_found, branch_missing, too_large, no_room, timeout or unavailable.",
      example: null,
    }),
    tipSha: z
      .string()
      .max(40)
      .nullable()
      .meta({ description: "The commit at the tip of the branch.", example: example.commit }),
    fetchedAt: epochMs.nullable().describe("When it was last read."),
    mappings: z.array(Mapping).max(100).describe("Where its changes have to be live."),
  })
  .meta({ id: "Source" });
export type Source = z.infer<typeof Source>;

export const DeploymentStatus = z.enum(["pending", "success", "failure"]);
export type DeploymentStatus = z.infer<typeof DeploymentStatus>;

/** What was put where: a commit of a source, in an environment. */
export const Deployment = z
  .object({
    id: id.meta({ description: "Id of the deployment.", example: "dep_1" }),
    deploymentId: z
      .string()
      .max(300)
      .meta({ description: "The id that the reporter gave it.", example: "ci-1042" }),
    sourceId: z.string().max(128).meta({
      description:
        "The source, by the name that people chose when they connected it (Sources in the dashboard, or `tidings source add`).",
      example: "web",
    }),
    environment: z.string().max(128).meta({ description: "Where it was deployed.", example: "production" }),
    sha: z
      .string()
      .max(40)
      .meta({ description: "The commit: 40 hexadecimal digits.", example: example.commit }),
    status: DeploymentStatus.describe("`success` and `failure` are final."),
    provider: z.string().max(40).meta({
      description:
        "Where it comes from: `api` for a report, `ref` for the tip of a ref that a mapping follows, `github`.",
      example: "api",
    }),
    deployedAt: epochMs,
    reportedAt: epochMs,
    url: z
      .string()
      .max(2_048)
      .nullable()
      .meta({ description: "A page about it, for people; null for none.", example: null }),
    label: z
      .string()
      .max(200)
      .nullable()
      .meta({ description: "What people call it; null for nothing.", example: null }),
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
  sha: commitSha.describe("The commit: 40 hexadecimal digits."),
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
