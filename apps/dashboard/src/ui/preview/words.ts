export const words = {
  previewOf: {
    web_inapp: "The message in a page",
    email: "The mail",
    push: "The push",
  },
  phone: "Phone",
  dark: "Dark",
  look: "How it is looked at",
  mailFrom: "From",
  mailTo: "To",
  mailSubject: "Subject",
  plain: "As plain text",
  headers: "Headers",
  header: "Header",
  value: "Value",
  payload: (platform: string) => `What ${platform === "ios" ? "Apple" : "Google"} is given`,
} as const;
