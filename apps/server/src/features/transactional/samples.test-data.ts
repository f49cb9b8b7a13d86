import type { Samples } from "../../../test/room-samples.ts";

export const samples: Samples = {
  sendMail: ({ templateKey }) => ({
    body: {
      template: templateKey,
      to: { email: "ada@example.com", name: "Ada" },
      data: { order: { number: "A-1001", total: "24.00 EUR" } },
    },
  }),
  getSend: ({ sendId }) => ({ path: { id: sendId } }),
};
