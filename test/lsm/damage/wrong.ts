/** What is wrong with how a directory was read; it must never be. */
export class Wrong extends Error {}
