/**
 * What is in memory is answered at once: a promise costs more than a read from memory. Callers
 * `await` always, and never lose anything by it.
 */
export type Maybe<T> = T | Promise<T>;
