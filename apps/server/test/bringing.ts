import type { Answer, Input } from "@tidings/client";
import type { TestHouse, TestProject } from "./harness.ts";

type Made = Pick<Input<"createImport">["body"], "kind"> & Partial<Input<"createImport">["body"]>;
type Start = NonNullable<Input<"startImport">["body"]>;

/** Uploads a file of one part, and answers the id of its import. */
export async function uploadFile({ api }: TestProject, file: string, made: Made): Promise<string> {
  const { import: begun } = await api.createImport({ body: { name: "file.csv", ...made } });
  await api.uploadImportPart({ path: { id: begun.id, n: 1 }, file: new Blob([file]) });
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
