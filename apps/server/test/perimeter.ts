import { createHmac } from "node:crypto";
import { identitySecret } from "../src/features/access/public.ts";
import { setSettings } from "./email.ts";
import type { SharedHouse, TestProject } from "./harness.ts";

/** After this, every process knows what a project demands. */
export const BELIEVED_MS = 5_000;

/** The hash of a user, as a customer's server makes it. */
export const hashOf = (secret: string, userId: string): string =>
  createHmac("sha256", secret).update(userId).digest("hex");

/** The hash of a user that is valid until an instant (epoch ms). */
export const hashUntil = (secret: string, userId: string, expires: number): string =>
  `v1.${expires}.${createHmac("sha256", secret).update(`${userId}\0${expires}`).digest("hex")}`;

/** A project's identity secret, made on first use, or anew. */
export async function secretOf(
  house: SharedHouse,
  { projectId }: TestProject,
  { rotate = false, graceMs = 0, by = "test" } = {},
): Promise<string> {
  const { app } = house.tidings;
  const { secret } = await house.database.kysely
    .transaction()
    .execute((tx) => identitySecret(app, tx, projectId, { rotate, graceMs }, { by, now: house.now() }));
  return secret;
}

/** A project whose users have to be proven, with its identity secret. */
export async function provingProject(house: SharedHouse): Promise<{ project: TestProject; secret: string }> {
  const project = await house.project();
  const secret = await secretOf(house, project);
  await setSettings(house, project, { "identity.required": "true" });
  return { project, secret };
}
