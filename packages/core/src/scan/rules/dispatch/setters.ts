import { keysOf, namesOf } from "../../interpreter/members/objects.ts";
import { asText } from "../../interpreter/text/text.ts";
import { HOLE, host, options, UNKNOWN, type Value } from "../../interpreter/value.ts";
import type { HostCall, RuleContext } from "../rule.ts";
import { onWrite } from "./writes.ts";

/** Tags of elements, by the classes whose setters may be detached. */
const CLASSES: Record<string, string> = {
  HTMLAnchorElement: "a",
  HTMLFormElement: "form",
  HTMLIFrameElement: "iframe",
  HTMLImageElement: "img",
  HTMLLinkElement: "link",
  HTMLScriptElement: "script",
};

function elementOfClass(path: string): Value | undefined {
  const tag = CLASSES[path.slice(0, -".prototype".length)];
  return tag === undefined ? undefined : { kind: "element", tag };
}

/** `Reflect.set` and similar functions: the same writes as with `=`. */
export function onSetter(context: RuleContext, { path, args, node }: HostCall): void {
  const { interpreter } = context;
  const [owner = UNKNOWN, key = UNKNOWN, value = UNKNOWN] = args;
  if (path === "Reflect.set") {
    for (const name of options(key)) onWrite(context, owner, asText(name).value, value, node, true);
  } else if (path.endsWith(".defineProperty")) {
    for (const name of options(key))
      onWrite(context, owner, asText(name).value, interpreter.member(value, "value"), node);
  } else if (path === "Object.defineProperties") {
    for (const name of keysOf(key))
      onWrite(context, owner, name, interpreter.member(interpreter.member(key, name), "value"), node);
  } else if (path === "Object.assign") {
    const written = new Set<string>();
    for (const source of args.slice(1).flatMap(options)) {
      for (const name of namesOf(interpreter, source)) {
        written.add(name);
        onWrite(context, owner, name, interpreter.member(source, name), node);
      }
      if (source.kind !== "unknown" && source.kind !== "host") continue;
      onWrite(context, owner, HOLE, source, node, true);
      // A value that was written before may be replaced by anything.
      if (source.kind === "unknown")
        for (const name of written) onWrite(context, owner, name, source, node, true);
    }
  } else {
    const dot = path.lastIndexOf(".");
    const [object, name] = [path.slice(0, dot), path.slice(dot + 1, -1)];
    const of = object.endsWith(".prototype")
      ? (elementOfClass(object) ?? (args.length > 1 ? (args[0] ?? UNKNOWN) : UNKNOWN))
      : host(object);
    onWrite(context, of, name, args.at(-1) ?? UNKNOWN, node, true);
  }
}
