import type { Feature } from "../../domain/feature.ts";
import { secretKeyCommands } from "./commands/secret-key.ts";
import { doctorLoop } from "./doctor-loop.ts";
import { getAtWork } from "./get-at-work.ts";
import { getDoctor } from "./get-doctor.ts";
import { getSystem } from "./get-system.ts";
import { runDoctor } from "./run-doctor.ts";
import { tables } from "./tables.pure.ts";

export const system: Feature = {
  room: "system",
  tables,
  endpoints: [getAtWork, getSystem, getDoctor, runDoctor],
  loops: [doctorLoop],
  commands: [secretKeyCommands],
  tags: { Server: "The server itself: what it runs on, what it is busy with, whether all counts are right." },
};
