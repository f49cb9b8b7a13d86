import { Stack, Text } from "@mantine/core";
import { curlOf } from "../../../platform/curl.ts";
import { Copied } from "../../../ui/texts/copied.tsx";
import { words } from "../words.ts";

type Props = { sourceId: string; environment?: string };

/** The request with which CI reports a deployment. */
export const ReportSnippet = ({ sourceId, environment = "production" }: Props) => (
  <Stack gap="xs">
    <Text size="sm" c="dimmed">
      {words.noDeploymentsAbout}
    </Text>
    <Copied
      text={curlOf(location.origin, "/api/v1/deployments", "pk_…", {
        deploymentId: "ci-1042",
        sourceId,
        environment,
        sha: "the commit, all 40 characters of it",
        status: "success",
      })}
      label={words.reportLabel}
    />
  </Stack>
);
