import type { TestHouse, TestProject } from "../harness.ts";
import type { Model, Props } from "./model.ts";

/** A project with its model, both as old as the house's clock says. */
export type Stage = { house: TestHouse; project: TestProject; model: Model };

/** An event as a step has it. */
export type Tracked = { userId: string; event: string; eventId: string | null; props: Props | null };
