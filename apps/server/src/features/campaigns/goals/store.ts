import type { Selectable } from "kysely";
import { apiId } from "../../../domain/ids.ts";
import type { Db, Tables } from "../../../platform/db/db.ts";
import type { Goal } from "./schema.ts";

type GoalRow = Selectable<Tables["goals"]>;

const toGoal = ({ id, projectId: _, guardrails, ...rest }: GoalRow): Goal => ({
  ...rest,
  id: apiId("goal", id),
  // Only checked objects are written to this column.
  guardrails: guardrails as Goal["guardrails"],
});

export type NewGoal = {
  id: string;
  name: string;
  description: string | null;
  targetEvent: string | null;
  guardrails: string | null;
  approvalMode: Goal["approvalMode"];
  attributionDays: number;
  holdoutPercent: number;
  createdAt: number;
};

export async function insertGoal(db: Db, projectId: string, goal: NewGoal): Promise<Goal> {
  const row = await db
    .insertInto("goals")
    .values({ ...goal, projectId, status: "active" })
    .returningAll()
    .executeTakeFirstOrThrow();
  return toGoal(row);
}

/** `lock`: until the transaction ends, only one campaign at a time is launched under the goal. */
export async function findGoal(
  db: Db,
  projectId: string,
  uuid: string,
  lock: "read" | "lock" = "read",
): Promise<Goal | null> {
  const row = await db
    .selectFrom("goals")
    .selectAll()
    .where("projectId", "=", projectId)
    .where("id", "=", uuid)
    // Rows that refer to the goal can still be written by others meanwhile.
    .$if(lock === "lock", (query) => query.forNoKeyUpdate())
    .executeTakeFirst();
  return row === undefined ? null : toGoal(row);
}

/** Newest first, at most 100. */
export async function listGoals(db: Db, projectId: string, status: Goal["status"] | null): Promise<Goal[]> {
  const rows = await db
    .selectFrom("goals")
    .selectAll()
    .where("projectId", "=", projectId)
    .$if(status !== null, (query) => query.where("status", "=", status as Goal["status"]))
    .orderBy("createdAt", "desc")
    .orderBy("id", "desc")
    .limit(100)
    .execute();
  return rows.map(toGoal);
}

/** Fields of a goal to change; `undefined` leaves one as it is, null clears it. */
export type GoalChange = {
  [Field in
    | "name"
    | "description"
    | "targetEvent"
    | "guardrails"
    | "approvalMode"
    | "attributionDays"
    | "holdoutPercent"]?: NewGoal[Field] | undefined;
} & { status?: Goal["status"] | undefined };

/** Changes a goal, and raises its revision where that changes something. */
export async function updateGoal(
  db: Db,
  projectId: string,
  uuid: string,
  change: GoalChange,
): Promise<Goal | null> {
  const row = await db
    .updateTable("goals")
    .set((eb) => {
      const named = Object.entries(change).filter(([, value]) => value !== undefined);
      // The names are those of columns, which `entries` forgets.
      const differs = named.map(([field, value]) => eb(field as keyof GoalChange, "is distinct from", value));
      return {
        ...change,
        revision: eb
          .case()
          .when(eb.or(differs))
          .then(eb("revision", "+", 1))
          .else(eb.ref("revision"))
          .end(),
      };
    })
    .where("projectId", "=", projectId)
    .where("id", "=", uuid)
    .returningAll()
    .executeTakeFirst();
  return row === undefined ? null : toGoal(row);
}
