import assert from "node:assert/strict";
import { describe, it } from "node:test";
import fc from "fast-check";
import type { TestProject } from "../../../../test/harness.ts";
import { apnsRefuses } from "../../../../test/peers/apns.ts";
import type { PeerAnswer } from "../../../../test/peers/http2-peer.ts";
import {
  inspect,
  launchPush,
  MESSAGE,
  PUSH,
  pushHouse,
  putCredential,
  reachable,
} from "../../../../test/push.ts";
import { rounds } from "../../../../test/rounds.ts";
import { uuidOf } from "../../../domain/ids.ts";
import { drainLoops } from "../../../platform/loops/loops.ts";
import { DAY_MS, MINUTE_MS, SECOND_MS } from "../../../platform/time/clock.ts";
import { newUuid } from "../../../platform/uuid.ts";
import { bringTokensBackLoop } from "../../users/devices/tokens/bring-tokens-back.ts";
import { FIRST_PROBE_MS, LONGEST_PROBE_MS } from "../credentials/standing.pure.ts";
import { pushChannel } from "./send/channel.ts";
import { closeLoop } from "./send/close.ts";
import { leaseSlots } from "./send/lease.ts";

const { house, apns } = await pushHouse();

/** `MODEL_RUNS=200 npm test -- push/sending/model` plays more runs. */
const RUNS = Number(process.env.MODEL_RUNS ?? rounds(12, 25));
const TTL_DAYS = 20;

const ANSWERS = {
  accepted: null,
  dropped: "drop",
  refused: "refuse",
  server: apnsRefuses(500, "InternalServerError"),
  invalid: apnsRefuses(410, "Unregistered"),
  payload: apnsRefuses(413, "PayloadTooLarge"),
  credential: apnsRefuses(403, "InvalidProviderToken"),
  expired: apnsRefuses(403, "ExpiredProviderToken"),
} as const satisfies Record<string, PeerAnswer | null>;
type AnswerName = keyof typeof ANSWERS;

/** The expected state of a device's slot. */
type ModelSlot = {
  state: "open" | "accepted" | string;
  used: number;
  possible: number;
  /** The content of the newest target, as a number. */
  words: number;
  brokenAt: { credential: number; words: number } | null;
  refreshedAt: number | null;
  expiresAt: number;
};

/** `isKept`: its token has ended, and comes back with the next credential. */
type ModelDevice = {
  hasToken: boolean;
  isKept: boolean;
  consent: boolean;
  isAdas: boolean;
  slot: ModelSlot | null;
};

type Model = {
  status: "running" | "paused" | "ended";
  now: number;
  words: number;
  selection: number;
  selectedAt: number;
  credential: number;
  /** Whether a push was accepted with this credential; since it is refused: when it is asked again, and how often it was. */
  isProven: boolean;
  refusal: { probeAt: number; probes: number } | null;
  isPlanned: boolean;
  devices: ModelDevice[];
};

type Real = {
  project: TestProject;
  id: string;
  devices: Awaited<ReturnType<typeof reachable>>[];
  tokens: number;
  /** By slot: the last `submissionNotBefore`, and how many requests the provider had had when it accepted. */
  notBefore: Map<string, number>;
  requests: Map<string, number>;
  acceptedAfter: Map<string, number>;
};

const spare = { used: 0, possible: 0, brokenAt: null, refreshedAt: null };

/** Chooses the devices that can be sent to now, once. */
function plan(model: Model): void {
  if (model.status !== "running" || model.isPlanned) return;
  const able = model.devices.filter(({ hasToken, consent, isAdas }) => hasToken && consent && isAdas);
  if (able.length === 0) return;
  model.isPlanned = true;
  model.selectedAt = model.selection;
  for (const device of able)
    device.slot = { ...spare, state: "open", words: model.words, expiresAt: model.now + TTL_DAYS * DAY_MS };
}

function close(slot: ModelSlot, reason: string): void {
  slot.state = reason;
}

/** Applies an answer to a slot; true where the provider is asked again at once. */
function answered(slot: ModelSlot, device: ModelDevice, model: Model, answer: AnswerName): boolean {
  const { credential, words } = model;
  if (answer === "expired" && slot.refreshedAt !== credential) {
    slot.refreshedAt = credential;
    return true;
  }
  if (answer === "expired" || answer === "credential")
    model.refusal ??= { probeAt: model.now + FIRST_PROBE_MS, probes: 0 };
  else if (answer !== "refused") slot.used++;
  if (answer === "dropped") slot.possible++;
  if (answer === "payload") slot.brokenAt = { credential, words };
  if (answer === "accepted") {
    slot.state = "accepted";
    model.isProven = true;
    model.refusal = null;
  }
  if (answer !== "accepted" && slot.used === 3)
    close(slot, slot.possible > 0 ? "uncertain" : "submissions_spent");
  if (answer === "invalid") {
    device.hasToken = false;
    device.isKept = !model.isProven;
  }
  return false;
}

/** Whether the credential may be used in this turn: it is not refused, or asked again. */
function isUsable(model: Model): boolean {
  const { refusal, status, devices, now } = model;
  if (refusal === null) return true;
  const isLooked = status === "running" && devices.some(({ slot }) => slot?.state === "open");
  if (!isLooked || now < refusal.probeAt) return false;
  refusal.probes++;
  refusal.probeAt = now + Math.min(FIRST_PROBE_MS * 2 ** refusal.probes, LONGEST_PROBE_MS);
  return true;
}

/** Applies a turn to a device that is due; true where its push leaves. */
function look(model: Model, device: ModelDevice, usable: boolean): boolean {
  const { slot } = device;
  if (slot?.state !== "open") return false;
  if (model.status === "ended") close(slot, "campaign_ended");
  if (model.status !== "running") return false;
  if (model.now >= slot.expiresAt) close(slot, "expired");
  else if (!device.isAdas) close(slot, "binding_changed");
  else if (model.selection !== model.selectedAt) close(slot, "edited");
  else if (slot.possible > 0 && slot.words !== model.words) close(slot, "edited");
  else if (device.hasToken && device.consent) {
    if (!usable) return false;
    const { brokenAt } = slot;
    const isBroken =
      brokenAt !== null && model.credential <= brokenAt.credential && brokenAt.words === model.words;
    if (isBroken) return false;
    slot.brokenAt = null;
    slot.words = model.words;
    return true;
  }
  return false;
}

/** Plays one turn of the loops, in which the provider answers the same to all devices. */
function turn(model: Model, answer: AnswerName): void {
  plan(model);
  const usable = isUsable(model);
  for (const device of model.devices) {
    if (!look(model, device, usable)) continue;
    while (device.slot !== null && answered(device.slot, device, model, answer));
  }
}

async function turnReal(answer: AnswerName): Promise<void> {
  apns.behave(() => ANSWERS[answer]);
  await house.drain();
}

/** Asserts that the campaign is as the model says, and that the invariants are true. */
async function agree(model: Model, real: Real): Promise<void> {
  const found = await inspect(real.project, real.id);
  const { slots, outcomes, attempts, devices, records, targets } = found;
  const modelSlots = model.devices.flatMap(({ slot }, n) =>
    slot === null ? [] : [[real.devices[n]?.installationId, slot] as const],
  );
  const openly = slots.map(({ installationId, state, submissionsUsed, uncertain }) => ({
    installationId,
    state: state.kind === "closed" ? state.reason : state.kind === "accepted" ? "accepted" : "open",
    submissionsUsed,
    uncertain,
  }));
  const byId = (a: { installationId: string }, b: { installationId: string }): number =>
    a.installationId < b.installationId ? -1 : 1;
  assert.deepEqual(
    openly.sort(byId),
    modelSlots
      .map(([installationId = "", slot]) => ({
        installationId,
        state: slot.state,
        submissionsUsed: slot.used,
        uncertain: slot.possible > 0,
      }))
      .sort(byId),
  );
  for (const slot of slots) {
    assert.ok(slot.submissionsUsed <= 3);
    assert.ok(slot.submissionNotBefore >= (real.notBefore.get(slot.id) ?? 0), "submissionNotBefore fell");
    real.notBefore.set(slot.id, slot.submissionNotBefore);
    const own = outcomes.filter(({ slotId }) => slotId === slot.id);
    assert.equal(own.filter(({ submission }) => submission !== "none").length, slot.submissionsUsed);
    const requests = apns.requests.filter(({ payload }) =>
      payload.tidings.targetId.includes(slot.id.slice(4)),
    ).length;
    if (slot.state.kind === "accepted") {
      assert.equal(
        requests,
        real.acceptedAfter.get(slot.id) ?? requests,
        "an accepted slot was submitted again",
      );
      real.acceptedAfter.set(slot.id, requests);
      assert.equal(attempts.filter(({ slotId }) => slotId === slot.id).length, slot.sequence);
    }
    const taken = apns.taken.filter(({ payload }) =>
      payload.tidings.targetId.includes(slot.id.slice(4)),
    ).length;
    const unknown = own.filter(({ result }) => result.kind === "unknown").length;
    assert.ok(taken <= 1 + unknown, "more arrived than was unknown");
  }
  const kinds = (kind: string): number => outcomes.filter(({ submission }) => submission === kind).length;
  assert.deepEqual(
    [devices.targeted, devices.attempts, devices.confirmedSubmissions, devices.possibleSubmissions],
    [slots.length, attempts.length, kinds("confirmed"), kinds("possible")],
  );
  assert.deepEqual(
    [records.targets, records.attempts, records.outcomes, records.slots],
    [targets.length, attempts.length, outcomes.length, slots.length],
  );
  assert.equal(devices.accepted, slots.filter(({ state }) => state.kind === "accepted").length);
  assert.equal(devices.pendingOutcomes, attempts.length - outcomes.length);
}

type Command = fc.AsyncCommand<Model, Real>;

/** How often each command was run, and each state seen after one. */
const seen = new Map<string, number>();
const saw = (what: string): unknown => seen.set(what, (seen.get(what) ?? 0) + 1);

/** A command: its effect on the model, and how it is run against the server. */
const command = (
  name: string,
  inModel: (model: Model) => void,
  inReal: (real: Real, model: Model) => Promise<unknown>,
  isPossible: (model: Readonly<Model>) => boolean = () => true,
): Command => ({
  check: isPossible,
  async run(model, real) {
    // The command may read the model as it was before.
    await inReal(real, model);
    inModel(model);
    saw(name);
    for (const { slot } of model.devices) saw(`slot: ${slot?.state ?? "none"}`);
    await agree(model, real);
  },
  toString: () => name,
});

const isAlive = ({ status }: Readonly<Model>): boolean => status !== "ended";

/** Longer than any wait of the rules. */
const PATIENCE_MS = 25 * MINUTE_MS;

const later = (ms: number) => (model: Model) => {
  model.now += ms;
};

const send = (answer: AnswerName): Command =>
  command(
    `send: ${answer}`,
    (model) => {
      later(PATIENCE_MS)(model);
      turn(model, answer);
    },
    async () => {
      house.advance(PATIENCE_MS);
      await turnReal(answer);
    },
  );

const dispatch = command(
  "plan",
  plan,
  async ({ project, id }) => {
    await project.api.dispatchCampaignPush({ path: { id } });
  },
  isAlive,
);

/** A process leases what is due, and dies before it has recorded the outcomes. */
const crash = command(
  "crash",
  (model) => {
    later(PATIENCE_MS)(model);
    const usable = isUsable(model);
    for (const device of model.devices) {
      if (!look(model, device, usable) || device.slot === null) continue;
      device.slot.used++;
      device.slot.possible++;
      if (device.slot.used === 3) close(device.slot, "uncertain");
    }
    plan(model);
    for (const device of model.devices)
      if (device.slot?.state === "open" && device.slot.possible === 0 && device.slot.used === 0)
        look(model, device, usable);
  },
  async ({ project: { projectId }, id }) => {
    house.advance(PATIENCE_MS);
    const { app } = house.tidings;
    const terms = { projectId, leaseOwner: newUuid(house.now()), backOffUntil: () => 0 };
    const campaignId = uuidOf("cmp", id) ?? "";
    while ((await leaseSlots(app, terms, { campaignId, tests: false })).looked > 0);
    await drainLoops(app, [pushChannel.reapLoop]);
  },
  ({ isPlanned, status }) => isPlanned && status === "running",
);

const edit = command(
  "edit the words",
  (model) => {
    model.words++;
  },
  async ({ project, id }, model) => {
    const message = { ...MESSAGE, title: `Words ${model.words + 1}` };
    await project.api.updateCampaign({ path: { id }, body: { message } });
  },
  isAlive,
);

const select = command(
  "edit the selection",
  (model) => {
    model.selection = (model.selection + 1) % 2;
    model.words++;
  },
  async ({ project, id }, model) => {
    const installationId = "none";
    const selection =
      model.selection === 0 ? { kind: "specific" as const, installationId } : { kind: "all" as const };
    const message = { ...MESSAGE, title: `Words ${model.words + 1}` };
    const push = { ...PUSH, selection, ttlSeconds: TTL_DAYS * 86_400 };
    await project.api.updateCampaign({ path: { id }, body: { push, message } });
  },
  ({ status, isPlanned }) => status !== "ended" && isPlanned,
);

const status = (action: "pause" | "launch" | "end", from: readonly string[], to: Model["status"]): Command =>
  command(
    action,
    (model) => {
      model.status = to;
      if (to === "ended") turn(model, "accepted");
    },
    async ({ project, id }) => {
      await project.api.setCampaignStatus({ path: { id }, body: { action } });
      if (action === "end") await drainLoops(house.tidings.app, [closeLoop]);
    },
    (model) => from.includes(model.status),
  );

const credential = command(
  "put another credential",
  (model) => {
    model.credential++;
    model.isProven = false;
    model.refusal = null;
    for (const device of model.devices) {
      device.hasToken ||= device.isKept;
      device.isKept = false;
    }
  },
  async ({ project }, model) => {
    await putCredential(project, apns.credential, {}, model.credential);
    await drainLoops(house.tidings.app, [bringTokensBackLoop]);
  },
);

const onDevice = (
  name: string,
  n: number,
  inModel: (device: ModelDevice) => void,
  inReal: (real: Real, device: Real["devices"][number]) => Promise<unknown>,
): Command =>
  command(
    `device ${n}: ${name}`,
    (model) => {
      const device = model.devices[n];
      if (device !== undefined) inModel(device);
    },
    async (real) => {
      const device = real.devices[n];
      if (device !== undefined) await inReal(real, device);
    },
  );

const deviceCommands = (n: number): Command[] => [
  onDevice(
    "agree",
    n,
    (device) => {
      device.consent = true;
    },
    (_, device) => device.say(),
  ),
  onDevice(
    "withdraw",
    n,
    (device) => {
      device.consent = false;
    },
    (_, device) => device.say({ consent: false }),
  ),
  onDevice(
    "token",
    n,
    (device) => {
      device.hasToken = true;
      device.isKept = false;
    },
    (real, device) => device.put(`aa${(real.tokens++).toString(16).padStart(10, "0")}${device.token}`),
  ),
  onDevice(
    "no token",
    n,
    (device) => {
      device.hasToken = false;
      device.isKept = false;
    },
    (_, device) => device.put(null),
  ),
  onDevice(
    "somebody else",
    n,
    (device) => {
      device.isAdas = false;
      device.consent = false;
    },
    (_, device) => device.bind("ben"),
  ),
];

const expiry = command(
  "time runs out",
  (model) => {
    later(TTL_DAYS * DAY_MS)(model);
    turn(model, "accepted");
  },
  async () => {
    house.advance(TTL_DAYS * DAY_MS);
    await turnReal("accepted");
  },
);

const everyCommand: fc.Arbitrary<Command>[] = [
  ...(Object.keys(ANSWERS) as AnswerName[]).map((answer) => fc.constant(send(answer))),
  fc.constant(send("dropped")),
  fc.constant(send("server")),
  ...[dispatch, dispatch, crash, crash, edit, select, credential, expiry].map((each) => fc.constant(each)),
  fc.constant(status("pause", ["running"], "paused")),
  fc.constant(status("launch", ["paused"], "running")),
  fc.constant(status("launch", ["paused"], "running")),
  fc.constant(status("end", ["running", "paused"], "ended")),
  ...[0, 1].flatMap((n) => deviceCommands(n).map((each) => fc.constant(each))),
];

async function begin(): Promise<{ model: Model; real: Real }> {
  const project = await house.project();
  await putCredential(project, apns.credential);
  await project.sdk.identify({ body: { userId: "ada", traits: { name: "Ada" } } });
  const devices = [await reachable(project, "ada"), await reachable(project, "ada")];
  const { id } = await launchPush(project, {
    push: { ...PUSH, selection: { kind: "all" }, ttlSeconds: TTL_DAYS * 86_400 },
    targeting: { traits: { name: "Ada" } },
  });
  const device = (): ModelDevice => ({
    hasToken: true,
    isKept: false,
    consent: true,
    isAdas: true,
    slot: null,
  });
  return {
    model: {
      status: "running",
      now: house.now(),
      words: 0,
      selection: 0,
      selectedAt: 0,
      credential: 1,
      isProven: false,
      refusal: null,
      isPlanned: false,
      devices: [device(), device()],
    },
    real: {
      project,
      id,
      devices,
      tokens: 0,
      notBefore: new Map(),
      requests: new Map(),
      acceptedAfter: new Map(),
    },
  };
}

describe("the devices of a campaign, whatever happens", () => {
  it("do what a small model of them says", { timeout: 600_000 }, async (t) => {
    await fc.assert(
      fc.asyncProperty(fc.commands(everyCommand, { maxCommands: 30, size: "max" }), async (commands) => {
        const begun = await begin();
        await fc.asyncModelRun(() => begun, commands);
        house.advance(SECOND_MS);
        apns.behave(() => null);
        // The next run must not find due slots of this one.
        const { project, id } = begun.real;
        if (begun.model.status !== "ended")
          await project.api.setCampaignStatus({ path: { id }, body: { action: "end" } });
        await house.drain();
        assert.deepEqual(await house.differences(), {});
      }),
      { numRuns: RUNS, endOnFailure: process.env.MODEL_RUNS === undefined, verbose: 1 },
    );
    t.diagnostic(`${RUNS} runs: ${[...seen].map(([what, times]) => `${what} ${times}`).join(", ")}`);
  });
});
