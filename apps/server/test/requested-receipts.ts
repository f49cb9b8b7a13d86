import type { Answer } from "@tidings/client";
import type { SharedHouse, TestHouse, TestProject } from "./harness.ts";

type TemplateBody = Parameters<TestProject["api"]["createCampaign"]>[0]["body"];
type SendBody = Parameters<TestProject["api"]["sendMail"]>[0]["body"];

/** A template of receipts that is live, `receipt` by its key, with whatever is given on top. */
export async function receiptTemplate(
  { api }: TestProject,
  more: Partial<TemplateBody> = {},
): Promise<Answer<"createCampaign">["campaign"]> {
  const { campaign } = await api.createCampaign({
    body: {
      name: "Receipt",
      channel: "email",
      purpose: "transactional",
      key: "receipt",
      launch: true,
      message: { subject: "Receipt {{ data.number }}", body: "Total: {{ data.total }}" },
      ...more,
    },
  });
  return campaign;
}

/** A body that requests a receipt for Ada, with whatever is given on top. */
export const receiptBody = (more: Partial<SendBody> = {}): SendBody => ({
  template: "receipt",
  to: { email: "ada@example.com" },
  data: { number: "A-1", total: "24" },
  ...more,
});

/** Requests such a receipt. */
export const sendReceipt = async (
  { api }: TestProject,
  more: Partial<SendBody> = {},
): Promise<Answer<"sendMail">["send"]> => (await api.sendMail({ body: receiptBody(more) })).send;

/** Sends any body to an operation of a project as it is; answers status, body and headers. */
export async function posted(
  project: TestProject,
  body: unknown,
  headers: Readonly<Record<string, string>> = {},
): Promise<{ status: number; body: unknown; headers: Headers }> {
  const response = await fetch(`${project.url}/api/v1/send`, {
    method: "POST",
    body: typeof body === "string" ? body : JSON.stringify(body),
    headers: {
      authorization: `Bearer ${project.secretKey}`,
      "content-type": "application/json",
      ...headers,
    },
  });
  return { status: response.status, body: await response.json(), headers: response.headers };
}

/** How many rows a project has of all that a request writes. */
export async function rowsOf(
  house: SharedHouse | TestHouse,
  { projectId }: TestProject,
): Promise<{ users: number; deliveries: number; sends: number; data: number; files: number }> {
  const { rows } = await house.database.pool.query<Record<string, number>>(
    `select (select count(*)::int from users where project_id = $1) as users,
      (select count(*)::int from deliveries where project_id = $1) as deliveries,
      (select count(*)::int from email_sends where project_id = $1) as sends,
      (select count(*)::int from send_data where project_id = $1) as data,
      (select count(*)::int from send_files where project_id = $1) as files`,
    [projectId],
  );
  const { users = 0, deliveries = 0, sends = 0, data = 0, files = 0 } = rows[0] ?? {};
  return { users, deliveries, sends, data, files };
}
