/*
 * V8 settles how many fields the objects of a class hold inside themselves when the eighth of them
 * is made: as many as the largest layout that is alive then. Where the first seven have been
 * collected by that time, no layout is, and the answer is none: for as long as the process lives,
 * every object of the class keeps its fields elsewhere, and where they are more than a dozen, in a
 * hash table. All code that touches them is then half as fast. One object that stays is enough to
 * keep the layout alive.
 */

const kept: object[] = [];

/** Keeps an object, for ever, so that those of its class that come and go keep their fields. */
export function keepShape(one: object): void {
  kept.push(one);
}
