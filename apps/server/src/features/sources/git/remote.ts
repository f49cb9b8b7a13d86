import { mkdtemp, rm, writeFile } from "node:fs/promises";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { plainHost } from "../../../platform/net/public-host.pure.ts";
import { type Addresses, type Asking, placeOfHost } from "../../../platform/net/public-host.ts";
import { curlPin, sshPin } from "./pins.pure.ts";
import type { GitEnded } from "./running/ended.pure.ts";
import { type GitCall, gitFault, runGit, scrubbed } from "./running/run.ts";
import { isSsh, type RepositoryCredential, statedHostOf, urlFault } from "./url.pure.ts";

/**
 * A repository elsewhere. `allowPrivate`: whether it may lie on this machine or in its network; else `dnsServer` says where it lies, or the
 * system where that is null. `owner`: see `GitCall`.
 */
export type Remote = Partial<Asking> & {
  url: string;
  credential: RepositoryCredential | null;
  allowPrivate: boolean;
  owner?: string;
};

/** Why a repository cannot be read. */
export type FailureReason =
  | "git_missing"
  | "auth"
  | "not_found"
  | "branch_missing"
  | "too_large"
  | "no_room"
  | "timeout"
  | "unavailable";

/** `detail` is for people, of at most 300 characters and without credentials. */
export type Failure = { ok: false; reason: FailureReason; detail: string };

export const fail = (reason: FailureReason, detail: string): Failure => ({ ok: false, reason, detail });

/** What git prints when it may not read a repository, or does not find it. */
const SAYS_AUTH =
  /authentication failed|could not read (username|password)|access denied|permission denied|returned error: 40[13]|host key verification failed/i;
const SAYS_NOT_FOUND =
  /returned error: 404|not found|does not exist|does not appear to be a git repository|no such file or directory/i;

/** A call that did not succeed, as a failure. */
export function failureOf(ended: GitEnded): Failure {
  switch (ended.state) {
    case "missing":
      return fail("git_missing", "The git command is not on this machine.");
    case "timeout":
      return fail("timeout", "It did not answer in time.");
    case "too_much":
      return fail("too_large", "It is larger than SOURCES_MAX_MB allows.");
    case "no_room":
      return fail("no_room", "The repositories of this project take all that SOURCES_PROJECT_MAX_MB allows.");
    case "memory":
      return fail("too_large", "To read it takes more memory than git may have: SOURCES_MAX_MB.");
    case "output":
      return fail("unavailable", "It answers with too much.");
    case "aborted":
      return fail("unavailable", "This process ends.");
    case "ended": {
      const detail = scrubbed(ended.stderr);
      if (SAYS_AUTH.test(ended.stderr)) return fail("auth", detail);
      if (SAYS_NOT_FOUND.test(ended.stderr)) return fail("not_found", detail);
      return fail("unavailable", detail || `git ended with ${ended.code}.`);
    }
  }
}

/** The addresses of a host, if all that it has are of the public internet. */
export async function resolvePublic(host: string, asking: Asking): Promise<Addresses | Failure> {
  const place = await placeOfHost(host, asking);
  switch (place.at) {
    case "public":
      return place.addresses;
    case "private":
      return fail("unavailable", "Its address is not one of the public internet.");
    case "nowhere":
      return fail("not_found", `There is no host ${host}.`);
    case "unasked":
      return fail("unavailable", `DNS did not say where ${host} is.`);
  }
}

/** What keeps a call where its repository may lie: settings of git, and options of ssh. */
type Pins = { config: Record<string, string>; ssh: string };

/**
 * Keeps a call on the public internet: the host is looked up once, here, and git and ssh connect to what was found. So an address that is
 * looked at when it is given cannot lead elsewhere later.
 */
async function pinned({ url, allowPrivate, dnsServer = null }: Remote): Promise<Pins | Failure> {
  if (allowPrivate) return { config: {}, ssh: "" };
  const host = statedHostOf(url);
  if (host === null) return fail("unavailable", "Its address does not name a plain host.");
  const found = await resolvePublic(host, { dnsServer });
  if ("ok" in found) return found;
  const plain = plainHost(host);
  // Git is given the address as it stands: what it would read otherwise than it was looked up is refused.
  if (plain !== host.toLowerCase().replace(/^\[|\]$/g, ""))
    return fail("unavailable", "Its address does not name a plain host.");
  return isSsh(url)
    ? { config: {}, ssh: sshPin(url, plain, found) }
    : { config: { ...curlPin(url, plain, found) }, ssh: "" };
}

/** A call that reaches a remote, with its credential for as long as it takes. Nothing of it stands in the arguments. */
export async function callRemote(
  remote: Remote,
  given: Omit<GitCall, "config" | "env" | "owner">,
): Promise<GitEnded | Failure> {
  const call = { ...given, owner: remote.owner };
  const fault = await gitFault();
  if (fault !== null) return fail("git_missing", fault);
  // An address that was stored before a rule was made has to keep to it as well. The protocols that may be used are set below.
  const unfit = urlFault(remote.url, { allowPrivate: true });
  if (unfit !== null) return fail("unavailable", `Its address ${unfit}.`);
  const pins = await pinned(remote);
  if ("ok" in pins) return pins;
  const { url, credential, allowPrivate } = remote;
  const protocols = { GIT_ALLOW_PROTOCOL: allowPrivate ? "https:ssh:http:file" : "https:ssh" };
  if (credential?.kind === "ssh") {
    const folder = await mkdtemp(join(tmpdir(), "tidings-ssh-"));
    try {
      const [key, hosts] = [join(folder, "key"), join(folder, "known_hosts")];
      await writeFile(key, credential.privateKey, { mode: 0o600 });
      await writeFile(hosts, credential.knownHosts, { mode: 0o600 });
      const ssh = `ssh -F /dev/null -i ${key} -o IdentitiesOnly=yes -o BatchMode=yes -o StrictHostKeyChecking=yes -o UserKnownHostsFile=${hosts}${pins.ssh}`;
      return await runGit({ ...call, config: pins.config, env: { ...protocols, GIT_SSH_COMMAND: ssh } });
    } finally {
      await rm(folder, { recursive: true, force: true });
    }
  }
  // Without a key of its own a source must not use those of the user that the server runs as.
  const ssh = {
    GIT_SSH_COMMAND: `ssh -F /dev/null -o BatchMode=yes -o StrictHostKeyChecking=yes -o PubkeyAuthentication=no -o IdentityFile=none -o IdentitiesOnly=yes${pins.ssh}`,
  };
  if (credential === null || !/^https?:/i.test(url))
    return runGit({ ...call, config: pins.config, env: { ...protocols, ...ssh } });
  const { user, password } = credential;
  const header = `Authorization: Basic ${Buffer.from(`${user}:${password}`).toString("base64")}`;
  const config = { ...pins.config, [`http.${new URL(url).origin}/.extraHeader`]: header };
  return runGit({ ...call, config, env: { ...protocols, ...ssh } });
}

/** How long asking for refs may take. */
const ASK_MS = 30_000;
/** The most bytes of an answer about refs: a host may have many that end like those that are asked for. */
const MOST_TIPS_BYTES = 1_024 * 1_024;

/** The commits at the tips of refs (`refs/heads/…`), by ref; one that is not there is left out. */
export async function readTips(
  remote: Remote,
  {
    refs,
    signal,
    deadlineMs = ASK_MS,
  }: { refs: readonly string[]; signal: AbortSignal; deadlineMs?: number },
): Promise<{ ok: true; tips: ReadonlyMap<string, string> } | Failure> {
  const args = ["ls-remote", "--end-of-options", remote.url, ...refs];
  const ended = await callRemote(remote, {
    args,
    kind: "ask",
    maxBytes: MOST_TIPS_BYTES,
    deadlineMs,
    signal,
  });
  if ("ok" in ended) return ended;
  if (ended.state !== "ended" || ended.code !== 0) return failureOf(ended);
  const lines = ended.stdout.split("\n").flatMap((line): [string, string][] => {
    const [sha = "", ref = ""] = line.split("\t");
    return /^[0-9a-f]{40}$/.test(sha) && refs.includes(ref) ? [[ref, sha]] : [];
  });
  return { ok: true, tips: new Map(lines) };
}
