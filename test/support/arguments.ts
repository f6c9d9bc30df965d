/** @throws Error where the value of an argument is not a number from 0 to 2^53 - 1. */
export function wholeNumber(name: string, text: string): number {
  const number = Number(text);
  if (text !== "" && Number.isSafeInteger(number) && number >= 0) return number;
  throw new Error(`--${name} is not a whole number: ${text}`);
}
