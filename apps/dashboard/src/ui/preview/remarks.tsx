import { Alert } from "@mantine/core";
import type { Preview } from "./message.tsx";

/** What the code that delivers says of a message: why a user would not get it, which traits nobody has. */
export const Remarks = ({ of: { remarks } }: { of: Preview }) =>
  remarks.map(({ message, severity, path }) => (
    <Alert key={path + message} color={severity === "error" ? "red" : "yellow"} p="xs">
      {message}
    </Alert>
  ));
