import { code, LINE } from "../tokens.ts";
import { type Layout, take } from "./layout.ts";
import { contentAt, namesValue, trimmed } from "./values.ts";

export const element: Layout = {
  id: "element",
  example: "<password>x</password>",
  read(r, name) {
    const { t } = r;
    if (!t.is(name.first - 1, code("<")) || !t.touches(name.first - 1)) return false;
    const close = t.findSign(name.last + 1, code(">"), 24);
    const value = close < 0 || t.is(close - 1, code("/")) ? null : contentAt(t, close);
    // The name in angle brackets is an element only if a closing tag follows; generics in code have no closing tag.
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
};

export const elements: Layout = {
  id: "elements",
  example:
    '<key>APIKey</key><string>x</string>, <td>Token</td><td>x</td>, <property name="password">x</property>',
  read(r, name, next) {
    const { t } = r;
    let p = t.is(next, code(":")) ? next + 1 : next;
    if (!t.is(p, code("<")) || !t.is(p + 1, code("/"))) {
      // Here the name is in an attribute, and the content of the element is the value.
      if (!namesValue(t, name.first - 2) || !t.is(next, code(">"))) return false;
      const value = contentAt(t, next);
      return value !== null && take(r, name, value, "value", code(">"));
    }
    for (let tags = 0; tags < 6 && t.is(p, code("<")); tags++) {
      const close = t.findSign(p, code(">"), 32);
      if (close < 0) return false;
      const value = tags > 0 && !t.is(p + 1, code("/")) ? contentAt(t, close) : null;
      if (value !== null) return take(r, name, value, "cell", 0);
      p = close + 1;
      while (t.kindAt(p) === LINE || t.is(p, code(":"))) p++;
    }
    return false;
  },
};

export const cell: Layout = {
  id: "cell",
  example: "| API key | x |",
  read(r, name, next) {
    const { t } = r;
    if (!t.is(next, code("|")) || !t.is(t.lineStart(name.first), code("|"))) return false;
    const end = t.findSign(next + 1, code("|"), 24);
    const from = t.end[next] as number;
    const to = end < 0 ? t.lineEnd(from) : (t.start[end] as number);
    return take(r, name, trimmed(t, from, to, next + 1), "cell", code("|"));
  },
};
