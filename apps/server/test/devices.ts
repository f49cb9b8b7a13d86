import { randomBytes } from "node:crypto";
import type { Answer, Input } from "@tidings/client";
import type { TestProject } from "./harness.ts";
import { keepSecrets } from "./secrets/secrets-of-the-run.ts";

export type Installation = Answer<"getInstallation">["installation"];
type Bootstrap = Input<"bootstrapInstallation">["body"];
type Facts = Input<"setInstallationFacts">["body"];
type Guards = Input<"recordInstallationActivity">["body"];

/** What a change says beside its content; what is left out is that of the installation as it is. */
type Given = Partial<Guards & { tokenRevision: number }>;

export type Device = {
  installationId: string;
  capability: string;
  /** What every call of the device carries. */
  headers: { "X-Service-Installation-Capability": string };
  read(): Promise<Installation>;
  bind(userId: string | null, given?: Given): Promise<Installation>;
  say(facts?: Partial<Facts>, given?: Given): Promise<Installation>;
  put(token: string | null, given?: Given): Promise<Installation>;
  use(given?: Given): Promise<Installation>;
};

export const newCapability = (): string => randomBytes(32).toString("base64url");

export const CAPABILITIES = {
  actions: ["open", "reply"],
  channels: ["default"],
  richImages: true,
  categories: [{ id: "message", actions: [{ id: "reply", title: "Reply" }] }],
};

/** A statement that locks the row of an installation. */
export const rowOf = ({ installationId }: Pick<Device, "installationId">) => ({
  text: "select from installations where installation_id = $1 for update",
  values: [installationId],
});

let made = 0;

/** An installation of an app, on a device of its own. */
export async function install(project: TestProject, given: Partial<Bootstrap> = {}): Promise<Device> {
  const { appId = "com.example.app", platform = "ios", environment = "production" } = given;
  const { installationId = `device-${made++}`, capability = newCapability() } = given;
  await project.sdk.bootstrapInstallation({
    body: { installationId, appId, platform, environment, capability },
  });
  return deviceOf(project, installationId, capability);
}

let requests = 0;

/** A device as it speaks to a server, for an installation that is registered. */
export function deviceOf({ sdk }: TestProject, installationId: string, capability: string): Device {
  const headers = { "X-Service-Installation-Capability": capability };
  const path = { installationId };
  keepSecrets(capability);
  const read = async (): Promise<Installation> => (await sdk.getInstallation({ path, headers })).installation;
  async function guards(given: Given): Promise<Guards & { tokenRevision: number }> {
    const { bindingGeneration, revision, tokenRevision } = await read();
    return { requestId: `request-${requests++}`, bindingGeneration, revision, tokenRevision, ...given };
  }
  const plain = async (given: Given): Promise<Guards> => {
    const { tokenRevision: _, ...rest } = await guards(given);
    return rest;
  };
  const installationIn = async (answer: Promise<{ installation: Installation }>) =>
    (await answer).installation;
  return {
    installationId,
    capability,
    headers,
    read,
    bind: async (userId, given = {}) => {
      const body = { ...(await plain(given)), userId };
      return installationIn(sdk.setInstallationBinding({ path, headers, body }));
    },
    say: async (facts = {}, given = {}) => {
      const usual = { permission: "granted" as const, consent: true, capabilities: CAPABILITIES };
      const body = { ...(await plain(given)), ...usual, ...facts };
      return installationIn(sdk.setInstallationFacts({ path, headers, body }));
    },
    put: async (token, given = {}) => {
      keepSecrets(token);
      const body = { ...(await guards(given)), token };
      return installationIn(sdk.setInstallationToken({ path, headers, body }));
    },
    use: async (given = {}) =>
      installationIn(sdk.recordInstallationActivity({ path, headers, body: await plain(given) })),
  };
}
