import { type Connection, inTransaction } from "../../../platform/db/db.ts";
import { patiently } from "../../../platform/db/transactions/patiently.ts";
import { endpoint, KIB } from "../../../platform/http/contract/endpoint.ts";
import { ApiError } from "../../../platform/http/contract/errors.ts";
import { rouse } from "../../../platform/loops/changes.ts";
import { derivedKey } from "../../../platform/uuid.ts";
import { wakeAfterDelta } from "../../counting/rollups/public.ts";
import { activePeriods } from "../../counting/usage/public.ts";
import { authenticateInstallation } from "../../users/devices/public.ts";
import { installationPath } from "../../users/devices/schema.ts";
import { isServerEvent } from "../tracking/public.ts";
import { apply } from "./apply.ts";
import { read, refuseObservation } from "./read.ts";
import { judgeOrder } from "./rules.ts";
import { ObservationsAnswer, ObservationsBody } from "./schema.ts";
import { findReported, lockDevice, lockObservedUser } from "./store.ts";

const STALE = "bindingGeneration is not that of the installation; read it again";

export const recordObservations = endpoint(
  {
    id: "recordObservations",
    method: "POST",
    path: "/api/v1/sdk/installations/{installationId}/observations",
    tag: "Installations",
    summary: "Say what became of pushes, and what the user did",
    description:
      "Commands of a binding are counted from 1, without a gap, and are kept all or none. A repeat is answered the same and changes nothing; a request may begin with commands that are kept and go on with new ones. An event of the setting `identity.serverEvents` is acknowledged and not recorded. 409 says which command does not fit.",
    keys: ["publishable"],
    budget: "installations",
    needsCapability: true,
    params: installationPath,
    bodyLimit: 64 * KIB,
    whenTooLarge: "send fewer commands at once",
    body: ObservationsBody,
    example: {
      bindingGeneration: 1,
      commands: [{ id: "opened-1", sequence: 1, kind: "event", event: "app_opened", eventId: "opened-1" }],
    },
    result: ObservationsAnswer,
    refusals: "strict",
    errors: ["not_found", "conflict"],
    headers: { "cache-control": "no-store" },
  },
  async (ctx, { params: { installationId }, capability, body: { bindingGeneration, commands } }) => {
    const { app, projectId, now } = ctx;
    const periodOf = await activePeriods(app, projectId);
    const period = periodOf(now);
    const { ref, row } = await authenticateInstallation(ctx, installationId, capability);
    const { userLane: lane, userKey, verifier } = row;
    if (row.bindingGeneration !== bindingGeneration) throw refuseObservation(STALE);
    if (lane === null || userKey === null)
      throw refuseObservation("Nobody uses this installation: bind a user first");
    const reported = commands.map(read);
    const record = async (client: Connection): Promise<void> => {
      await lockObservedUser(client, { lane, userKey, projectId });
      const device = await lockDevice(client, projectId, ref, verifier);
      if (device === null) throw new ApiError("not_found", "Installation not found");
      const { externalId } = device;
      if (device.bindingGeneration !== bindingGeneration || externalId === null)
        throw refuseObservation(STALE);
      const binding = {
        lane,
        userKey,
        projectId,
        bindingGeneration,
        // An installation that was erased and registered again counts its commands from 1 again.
        installationKey: derivedKey(ref.installationKey, String(device.createdAt)),
      };
      const { last, kept } = await findReported(client, binding, reported);
      const judged = judgeOrder(reported, last, kept);
      if ("fault" in judged) throw refuseObservation(judged.fault);
      const fresh = reported.map((each, index) => ({ ...each, index })).slice(judged.repeats);
      if (fresh.length === 0) return;
      const isOfServer = (event: string): boolean => isServerEvent(ctx, event);
      const { userEventNames: maxNames } = app.config.limits;
      const source = { binding, ref, installationId, externalId };
      await apply(client, { ...source, now, period, isServerEvent: isOfServer, maxNames }, fresh);
    };
    await patiently(app, () => inTransaction(app.database.hotPool, record, "brief"));
    wakeAfterDelta(app);
    // An event may matter to a journey, which looks at it soon.
    if (commands.some(({ kind }) => kind === "event")) rouse(app);
    return { acknowledgedThrough: Math.max(...commands.map(({ sequence }) => sequence)) };
  },
);
