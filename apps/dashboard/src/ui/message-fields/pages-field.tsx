import { Textarea } from "@mantine/core";
import { words } from "./words.ts";

type Props = {
  /** One pattern on each line. */
  pages: string;
  error: string | undefined;
  change: (pages: string) => void;
};

/** On which pages a message is shown. */
export const PagesField = ({ pages, error, change }: Props) => (
  <Textarea
    name="pages"
    label={words.pages}
    description={words.pagesAbout}
    autosize
    minRows={2}
    value={pages}
    error={error}
    onChange={({ currentTarget }) => change(currentTarget.value)}
  />
);
