import { join } from "./alternatives.ts";
import type { Binding, Frame, Names, Value } from "./value.ts";

export class Scope implements Names {
  readonly parent: Names | null;
  readonly frame: Frame;
  readonly names = new Map<string, Binding>();

  constructor(parent: Names | null, frame: Frame) {
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
