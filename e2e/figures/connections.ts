import type { Facts, View } from "./view.ts";
import { number, row } from "./written.ts";

/** What libraries sent within the week at which the page opens, and what was not taken of it. */
export async function connectionsFacts({ truth: { client } }: View): Promise<Facts> {
  const { intake } = await client.getIntake();
  return {
    "What comes in": [
      "[Time back]: The last 7 days",
      ...intake.calls.flatMap(({ library, taken, refused }) =>
        row(library, { Taken: number(taken), "Not taken": number(refused) }),
      ),
      ...intake.problems.flatMap(({ text, names, count }) =>
        row(names.length === 0 ? text : `${text} / Such as: ${names.join(", ")}`, {
          "How many": number(count),
        }),
      ),
    ],
  };
}
