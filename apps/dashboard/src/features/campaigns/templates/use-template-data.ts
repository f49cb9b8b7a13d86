import { useState } from "react";
import { keep, readKept } from "../../../platform/kept.ts";
import { type Data, readData } from "./template-data.pure.ts";

/** What the preview of a template is filled with. */
export type TemplateData = {
  /** What a person has typed; null while it is filled with samples. */
  text: string | null;
  /** The data of it, of before where the text is none; null for samples. */
  value: Data | null;
  isReadable: boolean;
  /** Null goes back to samples. */
  change: (text: string | null) => void;
};

/** Of a message that is filled with no data. */
export const NO_DATA: TemplateData = { text: null, value: null, isReadable: true, change: () => undefined };

/** The data that a person has typed for a template, which this tab keeps over a reload. @param key names the template */
export function useTemplateData(key: string): TemplateData {
  const name = `data ${key}`;
  const [text, setText] = useState(() => readKept<string>(name));
  const read = text === null ? null : readData(text);
  const [last, setLast] = useState<Data | null>(null);
  const isReadable = text === null || read !== null;
  return {
    text,
    value: text === null ? null : (read ?? last),
    isReadable,
    change(typed) {
      if (read !== null) setLast(read);
      setText(typed);
      keep(name, typed);
    },
  };
}
