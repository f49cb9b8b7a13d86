import { makeKey } from "../src/features/access/projects/projects.ts";
import type { KeyKind } from "../src/platform/http/contract/endpoint.ts";
import type { SharedHouse, TestProject } from "./harness.ts";
import { keepSecrets } from "./secrets/secrets-of-the-run.ts";

type House = Pick<SharedHouse, "database" | "now">;

const made = new WeakMap<TestProject, Promise<string>>();

async function makeSendKey({ database, now }: House, { projectId }: TestProject): Promise<string> {
  const key = await database.kysely.transaction().execute((tx) => makeKey(tx, projectId, "send", now()));
  if (key === null) throw new Error("The project has as many send keys as it can have.");
  keepSecrets(key);
  return key;
}

/** The send key of a project, which has none of its own: made when it is first needed, and the same one from then on. */
export function sendKeyOf(house: House, project: TestProject): Promise<string> {
  const known = made.get(project) ?? makeSendKey(house, project);
  made.set(project, known);
  return known;
}

/** A key of a project, of any kind. */
export const keyOfKind = async (house: House, project: TestProject, kind: KeyKind): Promise<string> =>
  kind === "send" ? sendKeyOf(house, project) : project[`${kind}Key`];
