import { Anchor, Badge, Card, Group, Stack, Text } from "@mantine/core";
import { Link } from "@tanstack/react-router";
import { type Me, useMe } from "../../../platform/me.ts";
import { reaches } from "../../../platform/pages.ts";
import classes from "../../../ui/look/long.module.css";
import { Page } from "../../../ui/page.tsx";
import { words } from "../words.ts";
import { DemoOffer } from "./demo-offer.tsx";
import { NewProject } from "./new-project.tsx";
import { ProjectGlance } from "./project-glance.tsx";
import { RemoveProject } from "./remove-project.tsx";
import { RenameProject } from "./rename-project.tsx";

type Project = Me["projects"][number];

function ProjectCard({ project, mayRemove }: { project: Project; mayRemove: boolean }) {
  const { id, name, role, isDemo } = project;
  return (
    <Card withBorder>
      <Group justify="space-between">
        <Group gap="xs">
          <Anchor component={Link} to={`/p/${id}/overview`} fw={600} className={classes.long}>
            {name}
          </Anchor>
          {isDemo && <Badge variant="default">{words.demo}</Badge>}
          <Badge variant="light">{role}</Badge>
        </Group>
        <Group gap="xs">
          {reaches(role, "owner") && <RenameProject id={id} name={name} />}
          {mayRemove && <RemoveProject id={id} name={name} />}
        </Group>
      </Group>
      <ProjectGlance scope={id} />
    </Card>
  );
}

/** The projects of this server, for those who look at all of them. */
export function Projects() {
  const { projects, isOperator } = useMe();
  return (
    <Page title={words.projects} about={words.projectsAbout} actions={isOperator && <NewProject />}>
      <DemoOffer />
      {projects.length === 0 && <Text>{words.none}</Text>}
      <Stack>
        {projects.map((project) => (
          <ProjectCard key={project.id} project={project} mayRemove={isOperator} />
        ))}
      </Stack>
    </Page>
  );
}
