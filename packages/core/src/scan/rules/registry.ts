import { codeStrings } from "./eval/code-strings.ts";
import { computedGlobal } from "./eval/computed-global.ts";
import { evalAsValue } from "./eval/eval-as-value.ts";
import { functionAsValue } from "./eval/function-as-value.ts";
import { memberEnumeration } from "./eval/member-enumeration.ts";
import { otherWindow } from "./eval/other-window.ts";
import { packages } from "./eval/packages.ts";
import { storedFunctions } from "./eval/stored-functions.ts";
import { superMembers } from "./eval/super.ts";
import { templates } from "./eval/templates.ts";
import { unknownFunction } from "./eval/unknown-function.ts";
import { unknownProgramAddress } from "./eval/unknown-program-address.ts";
import { wasm } from "./eval/wasm.ts";
import { withStatement } from "./eval/with.ts";
import { addressWithoutUse } from "./external-request/address-without-use.ts";
import { beacons } from "./external-request/beacons.ts";
import { combinedLocations } from "./external-request/combined-locations.ts";
import { computedPageMembers } from "./external-request/computed-page-members.ts";
import { cookies } from "./external-request/cookies.ts";
import { elementLoads } from "./external-request/element-loads.ts";
import { elements } from "./external-request/elements.ts";
import { embeddedElements } from "./external-request/embedded-elements.ts";
import { forms } from "./external-request/forms.ts";
import { messages } from "./external-request/messages.ts";
import { namedHosts } from "./external-request/named-hosts.ts";
import { navigatorMembers } from "./external-request/navigator-members.ts";
import { peers } from "./external-request/peers.ts";
import { preloaded } from "./external-request/preloaded.ts";
import { requests } from "./external-request/requests.ts";
import { styles } from "./external-request/styles.ts";
import { coerced } from "./hidden-text/coerced.ts";
import { decoders } from "./hidden-text/decoders.ts";
import { destructuringWrites } from "./hidden-text/destructuring-writes.ts";
import { encoded } from "./hidden-text/encoded.ts";
import { entries } from "./hidden-text/entries.ts";
import { longStrings } from "./hidden-text/long-strings.ts";
import { patterns } from "./hidden-text/patterns.ts";
import { rareNames } from "./hidden-text/rare-names.ts";
import { splitNames } from "./hidden-text/split-names.ts";
import { navigation } from "./redirect/navigation.ts";
import { programmaticSubmit } from "./redirect/programmatic-submit.ts";
import { refresh } from "./redirect/refresh.ts";
import type { Rule } from "./rule.ts";
import { base } from "./script-injection/base.ts";
import { blob } from "./script-injection/blob.ts";
import { detachedMethods } from "./script-injection/detached-methods.ts";
import { handlers } from "./script-injection/handlers.ts";
import { markup } from "./script-injection/markup.ts";
import { partialMarkupKeys } from "./script-injection/partial-markup-keys.ts";
import { scriptElements } from "./script-injection/script-elements.ts";
import { trustedTypes } from "./script-injection/trusted-types.ts";
import { untrustedMarkup } from "./script-injection/untrusted-markup.ts";
import { sourcePatterns } from "./source-patterns.ts";

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
  codeStrings,
  wasm,
  templates,
  packages,
  unknownFunction,
  unknownProgramAddress,
  otherWindow,
  computedGlobal,
  evalAsValue,
  functionAsValue,
  superMembers,
  withStatement,
  memberEnumeration,
  storedFunctions,
  // redirect
  navigation,
  refresh,
  programmaticSubmit,
  // external-request
  requests,
  elementLoads,
  styles,
  forms,
  peers,
  messages,
  namedHosts,
  preloaded,
  beacons,
  cookies,
  embeddedElements,
  elements,
  computedPageMembers,
  navigatorMembers,
  combinedLocations,
  addressWithoutUse,
  // script-injection
  scriptElements,
  markup,
  untrustedMarkup,
  handlers,
  base,
  trustedTypes,
  blob,
  partialMarkupKeys,
  detachedMethods,
  // hidden-text
  rareNames,
  coerced,
  patterns,
  destructuringWrites,
  entries,
  decoders,
  longStrings,
  sourcePatterns,
  splitNames,
  encoded,
];
