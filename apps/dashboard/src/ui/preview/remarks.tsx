import { Alert } from "@mantine/core";
import { warningText } from "../findings/rules.pure.ts";
import type { Preview } from "./message.tsx";

/** What the code that delivers says of a message: why a user would not get it, which traits no user has. */
export const Remarks = ({ preview: { remarks } }: { preview: Preview }) =>
  remarks.map((remark) => (
    <Alert key={remark.path + remark.message} color={remark.severity === "error" ? "red" : "yellow"} p="xs">
      {warningText(remark)}
    </Alert>
  ));
