import { handedOn } from "./eval/function-as-value.ts";
import { listed } from "./eval/member-enumeration.ts";
import { mentioned } from "./eval/eval-as-value.ts";
import { otherWindow } from "./eval/other-window.ts";
import { packages } from "./eval/packages.ts";
import { pickedGlobal } from "./eval/computed-global.ts";
import { programs } from "./eval/code-strings.ts";
import { stores } from "./eval/stored-functions.ts";
import { superMembers } from "./eval/super.ts";
import { templates } from "./eval/templates.ts";
import { unknownFunction } from "./eval/unknown-function.ts";
import { untoldProgram } from "./eval/unknown-program-address.ts";
import { wasm } from "./eval/wasm.ts";
import { withStatement } from "./eval/with.ts";
import { adrift } from "./external-request/address-without-use.ts";
import { beacons } from "./external-request/beacons.ts";
import { cookies } from "./external-request/cookies.ts";
import { elements } from "./external-request/elements.ts";
import { embedded } from "./external-request/embedded-elements.ts";
import { forms } from "./external-request/forms.ts";
import { loaded } from "./external-request/element-loads.ts";
import { messages } from "./external-request/messages.ts";
import { namedHosts } from "./external-request/named-hosts.ts";
import { pageMembers } from "./external-request/computed-page-members.ts";
import { pageTells } from "./external-request/navigator-members.ts";
import { peers } from "./external-request/peers.ts";
import { preloaded } from "./external-request/preloaded.ts";
import { requests } from "./external-request/requests.ts";
import { styles } from "./external-request/styles.ts";
import { traces } from "./external-request/combined-locations.ts";
import { coerced } from "./hidden-text/coerced.ts";
import { decoders } from "./hidden-text/decoders.ts";
import { encoded } from "./hidden-text/encoded.ts";
import { entries } from "./hidden-text/entries.ts";
import { patternWrites } from "./hidden-text/destructuring-writes.ts";
import { patterns } from "./hidden-text/patterns.ts";
import { pieces } from "./hidden-text/split-names.ts";
import { rareNames } from "./hidden-text/rare-names.ts";
import { texts } from "./hidden-text/long-strings.ts";
import { phrases } from "./source-patterns.ts";
import { navigation } from "./redirect/navigation.ts";
import { refresh } from "./redirect/refresh.ts";
import { submitted } from "./redirect/programmatic-submit.ts";
import type { Rule } from "./rule.ts";
import { base } from "./script-injection/base.ts";
import { blob } from "./script-injection/blob.ts";
import { borrowed } from "./script-injection/detached-methods.ts";
import { foreignMarkup } from "./script-injection/untrusted-markup.ts";
import { halfKeys } from "./script-injection/partial-markup-keys.ts";
import { handlers } from "./script-injection/handlers.ts";
import { made } from "./script-injection/script-elements.ts";
import { markup } from "./script-injection/markup.ts";
import { policy } from "./script-injection/trusted-types.ts";

// A new rule is one file in the folder of its id, and its name in the list below. A complete one:
//
//   import { elementOf } from "../../interpreter/core/definition.ts";
//   import { UNKNOWN } from "../../interpreter/value.ts";
//   import { reachOf } from "../common/address.ts";
//   import type { Rule } from "../rule.ts";
//
//   /** `new MediaMetadata({ artwork: [{ src: "https://…" }] })`: the browser fetches the picture from another host. */
//   export const artwork: Rule = {
//     id: "external-request",
//     severity: "low", // the highest that it reports
//     calls: (path) => path === "MediaMetadata",
//     onCall({ interpreter, report }, { args, node }) {
//       const picture = elementOf(interpreter.member(args[0] ?? UNKNOWN, "artwork"));
//       if (reachOf(interpreter.member(picture, "src")) === "external") report("external-request", "low", node);
//     },
//   };
//
// Instead of `calls` and `onCall` it may have, by what it checks:
//   a method by its name, on any object        methods(name),    onMethod(context, { name, receiver, args, node }); `args()` is a function
//   a write to a property (`x.key = value`)    properties(key),  onWrite(context, { owner, key, value, node })
//   `setAttribute(key, value)`                                   onAttribute(context, { owner, key, value, node })
//   an attribute in JSX                        attributes(name), onJsxAttribute(context, { tag, name, value, node })
//   `createElement(tag, { key: value })`                         onProp(context, { tag, key, value, node })
//   anything else: rule.ts
//
// A value may be one of several: `options(value)` lists them. `asText(option).value` is an option as a string, in which HOLE stands for
// an unknown part; `reachOf(value)` says where it leads as an address; `interpreter.member(value, key)` reads a property, and
// `elementOf(value)` the elements of a list.
//
// Its case, in tests/fixtures/scan/dangerous/plain.ts (a case must fail before its rule is there; this one is found by rare-names.ts):
//   ["external-request", raw`new MediaMetadata({ artwork: [{ src: "https://evil.example/a.png" }] })`],

/** Every rule of the scan. Values that are evaluated for one rule are cached for the rules after it. */
export const RULES: readonly Rule[] = [
  // eval
  programs,
  wasm,
  templates,
  packages,
  unknownFunction,
  untoldProgram,
  otherWindow,
  pickedGlobal,
  mentioned,
  handedOn,
  superMembers,
  withStatement,
  listed,
  stores,
  // redirect
  navigation,
  refresh,
  submitted,
  // external-request
  requests,
  loaded,
  styles,
  forms,
  peers,
  messages,
  namedHosts,
  preloaded,
  beacons,
  cookies,
  embedded,
  elements,
  pageMembers,
  pageTells,
  traces,
  adrift,
  // script-injection
  made,
  markup,
  foreignMarkup,
  handlers,
  base,
  policy,
  blob,
  halfKeys,
  borrowed,
  // hidden-text
  rareNames,
  coerced,
  patterns,
  patternWrites,
  entries,
  decoders,
  texts,
  phrases,
  pieces,
  encoded,
];
