import type { SharedHouse, TestHouse } from "./harness.ts";
import { fateOf, reportedBy, sentMail, suppressionOf } from "./mail.ts";
import {
  type About,
  type FakeProvider,
  type FakeSns,
  fakeMailgun,
  fakePostmark,
  fakeSendGrid,
  fakeSes,
  type Posted,
  type Saying,
} from "./provider-mail.ts";

/** Each provider, made anew; SES speaks through `sns`. */
export const providerMakers = (sns: FakeSns): Readonly<Record<FakeProvider["name"], () => FakeProvider>> => ({
  ses: () => fakeSes(sns),
  postmark: fakePostmark,
  sendgrid: fakeSendGrid,
  mailgun: fakeMailgun,
});

/** Posts a report to the hook of a provider and a project. */
export async function postReport(house: SharedHouse, path: string, { headers, body }: Posted) {
  const answer = await fetch(`${house.url}/hooks/email/${path}`, { method: "POST", headers, body });
  return { status: answer.status, body: (await answer.json()) as unknown };
}

/** A mail of a new project that left a minute ago, and a provider that reports it. */
export async function reportedMail(
  house: TestHouse,
  makers: ReturnType<typeof providerMakers>,
  name: FakeProvider["name"],
  options?: Parameters<typeof sentMail>[2],
) {
  const provider = makers[name]();
  const project = await house.project();
  await reportedBy(house, project, name, provider.secret);
  const mail = await sentMail(house, project, options);
  const sentAt = house.now();
  house.advance(60_000);
  const path = `${name}/${project.projectId}`;
  return {
    provider,
    project,
    mail,
    sentAt,
    path,
    fate: () => fateOf(house, project, mail),
    suppression: () => suppressionOf(house, project, mail.address),
    say: (saying: Saying, at = house.now() - 5_000, about: About = { deliveryId: mail.deliveryId }) =>
      postReport(house, path, provider.post([provider.event(saying, about, at)], house.now())),
  };
}
