import { z } from "zod";

const sha = z.string().regex(/^[0-9a-f]{40}$/);
const instant = z.iso.datetime({ offset: true }).transform((text) => Date.parse(text));

/** Where a branch lies; null where that is gone. */
const repository = z.object({ full_name: z.string() }).nullish();

/** What is read of a pull request; GitHub says more. */
export const Pull = z.object({
  number: z.int().min(1),
  state: z.enum(["open", "closed"]),
  draft: z.boolean().nullish(),
  merged_at: z.string().nullable(),
  merge_commit_sha: sha.nullish(),
  head: z.object({ sha, repo: repository }),
  base: z.object({ ref: z.string(), repo: repository }),
  /** What its author is to the repository; an author of a private organization may be shown as a stranger. */
  author_association: z.string().nullish(),
  labels: z.array(z.object({ name: z.string() })).nullish(),
  updated_at: instant,
});
export type Pull = z.infer<typeof Pull>;

/** What is read of a deployment. */
export const HostDeployment = z.object({
  id: z.int(),
  sha,
  ref: z.string().nullish(),
  environment: z.string(),
  created_at: instant,
});
export type HostDeployment = z.infer<typeof HostDeployment>;

/** What became of a deployment, newest first. */
export const HostStatus = z.object({
  state: z.string(),
  created_at: instant,
  environment_url: z.string().nullish(),
  log_url: z.string().nullish(),
});
export type HostStatus = z.infer<typeof HostStatus>;
