import { useNamed } from "../../../platform/address.ts";
import { EditPage } from "../edit.tsx";

/** A template as a person changes it. */
export const EditTemplatePage = ({ scope }: { scope: string }) => (
  <EditPage scope={scope} id={useNamed("templateId")} purpose="transactional" />
);
