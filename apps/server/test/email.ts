import type { Answer } from "@tidings/client";
import { changeSettings } from "../src/features/settings/public.ts";
import { settingGroups } from "../src/features.ts";
import type { SharedHouse, TestProject } from "./harness.ts";
import { keepSecretSettings } from "./secrets/secrets-of-the-run.ts";

/** Sets settings of a project as its people would. */
export async function setSettings(
  house: SharedHouse,
  { projectId }: TestProject,
  changes: Readonly<Record<string, string>>,
): Promise<void> {
  const { secrets } = house.tidings.app;
  const edit = { groups: settingGroups, by: "test", now: house.now() };
  keepSecretSettings(changes);
  await house.database.kysely
    .transaction()
    .execute((tx) => changeSettings(tx, secrets, projectId, changes, edit));
}

/** A project that can send: its sender is set, and its mail goes to a server on this port. */
export async function sendingProject(
  house: SharedHouse,
  port: number,
  settings: Readonly<Record<string, string>> = {},
): Promise<TestProject> {
  const project = await house.project();
  await setSettings(house, project, {
    "email.from": "Acme News <news@acme.example>",
    "email.postalAddress": "Acme, 1 Main Street, Springfield",
    "email.domainVerified": "true",
    "email.smtpUrl": `smtp://127.0.0.1:${port}`,
    ...settings,
  });
  return project;
}

type CampaignBody = Parameters<TestProject["api"]["createCampaign"]>[0]["body"];

/** A launched email campaign for everyone, with whatever is given on top. */
export async function launchEmail(
  { api }: TestProject,
  body: Partial<CampaignBody> = {},
): Promise<Answer<"createCampaign">["campaign"]> {
  const content =
    body.variants === undefined
      ? { message: { subject: "Hello {{ user.name | default: 'there' }}", body: "Hi **{{ user.name }}**!" } }
      : {};
  const { campaign } = await api.createCampaign({
    body: { name: "Email", channel: "email", launch: true, ...content, ...body },
  });
  return campaign;
}

/** The counts of a campaign's email, without what else is said of it. */
export async function progressOf({ api }: TestProject, id: string) {
  const { planned, waiting, sending, accepted, unknown, failed, frequencyCapped, suppressed } =
    await api.getCampaignEmail({ path: { id } });
  return { planned, waiting, sending, accepted, unknown, failed, frequencyCapped, suppressed };
}

/** Users with addresses of their own: `<id>@<domain>`. */
export async function people(
  { sdk }: TestProject,
  ids: readonly string[],
  domain = "example.com",
): Promise<void> {
  await Promise.all(
    ids.map((userId) =>
      sdk.identify({ body: { userId, traits: { email: `${userId}@${domain}`, name: userId } } }),
    ),
  );
}
