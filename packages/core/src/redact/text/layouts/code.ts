import { isDigest } from "../../evidence/entropy.ts";
import { bareAt, literalAt, literalsOf, valueAt } from "../expression.ts";
import { type Name, ownPart } from "../names.ts";
import { ARROW, code, DASHES, EQUALS, LINE, OR, SIGN, STRING, type Tokens, WORD } from "../tokens.ts";
import { type Layout, type TextReading, take, takeAll } from "./layout.ts";
import { entriesBelow, linesBelow, said } from "./prose.ts";
import { described, describedBefore, namesValue } from "./values.ts";

/** Names of functions that fetch, read or test a value. Their argument is not the value. */
const FETCHES =
  /^(?:get|find|load|read|fetch|lookup|is|has|check|validate|verify|parse|decode|hash|describe|test|it|t|remove|delete|log|print|throw|error|require|import)(?=[A-Z_.]|$)/;
/** Words that are not the value of the option before them, but part of a sentence about the option: `the --api-key option`. */
const OF_OPTIONS =
  /^(?:options?|arguments?|args?|flags?|parameters?|switch|values?|and|or|for|with|from|if|when|must|can|will|is|to|in)[`.,:)]{0,3}$/;
export const row: Layout = {
  id: "row",
  example: '{ "name": "X-API-Key", "value": "x" }, <add key="Password" value="x"/>, - name: TOKEN⏎  value: x',
  read(r, name) {
    const { t } = r;
    const { first, last } = name;
    if (!t.isOneOf(first - 1, "=:>") && !t.is(first - 1, ARROW)) return false;
    return (
      namesValue(t, first - 2) && (described(r, name, last + 1, 48) || describedBefore(r, name, first - 3))
    );
  },
};

export const block: Layout = {
  id: "block",
  example:
    'variable "api_key" { default = "x" }, apiKey: { type: String, default: "x" }, api_key:⏎  default: x',
  read(r, name, next) {
    const { t } = r;
    const p = t.isOneOf(next, ":=") ? next + 1 : next;
    const indent = t.is(next, code(":")) && t.kindAt(p) === LINE ? (t.from[p] as number) : 0;
    if (indent > 0 && !name.quoted) return described(r, name, p + 1, 32, indent);
    if (!t.is(p, code("{")) || (t.is(next, code("=")) && t.kindAt(p + 1) === STRING)) return false;
    return described(r, name, p + 1, 64);
  },
};

export const assignment: Layout = {
  id: "assignment",
  example:
    'password = x, "apiKey": "x", api_key: SecretStr = SecretStr("x"), const apiKey = useRef("x"), ?key=x',
  read(r, name, next) {
    const { t } = r;
    const { first, quoted } = name;
    const sign = t.kindAt(next) === SIGN ? (t.sign[next] as number) : 0;
    if (sign !== 61 && sign !== 58 && sign !== ARROW && sign !== EQUALS && sign !== OR) return false;
    // In `a ? "token" : b`, in `case "token":` and in the name of a resource (`arn:secret:x`), no value follows the name.
    if (quoted && t.is(first - 1, code("?"))) return true;
    if (quoted && t.kindAt(first - 1) === WORD && /^(?:case|when)$/.test(t.textAt(first - 1))) return true;
    if (sign === 58 && t.is(first - 1, code(":")) && t.touches(first - 1) && !quoted) return true;
    if (sign === OR) return takeAll(r, name, literalsOf(t, next + 1, true), sign);
    if (sign === ARROW) {
      // `a → b` belongs to a table or a sentence; `apiKey => "x"` to code.
      if (t.text.charCodeAt(t.start[next] as number) > 127) return said(r, name, next);
      if (!quoted) return takeAll(r, name, literalsOf(t, next + 1, true), sign);
    }
    return assigned(r, name, next, sign);
  },
};

/** Marks the credentials after the separator at `at` for removal. Always returns true, so that no other layout is tried. */
function assigned(r: TextReading, name: Name, at: number, sign: number): true {
  const { t } = r;
  // `密码是：x` has two separators, 是 and ：, which are both skipped.
  const wide = t.isOneOf(at + 1, ":=") && t.text.charCodeAt(t.start[at] as number) > 127;
  const p = valueAt(t, wide ? at + 2 : at + 1, name.quoted && sign === 58);
  if (p >= t.count) return true;
  if (t.kind[p] === LINE) {
    if (sign === 58 && !name.query) linesBelow(r, name, p);
    // An expression that begins on the next line: `apiKey =⏎  env.X ?? "x"`.
    else if (sign === 61 && (t.from[p] as number) > 0) takeAll(r, name, literalsOf(t, p + 1, true), sign);
    return true;
  }
  if (sign === 58 && t.is(p, code("/")) && t.touches(at)) return true;
  if (t.kind[p] !== STRING && !t.isOneOf(p, "([{")) {
    const value = bareAt(t, p, name, sign);
    if (value !== null && take(r, name, value, "value", sign)) {
      entriesBelow(r, name, p);
      return true;
    }
    if (name.query) return true;
  }
  const found = takeAll(r, name, literalsOf(t, p, sign === ARROW && !name.quoted), sign);
  if (!found && sign === 58 && !name.quoted && t.kind[p] === WORD && t.kindAt(p + 1) === WORD)
    said(r, name, at);
  return true;
}

export const describedOption: Layout = {
  id: "described option",
  example: 'parser.add_argument("--api-key", type=str, default="x")',
  read(r, name, next) {
    const { t } = r;
    if (!name.quoted || t.kind[name.last] !== STRING) return false;
    const option = t.text.charCodeAt(t.from[name.last] as number) === 45;
    // A call on the option sets its default: `new Option("--token <t>").default("x")`.
    if (option && t.is(next, code(".")) && t.kindAt(next + 1) === WORD)
      return takeAll(r, name, literalsOf(t, next + 1, true), 40);
    if (!t.is(next, code(","))) return false;
    const p = t.kindAt(next + 1) === LINE ? next + 2 : next + 1;
    const value = t.kindAt(p) === STRING ? literalAt(t, p, false) : null;
    const isOption = value !== null && t.text.charCodeAt(value.start) === 45;
    const found = value !== null && !isOption && take(r, name, value, option ? "value" : "pair", 44);
    // `default=` belongs to the same call; other named arguments are not the value.
    return described(r, name, next + 1, 64) || found || option;
  },
};

export const called: Layout = {
  id: "called",
  example: 'SecretStr("x"), setApiKey(⏎ "x",⏎), function getApiKey() { return "x" }, std::string apiKey{"x"}',
  read(r, name, next) {
    const { t } = r;
    if (t.is(next, code("{")) && t.touches(name.last) && t.kindAt(next + 1) === STRING)
      return take(r, name, literalAt(t, next + 1, true), "inner", 40);
    if (!t.is(next, code("("))) return false;
    const close = t.match[next] as number;
    const body = close > 0 ? bodyAfter(t, close) : -1;
    if (body > 0) return takeAll(r, name, literalsOf(t, body, true), 40);
    const own = ownPart(name.text);
    if (FETCHES.test(own)) return false;
    if (name.kind !== "strong" && name.kind !== "token") {
      const kind = r.kindOf(own.replace(/^(?:set|with|use|add)_?/, ""));
      if (kind !== "strong" && kind !== "token" && !/auth$/i.test(own)) return false;
    }
    return takeAll(r, name, literalsOf(t, next, true), 40);
  },
};

/** Returns the first token of a function's result: after `=>` or `return`, or a literal that opens its body. Parameters end at `close`. */
function bodyAfter(t: Tokens, close: number): number {
  for (let p = close + 1; p < t.count && p < close + 12; p++) {
    if (t.is(p, ARROW) && t.text[t.start[p] as number] === "=") return p + 1;
    if (t.is(p, code("{")) || (t.is(p, code(":")) && t.kindAt(p + 1) === LINE)) {
      for (let q = p + 1; q < t.count && q < p + 12; q++) {
        if (t.kind[q] === WORD && t.textAt(q) === "return") return q + 1;
        if (t.kind[q] === STRING && q < p + 3) return q;
      }
      return -1;
    }
    if (t.kind[p] === LINE || t.isOneOf(p, ";,)")) return -1;
  }
  return -1;
}

export const option: Layout = {
  id: "option",
  example: '--api-key x, --password "x", -storepass x',
  read(r, name, next) {
    const { t } = r;
    const dashes = t.is(name.first - 1, DASHES);
    if (!dashes && !(t.is(name.first - 1, code("-")) && name.text.length > 5)) return false;
    if (!t.touches(name.first - 1) || next >= t.count || next !== name.last + 1 || t.touches(name.last))
      return false;
    if (t.kind[next] === STRING) return take(r, name, literalAt(t, next, false), "value", 32);
    if (t.kind[next] === LINE || t.isOneOf(next, "`'\")]|<>-[")) return false;
    const value = bareAt(t, next, name, 32);
    if (value === null) return false;
    const word = t.text.slice(value.start, value.end);
    if ((name.kind !== "strong" && isDigest(word)) || OF_OPTIONS.test(word)) return false;
    return take(r, name, value, dashes ? "value" : "setting", 61);
  },
};
