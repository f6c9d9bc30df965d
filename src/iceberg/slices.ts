import type { Steps } from "../base/steps.ts";

/** Some values of one member of metadata, as they pass between threads. */
export interface Slice {
  readonly member: string;
  readonly values: readonly unknown[];
}

/** What passes for one value of a member, and about how many characters it has. */
export type Passing = readonly [value: unknown, weight: number];

/** What one thread was sent of a member, value by value. */
export interface Gathering<V> {
  add(passed: unknown): void;
  /** In steps, since what a member is indexed by may be made only now. */
  whole(): Steps<V>;
}

/** How one member of metadata is taken apart in one thread, and put together in another. */
export interface MemberForm<V> {
  apart(member: V): Iterable<Passing>;
  gather(): Gathering<V>;
}

/** The members that are long; the others pass in one piece. */
export type Forms<M> = { readonly [K in keyof M]?: MemberForm<M[K]> };

/** What a slice may hold: a thread receives and keeps it well within a turn. */
const SLICE_WEIGHT = 262_144;
const SLICE_VALUES = 1_000;
/** Each value costs something, however short it is. */
const VALUE_WEIGHT = 64;
/** The slice of all members without a form. */
const REST = "";

/** Takes metadata apart into slices that pass between threads by structured cloning. */
export function* slicesOf<M extends object>(metadata: M, forms: Forms<M>): Generator<Slice, void> {
  const rest: Record<string, unknown> = {};
  for (const [member, value] of Object.entries(metadata)) {
    const form = forms[member as keyof M] as MemberForm<unknown> | undefined;
    if (form === undefined) rest[member] = value;
    else yield* memberSlices(member, form.apart(value));
  }
  yield { member: REST, values: [rest] };
}

function* memberSlices(member: string, passing: Iterable<Passing>): Generator<Slice, void> {
  let values: unknown[] = [];
  let weight = 0;
  for (const [value, itsWeight] of passing) {
    values.push(value);
    weight += itsWeight + VALUE_WEIGHT;
    if (weight < SLICE_WEIGHT && values.length < SLICE_VALUES) continue;
    yield { member, values };
    values = [];
    weight = 0;
  }
  if (values.length > 0) yield { member, values };
}

/** Metadata that is put together from the slices of another thread, which checked it. */
export class Assembly<M extends object> {
  readonly #gatherings = new Map<string, Gathering<unknown>>();
  #rest: object = {};

  constructor(forms: Forms<M>) {
    for (const [member, form] of Object.entries<MemberForm<unknown>>(
      forms as Record<string, MemberForm<unknown>>,
    )) {
      this.#gatherings.set(member, form.gather());
    }
  }

  /** Costs one slice: a thread that others need takes one a turn. */
  add({ member, values }: Slice): void {
    const gathering = this.#gatherings.get(member);
    if (gathering === undefined) this.#rest = values[0] as object;
    else for (const value of values) gathering.add(value);
  }

  *whole(): Steps<M> {
    const members: Record<string, unknown> = { ...this.#rest };
    for (const [member, gathering] of this.#gatherings) members[member] = yield* gathering.whole();
    return members as M;
  }
}
