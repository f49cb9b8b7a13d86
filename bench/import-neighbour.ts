import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@tidings/client";
import { type BenchFile, startFile, uploadFile } from "./import-files.ts";
import { compareRequests, type Measured, measureRequests } from "./neighbour-requests.ts";

type Neighbour = { publishableKey: string };
type Options = { port: number; rounds: number; seconds: number; neighbour: Neighbour; api: Client };

const measure = ({ port, seconds, neighbour: { publishableKey } }: Options): Promise<Measured> =>
  measureRequests({ port, seconds, publishableKey });

/** Stops an import, and answers how many lines it brought in so far; null where it had ended before. */
async function stopped(importing: Client, id: string): Promise<number | null> {
  const { import: now } = await importing.getImport({ path: { id } });
  if (now.state !== "running") return null;
  await importing.stopImport({ path: { id } });
  // The piece that is under way is taken back.
  await sleep(1_000);
  return (await importing.getImport({ path: { id } })).import.lines;
}

/** Measures a neighbour while files are brought in, in turn with the same undisturbed, and prints what it keeps of its requests. */
export async function measureNeighbour(
  importing: Client,
  files: readonly BenchFile[],
  options: Options,
): Promise<void> {
  await options.api.createCampaign({
    body: { name: "To all", launch: true, message: { presentation: "toast", title: "Hello" } },
  });
  await measure(options);
  for (const file of files) {
    const id = await uploadFile(importing, file);
    const compared = compareRequests(`an import of ${file.kind}`);
    let before = 0;
    for (let round = 1; round <= options.rounds; round++) {
      const quiet = await measure(options);
      await startFile(importing, id);
      const began = performance.now();
      const beside = await measure(options);
      const took = (performance.now() - began) / 1_000;
      const lines = await stopped(importing, id);
      if (lines === null) throw new Error(`The file of ${file.kind} has ended: take more lines.`);
      compared.add(`${file.kind} round ${round}`, quiet, beside);
      console.log(
        `${file.kind} round ${round}  the import meanwhile: ${Math.round((lines - before) / took)} lines/s`,
      );
      before = lines;
    }
    compared.judge();
  }
}
