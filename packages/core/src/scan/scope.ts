import { join } from "./alternatives.ts";
import type { Value } from "./value.ts";

/** A name of the file. In the context that it was declared in a write replaces its value; elsewhere it adds one. */
export interface Binding {
  value: Value;
  context: number;
}

/** One call of a function: what belongs to it and not to a block; `vars` is the scope of its `var`s. */
export interface Frame {
  self: Value;
  returned: Value[];
  vars: Scope | null;
}

export class Scope {
  readonly parent: Scope | null;
  readonly frame: Frame;
  readonly names = new Map<string, Binding>();

  constructor(parent: Scope | null, frame: Frame) {
    this.parent = parent;
    this.frame = frame;
    frame.vars ??= this;
  }

  declare(name: string, value: Value, context: number): void {
    const known = this.names.get(name);
    if (known === undefined) this.names.set(name, { value, context });
    else overwrite(known, value, context);
  }

  find(name: string): Binding | undefined {
    return this.names.get(name) ?? this.parent?.find(name);
  }
}

export function overwrite(binding: Binding, value: Value, context: number): void {
  binding.value = binding.context === context ? value : join([binding.value, value]);
}
