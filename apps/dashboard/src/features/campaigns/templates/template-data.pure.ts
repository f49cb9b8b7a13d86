import { parseTypedJson } from "../../../platform/typed-json.ts";

export type Data = Readonly<Record<string, unknown>>;

/** The data that a person has typed; null where it is no JSON object. */
export function readData(text: string): Data | null {
  try {
    const value = parseTypedJson(text);
    const isObject = typeof value === "object" && value !== null && !Array.isArray(value);
    return isObject ? (value as Data) : null;
  } catch {
    return null;
  }
}

/** Data as people read and type it. */
export const writtenData = (data: Data): string => JSON.stringify(data, null, 2);

/** Whether a sample has values that the data lacks. Both keep the order in which they were typed. */
export const lacks = (data: Data, sample: Data): boolean => JSON.stringify(data) !== JSON.stringify(sample);
