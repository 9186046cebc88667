import type * as t from "@babel/types";
import { keysOf, namesOf } from "../interpreter/members/objects.ts";
import { keptName } from "../interpreter/text/holders.ts";
import { asText } from "../interpreter/text/text.ts";
import {
  either,
  HOLE,
  host,
  isGlobalObject,
  isText,
  options,
  UNKNOWN,
  type Value,
} from "../interpreter/value.ts";
import { checkInjectionWrite } from "./injection.ts";
import { checkHost, checkTold, isStyleName } from "./leaks.ts";
import { checkAnyWrite, checkRedirectWrite, mayNameAddress, rememberForm } from "./redirect.ts";
import { checkRequestWrite } from "./request.ts";
import type { HostCall, Site, Write } from "./site.ts";

/** Properties that a rule looks at. */
const WATCHED =
  /^(?:innerHTML|outerHTML|srcdoc|src|href|data|action|formAction|srcset|location|protocol|host|hostname|port|pathname|search|on[a-z]+|httpEquiv|http-equiv|baseURL|dangerouslySetInnerHTML|ping|poster)$/;

export function isWatched(key: string): boolean {
  return WATCHED.test(key) || isStyleName(key);
}

/** Whether it may be the page's address, of which a part may be written under any name. */
export function isLocation(owner: Value): boolean {
  return options(owner).some((option) => option.kind === "host" && option.path === "location");
}

/** A value that is put into a property, however it is written. */
export function onWrite(site: Site, owner: Value, key: string, value: Value, node: t.Node): void {
  for (const option of options(owner))
    if (option.kind === "element") rememberElement(site, option, key, value);
  if (key === "action" || key === "href") rememberForm(site, key, node, value);
  if (!isWatched(key) && !(key.includes(HOLE) && isLocation(owner))) return;
  for (const option of options(owner)) {
    const write: Write = { owner: option, key, value, node };
    checkRedirectWrite(site, write);
    checkRequestWrite(site, write);
    checkTold(site, write);
    checkHost(site, write);
    checkInjectionWrite(site, write);
  }
}

/** Notes what an element that the file makes is given, for a click on it. */
export function rememberElement(site: Site, element: Value, name: string, value: Value): void {
  const key = element.kind === "element" ? keptName(element.tag, name) : name;
  const known = site.interpreter.elementWrites.get(element) ?? new Map<string, Value>();
  const before = known.get(key);
  known.set(key, before === undefined ? value : either([before, value]));
  site.interpreter.elementWrites.set(element, known);
}

/** Functions that write a property. A path that ends in `=` is a setter taken off its object. */
export function isSetter(path: string): boolean {
  return /^Reflect\.(?:set|defineProperty)$|^Object\.(?:assign|definePropert(?:y|ies))$|=$/.test(path);
}

/** Markup that is put into an element past its plain property: whatever it is, somebody hides that it is put there. */
function onWriteByFunction(site: Site, owner: Value, key: string, value: Value, node: t.Node): void {
  onWrite(site, owner, key, value, node);
  if (!/^(?:inner|outer)HTML$|^srcdoc$/.test(key)) return;
  if (options(value).some((one) => !isText(one) || asText(one).value.includes(HOLE)))
    site.report("script-injection", "medium", node);
}

/** Elements by the classes whose setters are taken off them. */
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

/** `Reflect.set` and its like. */
export function onSetter(site: Site, { path, args, node }: HostCall): void {
  const { interpreter } = site;
  const [owner = UNKNOWN, key = UNKNOWN, value = UNKNOWN] = args;
  if (path === "Reflect.set") {
    for (const name of options(key)) onWriteByFunction(site, owner, asText(name).value, value, node);
    if (isGlobalObject(owner) && options(key).some((name) => mayNameAddress(asText(name).value)))
      checkAnyWrite(site, value, node);
  } else if (path.endsWith(".defineProperty")) {
    for (const name of options(key))
      onWrite(site, owner, asText(name).value, interpreter.member(value, "value"), node);
  } else if (path === "Object.defineProperties") {
    for (const name of keysOf(key))
      onWrite(site, owner, name, interpreter.member(interpreter.member(key, name), "value"), node);
  } else if (path === "Object.assign") {
    for (const source of args.slice(1)) {
      for (const name of namesOf(interpreter, source))
        onWrite(site, owner, name, interpreter.member(source, name), node);
      if (isGlobalObject(owner) && source.kind === "unknown") checkAnyWrite(site, source, node);
      if (source.kind === "unknown" || source.kind === "host") onWrite(site, owner, HOLE, source, node);
    }
  } else if (path.endsWith("=")) {
    const [object, name] = [path.slice(0, path.lastIndexOf(".")), path.slice(path.lastIndexOf(".") + 1, -1)];
    onWriteByFunction(
      site,
      object.endsWith(".prototype")
        ? (elementOfClass(object) ?? (args.length > 1 ? (args[0] ?? UNKNOWN) : UNKNOWN))
        : host(object),
      name,
      args.at(-1) ?? UNKNOWN,
      node,
    );
  }
}
