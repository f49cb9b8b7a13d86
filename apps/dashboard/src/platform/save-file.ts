/** Gives a file to the person, which the browser keeps where its downloads go. */
export function saveFile(name: string, file: Blob): void {
  const address = URL.createObjectURL(file);
  const link = document.createElement("a");
  link.href = address;
  link.download = name;
  link.click();
  // The browser has begun to read it by then.
  setTimeout(() => URL.revokeObjectURL(address), 0);
}

/** The name of a file with the day on which it was made. */
export const fileName = (name: string, format: string): string =>
  `${name}-${new Date().toISOString().slice(0, 10)}.${format}`;
