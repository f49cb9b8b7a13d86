import type { Answer } from "@tidings/client";

export type Member = Answer<"listPeople">["people"][number];
export type Invitation = Answer<"listPeople">["invitations"][number];
