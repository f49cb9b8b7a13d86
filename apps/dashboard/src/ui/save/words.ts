export const words = {
  save: "Save as CSV",
  title: "Save the list as a file",
  format: "Form",
  formats: { csv: "Table for spreadsheets (CSV)", ndjson: "JSON, a row a line (NDJSON)" },
  stay: "Stay on this page until the file is there: a long list takes a while.",
  cancel: "Cancel",
  now: "Save",
} as const;
