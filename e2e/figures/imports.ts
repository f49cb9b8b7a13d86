import { count } from "./truth.ts";
import type { Facts, View } from "./view.ts";
import { listOf, number, row, things } from "./written.ts";

const FILES_A_PAGE = 25;

/** The list of files; what a file that was only tried would change is on its own page. */
export async function importsFacts({ truth: { client } }: View): Promise<Facts> {
  const { imports } = await client.listImports();
  return { everywhere: listOf(imports.length, FILES_A_PAGE) };
}

/** A file that was tried, with the reasons for lines that are not taken. */
export async function importFacts({ truth: { client, campaigns }, names }: View): Promise<Facts> {
  const path = { id: names.$importId ?? "" };
  const { import: file } = await client.getImport({ path });
  const { columns, mapping } = await client.lookAtImport({ path, body: {} });
  const traits = mapping.traits === "rest" ? [] : (mapping.traits ?? []);
  const along = [mapping.userId, mapping.email, ...traits].filter((each) => each !== undefined).length;
  const sending = count(
    campaigns,
    ({ status, channel, once }) => status === "running" && channel !== "web_inapp" && !once,
  );
  return {
    everywhere: [
      `${things(sending, "campaign")} that ${sending === 1 ? "runs sends" : "run send"} mail or push to whoever matches: users whom this file brings may get it.`,
      `${number(file.bytes)} B, Table (CSV), cells between commas, ${things(columns.length, "column")}`,
      `${number(along)} of ${things(columns.length, "column comes", "columns come")} along.`,
      `Lines: ${number(file.lines)}`,
      `Would change something: ${number(file.written)}`,
      `Known already: ${number(file.known)}`,
      `Not taken: ${number(file.refused)}`,
      ...file.reasons.flatMap(({ text, count, firstLine }) =>
        row(text, { Lines: number(count), "First of them": number(firstLine) }),
      ),
    ],
  };
}
