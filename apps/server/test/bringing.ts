import type { Answer, Input } from "@tidings/client";
import type { TestHouse, TestProject } from "./harness.ts";

export type Made = Pick<Input<"createImport">["body"], "kind"> & Partial<Input<"createImport">["body"]>;
export type Start = NonNullable<Input<"startImport">["body"]>;

/** Bytes of every part of a file but the last. */
export const PART = 4_194_304;

/** Uploads a file, and answers the id of its import. */
export async function uploadFile(
  { api }: Pick<TestProject, "api">,
  file: string | Buffer,
  made: Made,
): Promise<string> {
  const { import: begun } = await api.createImport({ body: { name: "file.csv", ...made } });
  const bytes = new Uint8Array(Buffer.from(file));
  for (let n = 1; (n - 1) * PART < bytes.length; n++) {
    const part = new Blob([bytes.subarray((n - 1) * PART, n * PART)]);
    await api.uploadImportPart({ path: { id: begun.id, n }, file: part });
  }
  return begun.id;
}

/** Starts an import, lets the server work until it has nothing to do, and answers what came of it. */
export async function startFile(
  house: TestHouse,
  { api }: TestProject,
  id: string,
  body: Start = {},
): Promise<Answer<"getImport">["import"]> {
  await api.startImport({ path: { id }, body });
  await house.drain();
  return (await api.getImport({ path: { id } })).import;
}
