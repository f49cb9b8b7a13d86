/**
 * Sends every operation its valid request with something wrong in it, thousands of times, and judges the answers by the
 * OpenAPI document alone.
 */
import { endpoints, outgoing, tags } from "../../src/features.ts";
import type { Endpoint } from "../../src/platform/http/contract/endpoint.ts";
import { openApiDocument } from "../../src/platform/http/openapi/document.ts";
import { type Random, randomFrom } from "../crash/random.ts";
import type { TestHouse, TestProject } from "../harness.ts";
import { capability, type World } from "../project-world.ts";
import { keyOf, png, sampleOf, worldFor } from "../samples.ts";
import { type ApiDocument, type Described, readDocument } from "./document.ts";
import { type Draft, type Edit, render, shown } from "./draft.ts";
import { drawBodyEdit, drawHeaderEdit, drawPathEdit, drawPayloadEdit, drawQueryEdit } from "./edits.ts";
import { toJson } from "./json.ts";
import { type Fault, judge } from "./judge.ts";
import { BOUNDARY, drawFormEdit, filePart, multipart } from "./multipart.ts";
import { richer } from "./richer.ts";
import { type Answered, createWire, type Wire } from "./wire.ts";

export type FuzzReport = {
  requests: number;
  /** Answers by status. */
  statuses: Record<number, number>;
  slowest: { ms: number; operation: string };
  /** Each in words, with the smallest request that shows it. */
  faults: string[];
};

export type FuzzOptions = { requests: number; seed: number; say?: (line: string) => void };

const AT_ONCE = 6;
const MAX_EDITS = 4;
const MAX_SHRINKS = 80;
/** Of one operation: what comes after is no news. */
const MAX_REPORTED = 20;
/** Operations whose request only succeeds once, or changes what the next one needs. */
const SPENDS_WORLD = new Set([
  "eraseUser",
  "archiveSegment",
  "setCampaignStatus",
  "updateSegment",
  "updateCampaign",
]);

type Setting = { house: TestHouse; document: ApiDocument; wire: Wire; report: FuzzReport };

const image = Buffer.from(await png.arrayBuffer());

const pairs = (record: Readonly<Record<string, string>> = {}): [string, string][] => Object.entries(record);

/** The valid request of an operation. */
async function draftOf({ spec }: Endpoint, world: World, project: TestProject): Promise<Draft> {
  const { path = {}, query, headers, body, file } = sampleOf(spec, world);
  const bytes = file && multipart([filePart(Buffer.from(await file.arrayBuffer()))]);
  const type = bytes ? `multipart/form-data; boundary=${BOUNDARY}` : "application/json";
  return {
    method: spec.method,
    template: spec.path,
    path: Object.fromEntries(pairs(path).map(([name, value]) => [name, encodeURIComponent(value)])),
    query: pairs(query).map(([name, value]) => [name, encodeURIComponent(value)]),
    headers: [
      ["authorization", `Bearer ${keyOf(project, spec)}`],
      ...(body === undefined && bytes === undefined ? [] : [["content-type", type] as const]),
      ...pairs(headers),
    ],
    ...(body === undefined ? {} : { body }),
    ...(bytes === undefined ? {} : { bytes }),
  };
}

/** Draws one change that the operation has a place for. */
function drawEdit(document: ApiDocument, random: Random, described: Described, draft: Draft): Edit {
  const names = Object.keys(draft.path);
  const roll = random.int(100);
  if (names.length > 0 && roll < (described.body ? 8 : 45)) return drawPathEdit(random, names, described);
  if (roll < (described.body || draft.bytes ? 16 : 85)) {
    const hasQuery = described.parameters.some((each) => each.in === "query");
    if (random.chance(hasQuery ? 0.9 : 0.3)) return drawQueryEdit(random, described);
    return drawHeaderEdit(random, described);
  }
  if (roll < 22) return drawHeaderEdit(random, described);
  if (draft.bytes !== undefined) return drawFormEdit(random, image);
  if (described.body === undefined) return drawHeaderEdit(random, described);
  if (roll < 25) return drawPayloadEdit(random, toJson(draft.body));
  return drawBodyEdit(document, random, draft.body, described.body);
}

/** What a reader of JSON makes of a payload; undefined where that is none. */
function readJson(payload: Buffer | null): unknown {
  try {
    return payload === null ? undefined : JSON.parse(payload.toString("utf8"));
  } catch {
    return undefined;
  }
}

/** One operation with a world that its requests succeed in, made anew when a request has used it up. */
class Target {
  readonly described: Described;
  readonly #setting: Setting;
  readonly #endpoint: Endpoint;
  #drafts: readonly [Draft, ...Draft[]] | null = null;
  #home: { world: World; project: TestProject } | null = null;
  #devices = 0;

  constructor(setting: Setting, endpoint: Endpoint) {
    this.#setting = setting;
    this.#endpoint = endpoint;
    const described = setting.document.operations.get(endpoint.spec.id);
    if (described === undefined) throw new Error(`The document does not describe ${endpoint.spec.id}.`);
    // What libraries of other services send is read whatever it is; the document says what is made of it.
    this.described = endpoint.spec.takesForeign ? { ...described, allows: () => true } : described;
  }

  /** Its valid requests. */
  async drafts(): Promise<readonly [Draft, ...Draft[]]> {
    if (this.#drafts !== null) return this.#drafts;
    if (this.#home === null) {
      const project = await this.#setting.house.project();
      const more = (world: World) => this.#richer(world);
      const world = await worldFor(this.#setting.house, project, this.#endpoint.spec, more);
      this.#home = { project, world };
    }
    const { project, world } = this.#home;
    if (this.#endpoint.spec.needsCapability) {
      const installationId = `device-${this.#devices++}`;
      const about = { appId: "com.example.app", platform: "ios", environment: "production" } as const;
      await project.sdk.bootstrapInstallation({ body: { ...about, capability, installationId } });
      world.installationId = installationId;
    }
    const plain = await draftOf(this.#endpoint, world, project);
    const bodies = this.#richer(world);
    this.#drafts = [plain, ...bodies.map((body) => ({ ...plain, body }))];
    return this.#drafts;
  }

  #richer(world: World): NonNullable<ReturnType<(typeof richer)[string]>> {
    return richer[this.described.id]?.(world) ?? [];
  }

  #spent(): void {
    const { id, needsCapability, method } = this.#endpoint.spec;
    if (SPENDS_WORLD.has(id)) this.#home = null;
    if (SPENDS_WORLD.has(id) || (needsCapability && method !== "GET")) this.#drafts = null;
  }

  /** Sends the valid request with these changes. */
  async ask(
    which: number,
    edits: readonly Edit[],
  ): Promise<{ fault: Fault | null; request: string; answer: Answered | null }> {
    const { wire, report } = this.#setting;
    const drafts = await this.drafts();
    const draft = edits.reduce((changed, edit) => edit.apply(changed), drafts[which] ?? drafts[0]);
    const sendable = render(draft);
    const request = shown(sendable);
    report.requests++;
    let answer: Answered;
    try {
      answer = await wire.send(sendable);
    } catch (error) {
      const says = error instanceof Error ? error.message : String(error);
      return { fault: { kind: "is not answered", about: says, says }, request, answer: null };
    }
    report.statuses[answer.status] = (report.statuses[answer.status] ?? 0) + 1;
    if (answer.tookMs > report.slowest.ms)
      report.slowest = { ms: answer.tookMs, operation: this.described.id };
    if (answer.status < 300) this.#spent();
    const body = this.described.body && readJson(sendable.payload);
    return { fault: judge(this.described, edits, answer, body), request, answer };
  }
}

/** The fewest and smallest changes that still show the same kind of fault. */
async function shrunk(
  target: Target,
  which: number,
  edits: readonly Edit[],
  kind: string,
): Promise<readonly Edit[]> {
  let [best, tries] = [edits, 0];
  const still = async (fewer: readonly Edit[]): Promise<boolean> => {
    if (tries++ >= MAX_SHRINKS) return false;
    const { fault } = await target.ask(which, fewer);
    if (fault?.kind !== kind) return false;
    best = fewer;
    return true;
  };
  for (const edit of edits) {
    const fewer = best.filter((each) => each !== edit);
    if (fewer.length > 0) await still(fewer);
  }
  for (let isSmaller = true; isSmaller; ) {
    isSmaller = false;
    for (const edit of best) {
      for (const smaller of edit.smaller()) {
        if (!(await still(best.map((each) => (each === edit ? smaller : each))))) continue;
        isSmaller = true;
        break;
      }
      if (isSmaller) break;
    }
  }
  return best;
}

async function fuzzOperation(
  setting: Setting,
  endpoint: Endpoint,
  requests: number,
  seed: number,
): Promise<void> {
  const target = new Target(setting, endpoint);
  const random = randomFrom(seed);
  const seen = new Set<string>();
  for (const which of (await target.drafts()).keys()) {
    const { answer } = await target.ask(which, []);
    if (answer === null || answer.status >= 300)
      setting.report.faults.push(`${endpoint.spec.id} refuses its valid request ${which}: ${answer?.text}`);
  }
  for (let sent = 1; sent < requests; sent++) {
    const drafts = await target.drafts();
    const which = random.int(drafts.length);
    const count = random.chance(0.75) ? 1 : random.between(2, MAX_EDITS);
    const edits = Array.from({ length: count }, () =>
      drawEdit(setting.document, random, target.described, drafts[which] ?? drafts[0]),
    );
    const { fault } = await target.ask(which, edits);
    const key = fault && `${fault.kind} ${fault.about}`;
    if (fault === null || key === null || seen.has(key) || seen.size > MAX_REPORTED) continue;
    seen.add(key);
    const least = await shrunk(target, which, edits, fault.kind);
    const again = await target.ask(which, least);
    const { fault: reported, request } = again.fault === null ? { fault, request: again.request } : again;
    const text = `${endpoint.spec.id} ${reported?.kind ?? fault.kind}\n${request}\n  -> ${(reported ?? fault).says.slice(0, 600)}`;
    if (seen.has(text)) continue;
    seen.add(text);
    setting.report.faults.push(text);
  }
}

/** Fuzzes every operation of a house; what it finds is in the report. */
export async function fuzz(house: TestHouse, { requests, seed, say }: FuzzOptions): Promise<FuzzReport> {
  const document = readDocument(openApiDocument({ endpoints, tags, outgoing }));
  const wire = createWire(house.url);
  const report: FuzzReport = { requests: 0, statuses: {}, slowest: { ms: 0, operation: "" }, faults: [] };
  const weights = endpoints.map(({ spec }) => (spec.body === undefined ? 1 : 3));
  const whole = weights.reduce((sum, each) => sum + each, 0);
  const waiting = endpoints.map((endpoint, index) => ({
    endpoint,
    share: Math.max(2, Math.ceil((requests * (weights[index] ?? 1)) / whole)),
    seed: seed + index * 7_919,
  }));
  const work = async (): Promise<void> => {
    for (let next = waiting.shift(); next !== undefined; next = waiting.shift()) {
      const before = report.faults.length;
      await fuzzOperation({ house, document, wire, report }, next.endpoint, next.share, next.seed);
      say?.(`${next.endpoint.spec.id}: ${next.share} requests, ${report.faults.length - before} faults`);
    }
  };
  try {
    await Promise.all(Array.from({ length: AT_ONCE }, work));
  } finally {
    wire.close();
  }
  return report;
}
