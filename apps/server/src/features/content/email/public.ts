export { type DkimKey, signDkim } from "./dkim.ts";
export { compileLetter, fillLetter, type Letter, type LetterOptions, type Recipient } from "./letter.ts";
