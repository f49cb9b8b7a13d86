import { Button, Stack, Text } from "@mantine/core";
import { Copied } from "../../../ui/texts/copied.tsx";
import { words } from "../words.ts";

type Props = {
  secret: string;
  /** What else there is to know now. */
  about: string;
  close: () => void;
};

/** The secret of a webhook, for the only time. */
export const ShownSecret = ({ secret, about, close }: Props) => (
  <Stack>
    <Text>{words.secretShown}</Text>
    <Copied text={secret} label={words.secret} />
    <Text size="sm">{words.secretAbout}</Text>
    <Text size="sm">{about}</Text>
    <Button data-autofocus onClick={close}>
      {words.close}
    </Button>
  </Stack>
);
