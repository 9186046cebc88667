import { isBasicPair } from "../evidence/basic-pair.ts";
import { isDigest, isUuid, looksRandom, looksSecret } from "../evidence/entropy.ts";
import { isPlaceholder } from "../evidence/placeholder.ts";
import { callKind } from "../names/call-names.ts";
import type { KindOf, Span } from "../types.ts";
import { COMMANDS } from "./commands.ts";
import {
  bareAt,
  continued,
  endOfItem,
  isSign,
  type Literal,
  literalAt,
  literalsOf,
  VALUE_NAMES,
  valueAt,
} from "./expression.ts";
import { isCertain, judge, type Place } from "./judge.ts";
import { ARROW, code, DASHES, EQUALS, LINE, OR, SIGN, STRING, type Tokens, WORD } from "./lex.ts";
import { makeName, type Name, ownPart } from "./names.ts";

/** What is read, and where what is found goes. */
export interface Reading {
  t: Tokens;
  kindOf: KindOf;
  add(span: Span): void;
  /** Up to where secrets have been found. */
  until: number;
}

/** One way in which texts put a value beside its name. `next`: the token after the name and what closes it. */
interface Layout {
  id: string;
  example: string;
  /** Whether the name stands in this layout; then no later one is tried. */
  read(r: Reading, name: Name, next: number): boolean;
}

// ------------------------------------------------------------ the table

export const LAYOUTS: readonly Layout[] = [
  {
    id: "element",
    example: "<password>x</password>",
    read(r, name) {
      const { t } = r;
      if (!t.is(name.first - 1, code("<")) || !t.touches(name.first - 1)) return false;
      const close = findSign(t, name.last + 1, code(">"), 24);
      const value = close < 0 || t.is(close - 1, code("/")) ? null : contentAt(t, close);
      // Only with its closing tag it is an element; generics of code are none.
      if (
        value === null ||
        !t.text
          .slice(value.end, value.end + 80)
          .trimStart()
          .startsWith(`</${name.text}`)
      )
        return false;
      return take(r, name, value, "value", code(">"));
    },
  },
  {
    id: "elements",
    example:
      '<key>APIKey</key><string>x</string>, <td>Token</td><td>x</td>, <property name="password">x</property>',
    read(r, name, next) {
      const { t } = r;
      let p = next;
      if (t.is(p, code(":"))) p++;
      if (isSign(t, p, "<") && t.is(p + 1, code("/"))) {
        let tags = 0;
        while (tags < 6 && isSign(t, p, "<")) {
          const close = findSign(t, p, code(">"), 32);
          if (close < 0) return false;
          const closing = t.is(p + 1, code("/"));
          if (!closing && tags > 0) {
            const value = contentAt(t, close);
            if (value !== null) return take(r, name, value, "cell", 0);
          }
          p = close + 1;
          while (t.kindAt(p) === LINE) p++;
          tags++;
        }
        return false;
      }
      // The content of an element with this name in an attribute.
      if (!speaks(t, name.first - 2) || !t.is(next, code(">"))) return false;
      const value = contentAt(t, next);
      return value !== null && take(r, name, value, "value", code(">"));
    },
  },
  {
    id: "row",
    example:
      '{ "name": "X-API-Key", "value": "x" }, <add key="Password" value="x"/>, - name: TOKEN⏎  value: x',
    read(r, name) {
      const { t } = r;
      const { first, last } = name;
      if (!isSign(t, first - 1, "=:>") && !t.is(first - 1, ARROW)) return false;
      if (!speaks(t, first - 2)) return false;
      return described(r, name, last + 1, 48) || describedBefore(r, name, first - 3);
    },
  },
  {
    id: "block",
    example: 'variable "api_key" { default = "x" }, apiKey: { type: String, default: "x" }',
    read(r, name, next) {
      const { t } = r;
      let p = next;
      if (t.is(p, code(":")) || t.is(p, code("="))) p++;
      if (!t.is(p, code("{")) || p > next + 1 || (t.is(next, code("=")) && t.kindAt(p + 1) === STRING))
        return false;
      return described(r, name, p + 1, 64);
    },
  },
  {
    id: "assigned",
    example:
      'password = x, "apiKey": "x", api_key: SecretStr = SecretStr("x"), const apiKey = useRef("x"), ?key=x',
    read(r, name, next) {
      const { t } = r;
      const sign = t.kindAt(next) === SIGN ? (t.sign[next] as number) : 0;
      if (sign !== 61 && sign !== 58 && sign !== ARROW && sign !== EQUALS && sign !== OR) return false;
      // The second of two choices, a case of a switch, a part of the name of a resource.
      if (
        name.quoted &&
        (t.is(name.first - 1, code("?")) ||
          (t.kindAt(name.first - 1) === WORD && /^(?:case|when)$/.test(t.textAt(name.first - 1))))
      )
        return false;
      if (sign === 58 && t.is(name.first - 1, code(":")) && t.touches(name.first - 1) && !name.quoted)
        return false;
      // `a → b` in a table or a sentence.
      if (sign === ARROW && t.text.charCodeAt(t.start[next] as number) > 127) return said(r, name, next);
      if (sign === OR || (sign === ARROW && !name.quoted && t.end[next] === (t.start[next] as number) + 2))
        return takeAll(r, name, literalsOf(t, next + 1, true), sign);
      return assigned(r, name, next, sign);
    },
  },
  {
    id: "typed",
    example: "var apiKey string = \"x\", password VARCHAR(40) DEFAULT 'x'",
    read(r, name, next) {
      const { t } = r;
      if (t.kindAt(next) !== WORD || next !== name.last + 1) return false;
      const p = next + (t.is(next + 1, code("(")) ? 4 : 1);
      if (t.is(p, code("=")) && !t.touches(next)) return assigned(r, name, p, 61);
      return (
        t.kindAt(p) === WORD &&
        /^default$/i.test(t.textAt(p)) &&
        t.kindAt(p + 1) === STRING &&
        take(r, name, literalAt(t, p + 1, false), "value", 61)
      );
    },
  },
  {
    id: "destructured",
    example: 'const [apiKey, setApiKey] = useState("x"), user, password = "bob", "x"',
    read(r, name, next) {
      const { t } = r;
      if (!isSign(t, next, ",)]") || name.quoted) return false;
      let p = next;
      for (let n = 0; n < 8 && t.is(p, code(",")) && t.kindAt(p + 1) === WORD; n++) p += 2;
      return severalNames(r, name, p);
    },
  },
  {
    id: "described option",
    example: 'parser.add_argument("--api-key", type=str, default="x")',
    read(r, name, next) {
      const { t } = r;
      if (!name.quoted || t.kind[name.last] !== STRING) return false;
      const option = t.text.charCodeAt(t.from[name.last] as number) === 45;
      // `new Option("--token <t>").default("x")`.
      if (option && t.is(next, code(".")) && t.kindAt(next + 1) === WORD)
        return takeAll(r, name, literalsOf(t, next + 1, true), 40);
      if (!t.is(next, code(","))) return false;
      const p = t.kindAt(next + 1) === LINE ? next + 2 : next + 1;
      const value = t.kindAt(p) === STRING ? literalAt(t, p, false) : null;
      let found = false;
      if (value !== null && t.text.charCodeAt(value.start) !== 45)
        found = take(r, name, value, option ? "value" : "pair", 44);
      // `default=` of the same call; other named arguments are not its value.
      return described(r, name, next + 1, 64) || found || option;
    },
  },
  {
    id: "called",
    example: 'SecretStr("x"), setApiKey(⏎ "x",⏎), function getApiKey() { return "x" }',
    read(r, name, next) {
      const { t } = r;
      // `std::string apiKey{"x"}`.
      if (t.is(next, code("{")) && t.touches(name.last) && t.kindAt(next + 1) === STRING)
        return take(r, name, literalAt(t, next + 1, true), "inner", 40);
      if (!t.is(next, code("("))) return false;
      const close = t.match[next] as number;
      if (close > 0) {
        const body = bodyAfter(t, close);
        if (body > 0) return takeAll(r, name, literalsOf(t, body, true), 40);
      }
      const own = ownPart(name.text);
      if (FETCHES.test(own)) return false;
      if (name.kind !== "strong" && name.kind !== "token") {
        const kind = r.kindOf(own.replace(/^(?:set|with|use|add)_?/, ""));
        if (kind !== "strong" && kind !== "token" && !/auth$/i.test(own)) return false;
      }
      return takeAll(r, name, literalsOf(t, next, true), 40);
    },
  },
  {
    id: "option",
    example: '--api-key x, --password "x", -storepass x',
    read(r, name, next) {
      const { t } = r;
      const dash = t.is(name.first - 1, DASHES) || (t.is(name.first - 1, code("-")) && name.text.length > 5);
      if (
        !dash ||
        !t.touches(name.first - 1) ||
        next >= t.count ||
        next !== name.last + 1 ||
        t.touches(name.last)
      )
        return false;
      if (t.kind[next] === STRING) return take(r, name, literalAt(t, next, false), "value", 32);
      if (t.kind[next] === LINE || isSign(t, next, "`'\")]|<>-")) return false;
      const value = bareAt(t, next, name, 32);
      if (value === null || (name.kind !== "strong" && isDigest(t.text.slice(value.start, value.end))))
        return false;
      return (
        !OF_OPTIONS.test(t.text.slice(value.start, value.end)) &&
        take(r, name, value, t.is(name.first - 1, DASHES) ? "value" : "setting", 61)
      );
    },
  },
  {
    id: "cell",
    example: "| API key | x |",
    read(r, name, next) {
      const { t } = r;
      if (!t.is(next, code("|"))) return false;
      const start = lineStart(t, name.first);
      if (!t.is(start, code("|"))) return false;
      const end = findSign(t, next + 1, code("|"), 24);
      const from = t.end[next] as number;
      return take(
        r,
        name,
        trimmed(t, from, end < 0 ? lineEnd(t.text, from) : (t.start[end] as number), next + 1),
        "cell",
        124,
      );
    },
  },
  {
    id: "statement",
    example: "IDENTIFIED BY 'x', PASSWORD 'x', ENV API_KEY \"x\", set password \"x\"",
    read(r, name, next) {
      const { t } = r;
      if (t.kindAt(next) !== STRING || next !== name.last + 1 || name.quoted || name.kind !== "strong")
        return false;
      return take(r, name, literalAt(t, next, false), name.text === "PASSWORD" ? "value" : "setting", 32);
    },
  },
  {
    id: "line",
    example: "requirepass x, export TOKEN x, machine h login u password x",
    read(r, name, next) {
      const { t } = r;
      if (
        next !== name.last + 1 ||
        next >= t.count ||
        t.kind[next] === LINE ||
        t.touches(name.last) ||
        name.quoted
      )
        return false;
      const start = lineStart(t, name.first);
      const opens =
        start === name.first ||
        (name.first - start < 12 && t.kind[start] === WORD && SETS.test(t.textAt(start)));
      const variable = name.variable && name.kind === "strong";
      if (!(opens && (name.kind === "strong" || name.kind === "token")) && !variable) return false;
      const value = bareAt(t, next, name, 61);
      if (value === null) return false;
      if (
        opens &&
        /^\s*;?\s*(?:#.*)?$/.test(t.text.slice(value.end, lineEnd(t.text, value.end)).slice(0, 40))
      )
        return take(r, name, value, "setting", 32);
      return (
        variable && isCertain(name, t.text.slice(value.start, value.end)) && take(r, name, value, "value", 61)
      );
    },
  },
  {
    id: "below",
    example: "## API keys⏎- ElevenLabs: x⏎- Mistral: x",
    read(r, name, next) {
      const { t } = r;
      if (t.kindAt(next) !== LINE || name.kind === "weak") return false;
      const start = lineStart(t, name.first);
      for (let p = start; p < name.first; p++)
        if (t.kind[p] === STRING || (t.kind[p] === WORD && name.first - p > 4)) return false;
      return below(r, name, next);
    },
  },
  {
    id: "said",
    example: "my password is x, the token for staging was x, pw x",
    read(r, name, next) {
      return said(r, name, next);
    },
  },
];

/** Calls that fetch or read something and are not given it. */
const FETCHES =
  /^(?:get|find|load|read|fetch|lookup|is|has|check|validate|verify|parse|decode|hash|describe|test|it|t|remove|delete|log|print|throw|error|require|import)(?=[A-Z_.]|$)/;
/** Words after an option in a sentence about it: `the --api-key option`. */
const OF_OPTIONS =
  /^(?:options?|arguments?|args?|flags?|parameters?|switch|values?|and|or|for|with|from|if|when|must|can|will|is|to|in)[`.,:)]{0,3}$/;
/** First words of lines that set something. */
const SETS =
  /^(?:define|\w{0,20}_header|ENV|ARG|setx|setenv|set|export|put|add|machine|default|SetEnv|env|config|enable|username|sentinel|snmp-server|tacacs-server|radius-server|user)$/;
/** Names of members and attributes that hold the name of the value beside them. */
const SPEAKS =
  /^(?:name|key|id|header|field|property|param|parameter|variable|var|label|title|option|setting|env|arg|attribute|(?:env|header|field|param|parameter|query|variable|setting|config|property|input|cookie|arg|form)[_-]?(?:name|key|id))$/i;

// ------------------------------------------------------- reading values

function take(r: Reading, name: Name, literal: Literal, place: Place, separator: number): boolean {
  const span = judge(r.t, name, literal, place, separator);
  if (span === null) return false;
  r.add(span);
  for (const rest of continued(r.t, literal)) {
    const word = r.t.text.slice(rest.start, rest.end);
    if (!/^[^\s"'`<>]{4,400}$/.test(word) || !(looksRandom(word) || looksSecret(word))) break;
    r.add({ start: rest.start, end: rest.end, rule: span.rule });
  }
  return true;
}

function takeAll(r: Reading, name: Name, literals: Iterable<Literal>, separator: number): boolean {
  let found = false;
  for (const literal of literals)
    found = take(r, name, literal, literal.inner ? "inner" : "value", separator) || found;
  return found;
}

/** The value after the separator at `at`, or the literals of its expression. */
function assigned(r: Reading, name: Name, at: number, sign: number): boolean {
  const { t } = r;
  // `密码是：x` has two separators.
  const p = valueAt(
    t,
    isSign(t, at + 1, ":=") && t.text.charCodeAt(t.start[at] as number) > 127 ? at + 2 : at + 1,
    name.quoted && sign === 58,
  );
  if (p >= t.count) return true;
  if (t.kind[p] === LINE) return sign !== 58 || name.query || below(r, name, p);
  if (sign === 58 && t.is(p, code("/")) && t.touches(at)) return true;
  if (t.kind[p] !== STRING && !isSign(t, p, "([{")) {
    const value = bareAt(t, p, name, sign);
    if (value !== null && take(r, name, value, "value", sign)) {
      listBelow(r, name, p);
      return true;
    }
    if (name.query) return true;
  }
  const found = takeAll(r, name, literalsOf(t, p, sign === ARROW && !name.quoted), sign);
  if (!found && sign === 58 && !name.quoted && t.kind[p] === WORD) return said(r, name, at);
  return true;
}

/** The value of `default`, `value` and the like among the next arguments or members. */
function described(r: Reading, name: Name, from: number, most: number): boolean {
  const { t } = r;
  const last = Math.min(t.count, from + (t.budget.left > 0 ? most : 8));
  for (let p = from; p < last; p++) {
    t.budget.left -= 4;
    const kind = t.kind[p];
    if (kind === SIGN) {
      const close = t.match[p] as number;
      const sign = t.sign[p];
      // The end of a tag without content.
      if (sign === 62 && t.is(p - 1, code("/"))) return false;
      if (sign === 41 || sign === 93 || sign === 125) return false;
      // Another row: the next entry of a list in YAML.
      if (close > p && sign === 40) p = close;
      continue;
    }
    if (kind === LINE) {
      if (t.is(p + 1, code("-")) && (t.to[p] as number) > 0) return false;
      continue;
    }
    if ((kind !== WORD && kind !== STRING) || t.is(p - 1, code("/"))) continue;
    if (!VALUE_NAMES.test(t.textAt(p))) continue;
    const sign = t.kindAt(p + 1) === SIGN ? (t.sign[p + 1] as number) : 0;
    if (sign === 62) {
      if (kind !== WORD || !t.is(p - 1, code("<"))) continue;
      const value = contentAt(t, p + 1);
      return value !== null && take(r, name, value, "value", 62);
    }
    if (sign !== 61 && sign !== 58 && sign !== ARROW) continue;
    return assignedTo(r, name, p + 1, sign);
  }
  return false;
}

/** As in `described`, in front of the name: `{ value: "x", name: "token" }`. */
function describedBefore(r: Reading, name: Name, from: number): boolean {
  const { t } = r;
  for (let p = from; p >= 0 && p > from - 32; p--) {
    const kind = t.kind[p];
    if (kind === SIGN && isSign(t, p, "<([{")) return false;
    if (kind === LINE && t.is(p + 1, code("-"))) return false;
    if ((kind !== WORD && kind !== STRING) || !VALUE_NAMES.test(t.textAt(p)) || !isSign(t, p + 1, "=:"))
      continue;
    return assignedTo(r, name, p + 1, t.sign[p + 1] as number);
  }
  return false;
}

function assignedTo(r: Reading, name: Name, at: number, sign: number): boolean {
  const { t } = r;
  const p = valueAt(t, at + 1, false);
  if (p >= t.count || t.kind[p] === LINE) return false;
  if (t.kind[p] !== STRING) {
    const value = bareAt(t, p, name, sign);
    if (value !== null && take(r, name, value, "value", sign)) return true;
  }
  return takeAll(r, name, literalsOf(t, p), sign);
}

/** `[a, b] = f("x")`, `a, b = "y", "x"`: the name among several, whose list ends at `p`. */
function severalNames(r: Reading, name: Name, p: number): boolean {
  const { t } = r;
  let at = p;
  if (isSign(t, at, "])}")) at++;
  // `(a, b) VALUES ('x', 'y')`.
  if (!t.is(at, code("=")) && !(t.kindAt(at) === WORD && /^values$/i.test(t.textAt(at)))) return false;
  let place = 0;
  for (let n = name.first - 1; t.is(n, code(",")) && t.kindAt(n - 1) === WORD && place < 8; n -= 2) place++;
  let value = valueAt(t, at + 1, false);
  const grouped = isSign(t, value, "[(");
  if (grouped) value++;
  // One expression gives all names their value.
  const comma = endOfItem(t, value, Math.min(t.count, value + 64));
  if (!t.is(comma, code(","))) return takeAll(r, name, literalsOf(t, value, true), 61);
  for (let n = 0; n < place && t.is(endOfItem(t, value, value + 64), code(",")); n++)
    value = endOfItem(t, value, value + 64) + 1;
  return t.kindAt(value) === STRING && take(r, name, literalAt(t, value, false), "value", 61);
}

/** A word that is a whole line, or the entries of a list, under a line that ends with a name. */
function below(r: Reading, name: Name, at: number): boolean {
  const { t } = r;
  let p = at;
  let found = false;
  for (let n = 0; n < 24 && t.kindAt(p) === LINE; n++) {
    let q = p + 1;
    while (isSign(t, q, ">`*-|\"'") || (t.kindAt(q) === LINE && (t.to[q] as number) < 3 && q === p + 1)) q++;
    // A fence of code, and the label of an entry: `- ElevenLabs: x`.
    if (t.kindAt(q) === WORD && t.is(q - 1, 96) && t.kindAt(q + 1) === LINE) q += 2;
    const entry =
      t.is(p + 1, code("-")) || t.is(p + 1, code("*")) || (/s$/.test(name.text) && (t.from[p] as number) > 0);
    if (entry) {
      const colon = findSign(t, q, code(":"), 6);
      if (colon > 0 && t.kindAt(colon + 1) !== LINE && !t.touches(colon)) q = colon + 1;
      while (isSign(t, q, "`*")) q++;
    }
    if (q >= t.count) return found;
    const literal =
      t.kind[q] === STRING
        ? literalAt(t, q, true)
        : t.kind[q] === WORD || t.kind[q] === SIGN
          ? bareAt(t, q, name, 58)
          : null;
    if (literal === null) return found;
    const end = lineEnd(t.text, literal.end);
    const alone = /^["'`*\s]*$/.test(t.text.slice(literal.end, Math.min(end, literal.end + 60)));
    const word = t.text.slice(literal.start, literal.end);
    if (
      !alone ||
      !isCertain(name, word) ||
      /[()[\]{}:;,]/.test(word) ||
      !take(r, name, literal, "inner", 0)
    ) {
      if (!entry || n > 8) return found;
    } else found = true;
    if (!entry) return found;
    p = literal.next;
    while (p < t.count && t.kind[p] !== LINE) p++;
  }
  return found;
}

/** The further entries of a list whose first one was a credential. */
function listBelow(r: Reading, name: Name, p: number): void {
  const { t } = r;
  if (!t.is(p - 1, code("-"))) return;
  let line = p;
  while (line < t.count && t.kind[line] !== LINE) line++;
  if (t.is(line + 1, code("-"))) below(r, name, line);
}

// ------------------------------------------------------------ sentences

const VERBS = new Set(
  "is was are be to as ist lautet war est es é è adalah là jest är هي هو set use using equals".split(" "),
);
const FILLERS = new Set(
  "now currently just simply still this key value called the following (base64) base64 here".split(" "),
);
const OF = new Set(
  "for of to on in für pour para per von de du des do da del della di van voor för till dla untuk của cho для от you we i they that which".split(
    " ",
  ),
);

function said(r: Reading, name: Name, from: number): boolean {
  const { t } = r;
  let verb = false;
  let of = 0;
  for (let p = from, n = 0; n < 12 && p < t.count; p++, n++) {
    const kind = t.kind[p];
    if (kind === LINE) return false;
    if (kind === WORD && !(p === from && t.touches(p - 1))) {
      const word = t.textAt(p).toLowerCase();
      if (VERBS.has(word)) {
        verb = true;
        of = 0;
        continue;
      }
      if (FILLERS.has(word)) continue;
      if (!verb && OF.has(word)) {
        of = 4;
        continue;
      }
      if (of > 0) {
        of--;
        continue;
      }
    } else if (kind === SIGN) {
      const sign = t.sign[p] as number;
      if (sign === 58 || sign === 61 || sign === ARROW || sign === 45) {
        verb ||= sign !== 45;
        of = 0;
        continue;
      }
      if (sign === 42 || sign === 96 || sign === 34 || sign === 39 || sign === 40 || sign === 41) continue;
      if (!isSign(t, p, "#!$%^&+=/@~?") || p === from) return false;
    } else if (of > 0 && !verb) continue;
    const value = kind === STRING ? literalAt(t, p, false) : bareAt(t, p, name, 32);
    if (value === null || (value.quoted && /\s/.test(t.textAt(p)))) return false;
    if (!value.quoted) value.end = endOfWord(t.text, value.start, value.end);
    return take(r, name, value, verb ? "said" : "beside", 32);
  }
  return false;
}

/** A password may contain signs, up to the end of the word. */
function endOfWord(text: string, start: number, end: number): number {
  let last = end;
  while (last < text.length && last - start < 400 && !/[\s"'`<>“”‘’›»,;)\]}]/.test(text[last] as string))
    last++;
  while (last > end && /[.?:]/.test(text[last - 1] as string)) last--;
  return last;
}

// ------------------------------------------- values without a name before

/** `Bearer x`, `Basic x`, `token x`, also as the last word of a literal before the next one. */
function scheme(r: Reading, i: number): boolean {
  const { t } = r;
  const word = t.textAt(i);
  let p = i + 1;
  if (p >= t.count || t.kind[p] === LINE || t.touches(i)) return false;
  while (isSign(t, p, "\"'`+.,~&${")) p++;
  if (t.kindAt(p) !== WORD && t.kindAt(p) !== STRING) return false;
  const start = (t.kind[p] === STRING ? t.from[p] : t.start[p]) as number;
  return schemeValue(r, word.toLowerCase(), start);
}

function schemeValue(r: Reading, word: string, start: number): boolean {
  const secret = (/^[A-Za-z0-9._~+/=-]{8,4096}/.exec(r.t.text.slice(start, start + 4096))?.[0] ?? "").replace(
    /[.,]+$/,
    "",
  );
  if (secret.length < 8 || isPlaceholder(secret)) return false;
  const fits =
    word === "basic"
      ? isBasicPair(secret)
      : word === "bearer"
        ? (/\d/.test(secret) && (looksSecret(secret) || isUuid(secret))) || looksRandom(secret)
        : looksRandom(secret) && secret.length >= 16;
  if (fits)
    r.add({ start, end: start + secret.length, rule: word === "basic" ? "basic-auth" : "bearer-token" });
  return fits;
}

/** A literal that ends with a name and its separator, or with a scheme, before the next literal: `"?key=" + "x"`. */
export function joined(r: Reading, i: number): void {
  const { t } = r;
  const text = t.text.slice(Math.max(t.from[i] as number, (t.to[i] as number) - 48), t.to[i]);
  const found = /(?:([\w.-]{2,40})\s?[=:]|\b(bearer|basic|token))\s?$/i.exec(text);
  if (found === null) return;
  let p = i + 1;
  while (isSign(t, p, "+.,~&") || t.kindAt(p) === LINE) p++;
  if (p === i + 1 || t.kindAt(p) !== STRING) return;
  if (found[2] !== undefined) schemeValue(r, found[2].toLowerCase(), t.from[p] as number);
  else {
    const name = makeName(r.kindOf(found[1] as string), found[1] as string, i);
    if (name !== null) take(r, name, literalAt(t, p, false), "pair", 61);
  }
}

/** `-u name:x` of curl and others. */
function userPair(r: Reading, i: number): boolean {
  const { t } = r;
  if (!(t.is(i - 1, code("-")) || t.is(i - 1, DASHES)) || !t.touches(i - 1)) return false;
  const end = t.end[i] as number;
  const pair = /^[\s=]{0,4}\\?["']?([^\s:"'\\]{0,80}):([^\s"'\\]{2,200})/.exec(t.text.slice(end, end + 300));
  if (pair === null) return false;
  const secret = pair[2] as string;
  if (isPlaceholder(secret) || /^\d+:\d+$/.test(`${pair[1]}:${secret}`) || secret.startsWith("//"))
    return false;
  const last = end + pair[0].length;
  r.add({ start: last - secret.length, end: last, rule: "basic-auth" });
  return true;
}

/** A call of a client, whose name says which argument is its key: `new OpenAI(⏎"x")`, `login("bob", "x")`. */
export function client(r: Reading, i: number): boolean {
  const { t } = r;
  if (!t.is(i + 1, code("(")) || !t.touches(i)) return false;
  const { kind, lone } = callKind(t.text, t.start[i + 1] as number);
  const general = /(?:Client|Api|API|SDK|Sdk|Auth|Embeddings)$/.test(t.textAt(i));
  if (kind === null && !general) return false;
  const name = makeName(
    kind === "password" ? "strong" : "token",
    kind === "password" ? "password" : "key",
    i,
  ) as Name;
  let found = false;
  let argument = 0;
  let account = false;
  const last = Math.min(t.count, i + 64);
  for (let p = i + 2; p < last && !found; argument++) {
    while (t.kindAt(p) === LINE) p++;
    const end = endOfItem(t, p, last);
    const only = argument === 0 && !t.is(end, code(","));
    if (t.kindAt(p) === STRING) {
      const word = t.textAt(p);
      const wanted =
        kind === "key"
          ? argument === 0
          : kind === "second"
            ? argument === 1
            : kind === "password"
              ? argument > 0 && argument < 4
              : only;
      if (argument === 0) account = /^AC[0-9a-f]{32}$/.test(word);
      if (
        !(account && argument === 0) &&
        (wanted || (kind === "password" && lone && only)) &&
        isCertain(name, word) &&
        (kind !== null || word.length >= 24)
      )
        found = take(r, name, literalAt(t, p, true), "inner", 40);
      // An account of Twilio and its token.
      else if (argument === 1 && account && /^[0-9a-f]{32}$/.test(word))
        found = take(r, name, literalAt(t, p, true), "value", 40);
    }
    if (!t.is(end, code(","))) break;
    p = end + 1;
  }
  return found;
}

/** A program that is given a credential by an option of one letter or as a word. */
function command(r: Reading, i: number): boolean {
  const { t } = r;
  const rules = COMMANDS.get(t.textAt(i));
  if (rules === undefined) return false;
  const start = t.start[i] as number;
  const line = t.text.slice(start, Math.min(lineEnd(t.text, start), start + 400));
  for (const { pattern, looks } of rules) {
    const secret = pattern.exec(line)?.groups?.x;
    if (secret === undefined || isPlaceholder(secret) || !looks(secret)) continue;
    const at = start + line.indexOf(secret, pattern.exec(line)?.index ?? 0);
    r.add({ start: at, end: at + secret.length, rule: "credential-name" });
    return true;
  }
  return false;
}

/** What is read at a word that is not the name of a credential. */
export const NAMELESS = new Map<string, (r: Reading, i: number) => boolean>();
for (const program of COMMANDS.keys()) NAMELESS.set(program, command);
for (const option of ["u", "U", "user", "proxy-user"]) NAMELESS.set(option, userPair);
for (const word of ["bearer", "basic", "token", "apikey", "ssws"])
  for (const spelling of [
    word,
    word.toUpperCase(),
    (word[0] as string).toUpperCase() + word.slice(1),
    "ApiKey",
  ])
    NAMELESS.set(spelling, scheme);

// ----------------------------------------------------------- small parts

/** The token after a name and the brackets, quotes and emphasis that close it. */
export function afterName(t: Tokens, i: number): number {
  let p = i + 1;
  for (let n = 0; n < 6; n++) {
    if (t.kindAt(p) !== SIGN) return p;
    const sign = t.sign[p] as number;
    const tight = t.touches(p - 1);
    if (sign === 93 || sign === 96 || (sign === 41 && t.kind[i] === STRING)) p++;
    else if (tight && (sign === 63 || sign === 33 || sign === 42 || sign === 34 || sign === 39)) p++;
    else if (sign === 42 && t.is(p + 1, 42)) p++;
    // A property of C#: `ApiKey { get; set; } =`.
    else if (
      sign === 123 &&
      (t.match[p] as number) > p &&
      (t.match[p] as number) - p < 8 &&
      t.is((t.match[p] as number) + 1, 61)
    )
      return (t.match[p] as number) + 1;
    else if (tight && sign === 91 && (t.match[p] as number) > 0 && (t.match[p] as number) - p < 3)
      p = (t.match[p] as number) + 1;
    else if (
      sign === 40 &&
      !tight &&
      (t.match[p] as number) > 0 &&
      (t.match[p] as number) - p < 8 &&
      t.is((t.match[p] as number) + 1, 58)
    )
      p = (t.match[p] as number) + 1;
    else return p;
  }
  return p;
}

/** Whether the token is the name of a member that names another value, such as `name` or `key`. */
function speaks(t: Tokens, i: number): boolean {
  const kind = t.kindAt(i);
  return (
    (kind === WORD || kind === STRING) &&
    (t.end[i] as number) - (t.start[i] as number) < 20 &&
    SPEAKS.test(t.textAt(i))
  );
}

/** Where the body of a function begins whose parameters end at `close`: after `=>`, or after `return` in its block. */
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
    if (t.kind[p] === LINE || isSign(t, p, ";,)")) return -1;
  }
  return -1;
}

/** The text of an element whose tag ends at the token `close`, up to a closing tag. */
function contentAt(t: Tokens, close: number): Literal | null {
  const from = t.end[close] as number;
  const cdata = t.text.startsWith("<![CDATA[", from) ? 9 : 0;
  const size = t.text.slice(from + cdata, from + 1024).indexOf(cdata > 0 ? "]]>" : "<");
  const end = from + cdata + size;
  if (size < 0 || (cdata === 0 && t.text[end + 1] !== "/")) return null;
  const literal = trimmed(t, from + cdata, end, close + 1);
  return literal.end > literal.start ? literal : null;
}

/** A stretch of the text without white space and marks of emphasis around it. */
function trimmed(t: Tokens, from: number, to: number, first: number): Literal {
  let start = from;
  let end = to;
  while (start < end && " \t\r\n`*\"'".includes(t.text[start] as string)) start++;
  while (end > start && " \t\r\n`*\"'".includes(t.text[end - 1] as string)) end--;
  return { start, end, quoted: true, inner: false, first, next: first };
}

function findSign(t: Tokens, from: number, sign: number, most: number): number {
  for (let p = from; p < t.count && p < from + most; p++) {
    if (t.is(p, sign)) return p;
    if (t.kind[p] === LINE && sign !== 62) return -1;
  }
  return -1;
}

function lineStart(t: Tokens, i: number): number {
  let p = i;
  while (p > 0 && i - p < 40 && t.kind[p - 1] !== LINE) p--;
  return p;
}

/** The end of the line, at most so many characters away. */
function lineEnd(text: string, from: number): number {
  const end = text.slice(from, from + 400).indexOf("\n");
  return end < 0 ? Math.min(text.length, from + 400) : from + end;
}
