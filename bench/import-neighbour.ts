import { setTimeout as sleep } from "node:timers/promises";
import type { Client } from "@tidings/client";
import { type BenchFile, startFile, uploadFile } from "./import-files.ts";
import { httpRequest, type Load, load } from "./load.ts";
import { median, verdict } from "./report.ts";

/** Few enough that most of the machine is idle, as it is for a small server most of the time. */
const CONNECTIONS = 2;
/** The share of its requests that the neighbour keeps at least, and how much later its p99 may be. */
const [LEAST, MOST_P99] = [0.7, 1.3];

const KINDS = ["track", "messages"] as const;
type Measured = Record<(typeof KINDS)[number], Load>;
type Neighbour = { publishableKey: string };
type Options = { port: number; rounds: number; seconds: number; neighbour: Neighbour; api: Client };

let sequence = 0;

/** The neighbour's requests, one kind after the other, so that neither disturbs the other. */
async function measure({ port, seconds, neighbour: { publishableKey } }: Options): Promise<Measured> {
  const drive = (request: () => string): Promise<Load> =>
    load({ port, connections: CONNECTIONS, seconds, request });
  const user = (): string => `user-${Math.floor(Math.random() * 1_000)}`;
  const track = await drive(() =>
    httpRequest(
      "POST",
      "/api/v1/track",
      publishableKey,
      `{"userId":"${user()}","event":"page_viewed","eventId":"e-${sequence++}"}`,
    ),
  );
  const messages = await drive(() => httpRequest("GET", `/api/v1/messages?userId=${user()}`, publishableKey));
  return { track, messages };
}

const line = (measured: Load): string =>
  `${measured.requestsPerSecond.toFixed(0).padStart(6)}/s p99 ${measured.p99.toFixed(1).padStart(6)} ms`;

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
    const ratios = { track: { rate: [], p99: [] }, messages: { rate: [], p99: [] } } as Record<
      (typeof KINDS)[number],
      { rate: number[]; p99: number[] }
    >;
    let before = 0;
    for (let round = 1; round <= options.rounds; round++) {
      const quiet = await measure(options);
      await startFile(importing, id);
      const began = performance.now();
      const beside = await measure(options);
      const took = (performance.now() - began) / 1_000;
      const lines = await stopped(importing, id);
      if (lines === null) throw new Error(`The file of ${file.kind} has ended: take more lines.`);
      for (const kind of KINDS) {
        const [one, other] = [beside[kind], quiet[kind]];
        ratios[kind].rate.push(one.requestsPerSecond / other.requestsPerSecond);
        ratios[kind].p99.push(one.p99 / other.p99);
        console.log(
          `${file.kind} round ${round}  ${kind.padEnd(8)} undisturbed ${line(other)}   beside the import ${line(one)}  ${JSON.stringify(one.statuses)}`,
        );
      }
      console.log(
        `${file.kind} round ${round}  the import meanwhile: ${Math.round((lines - before) / took)} lines/s`,
      );
      before = lines;
    }
    for (const kind of KINDS) {
      const { rate, p99 } = ratios[kind];
      verdict(`${kind} beside ${file.kind}, of its requests`, median(rate), LEAST);
      verdict(`${kind} beside ${file.kind}, ${MOST_P99} / its p99 ratio`, MOST_P99 / median(p99), 1);
    }
  }
}
