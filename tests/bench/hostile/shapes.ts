import { randomFrom } from "../../fixtures/redact/generate.ts";

/** A kind of input that can be made in any size. `make` returns an input of about `size` characters. */
export interface Shape {
  name: string;
  /** Whether the shape was written by hand and not generated at random. Such a shape is always measured at the full limit. */
  always?: boolean | undefined;
  make: (size: number) => string;
}

/** Pieces of text that redaction and other readers treat specially: names, separators, quotes, brackets, beginnings of tokens … */
const PIECES =
  `password|password=|api_key: |"token":|KEY|SECRET|{{|}}|{{KEY|\${|}|<|>|<KEY|=|:|::|//|http://|https://a.|https://a:b@|@|?key=|&sig=|"|'|\`|\\|\\"|\\\\|\\u0061|\\u|%|%3D|%61|&#|&#97;|[|]|[[|{|}|{"a":|("|(|)|,|;|.|..|-|--|-----BEGIN PRIVATE KEY-----|-----END PRIVATE KEY-----|-----BEGIN |_|a|A|0|9|aB3|sk-|sk-proj-|eyJ|eyJhbGciOiJ9.|.eyJ|AKIA|ghp_|xoxb-|hf_|base64,|data:image/png;base64,|Bearer |Basic |--token |-u a:|sshpass -p |is |the password is |org code |set password '| || | ?? '|? "|- |\n|\n\n|\r\n|\t| |  |# Token\n|\`\`\`|密码：|ключ|是|：|＝|é|\u0315|\u0316|\u00a0|\u200b|\u00ad|\u2011|p\u0430ss|ａｐｉ＿ｋｅｙ|\ud835\udc1a|\ud83d\ude00|aB3dE5fG7hJ9kL1mN3pQ5|7f3aQ9xLw2aBZk3v|hunter2!|[redacted]|<a x |</a>|<key>|<value>|/*|*/|429|Mon, 01 Jan|1e9|-1|null`
    .split("|")
    .filter((piece) => piece !== "");

export const times = (unit: string, size: number) => unit.repeat(Math.max(1, Math.ceil(size / unit.length)));

/** Returns texts: each piece repeated, then random mixtures of pieces. */
export function texts(seed: number, count: number): Shape[] {
  const shapes = PIECES.map(plain);
  for (let n = 0; shapes.length < count; n++) shapes.push(mixture(seed * 100_003 + n));
  return shapes.slice(0, count);
}

const plain = (piece: string): Shape => ({
  name: `${JSON.stringify(piece)} again and again`,
  always: true,
  make: (size) => times(piece, size),
});

function mixture(seed: number): Shape {
  const random = randomFrom(seed);
  const draw = () => PIECES[Math.floor(random() * PIECES.length)] as string;
  const drawn = Array.from({ length: 1 + Math.floor(random() * 5) }, draw);
  const unit = drawn
    .map((piece) => piece.repeat(random() < 0.2 ? 1 + Math.floor(random() * 40) : 1))
    .join("");
  const lead = draw();
  const end = draw();
  const way = Math.floor(random() * 4);
  const make = [
    (size: number) => times(unit, size),
    (size: number) => lead + times(unit, size) + end,
    (size: number) => times(lead, size / 2) + times(unit, size / 2),
    (size: number) => {
      const next = randomFrom(seed + 7);
      let text = "";
      while (text.length < size) text += PIECES[Math.floor(next() * PIECES.length)];
      return text;
    },
  ][way] as Shape["make"];
  const kind = ["repeated", "between two others", "behind as much of another", "by chance"][way];
  return { name: `text ${seed}: ${JSON.stringify(unit.slice(0, 40))} ${kind}`, make };
}

const NAMES = [
  "a",
  "password",
  "api_key",
  "credentials",
  "value",
  "name",
  "tags",
  "secrets",
  "widgets_values",
  "prompt_template_id",
  "model",
];

/** Returns JSON values as text: many small ones, deep ones, long keys, many keys, texts of each kind, JSON in text. */
export function values(seed: number, count: number): Shape[] {
  const many = (name: string, element: string): Shape => ({
    name,
    make: (size) => `[${times(`${element},`, size - element.length - 2)}${element}]`,
  });
  const shapes: Shape[] = [
    ...[
      "[]",
      "{}",
      "0",
      '""',
      "[[]]",
      '{"a":{}}',
      '{"a":[]}',
      "null",
      "1.5e3",
      '{"password":1}',
      '"password"',
      '["a","b"]',
    ].map((element) => many(`a list of ${element}`, element)),
    { name: "nested lists", make: (size) => `${"[".repeat(size / 2)}${"]".repeat(size / 2)}` },
    { name: "nested objects", make: (size) => `${'{"a":'.repeat(size / 6)}0${"}".repeat(size / 6)}` },
    { name: "lists 60 deep", make: (size) => `[${times(`${"[".repeat(60)}${"]".repeat(60)},`, size - 3)}0]` },
    {
      name: "a long key over many numbers",
      make: (size) =>
        `{${JSON.stringify("k".repeat(size / 2))}:{"password":[${times("1,", size / 2 - 30)}1]}}`,
    },
    {
      name: "long keys in each other over many secrets",
      make: (size) =>
        `${`{${JSON.stringify("k".repeat(size / 60))}:`.repeat(30)}{"api_key":[${times('"aB3dE5fG7h",', size / 2 - 30)}1]}${"}".repeat(30)}`,
    },
    { name: "many keys", make: (size) => keyed(size, (n) => `"k${n}":0`) },
    {
      name: "many keys of credentials",
      make: (size) => keyed(size, (n) => `"api_key_${n}":"aB3dE5fG7h${n}"`),
    },
    {
      name: "many keys that are secrets",
      make: (size) => keyed(size, (n) => `"sk-proj-aB3dE5fG7hJ9kL1mN3pQ5${n}":0`),
    },
    { name: "the same key", make: (size) => keyed(size, () => '"a":0') },
  ];
  const known = shapes.map((shape) => ({ ...shape, always: true }));
  for (let n = 0; shapes.length < count; n++) shapes.push(around(seed * 100_019 + n));
  return [...known, ...shapes.slice(known.length)].slice(0, count);
}

const keyed = (size: number, member: (n: number) => string) => {
  const members: string[] = [];
  for (let n = 0, length = 0; length < size; n++) {
    const next = member(n);
    members.push(next);
    length += next.length + 1;
  }
  return `{${members.join(",")}}`;
};

/** Returns JSON with a random mixture of pieces as one text, as many texts, under a name, as keys, or as JSON within JSON. */
function around(seed: number): Shape {
  const random = randomFrom(seed);
  const text =
    random() < 0.3 ? plain(PIECES[Math.floor(random() * PIECES.length)] as string) : mixture(seed + 1);
  const name = NAMES[Math.floor(random() * NAMES.length)] as string;
  const inner = 8 + Math.floor(random() * 120);
  const json = (size: number) => JSON.stringify(fitted(text.make, size));
  const lists = (size: number) => {
    const element = json(inner);
    return `[${times(`${element},`, size - element.length)}${element}]`;
  };
  const ways: [string, Shape["make"]][] = [
    ["alone", json],
    ["alone", json],
    [`under ${name}`, (size) => `{"${name}":${json(size - 20)}}`],
    ["in a list", lists],
    [`in a list under ${name}`, (size) => `{"${name}":${lists(size - 20)}}`],
    ["as keys", (size) => keyed(size, (n) => `${JSON.stringify(text.make(inner) + n)}:"x"`)],
    ["in rows", (size) => `[${times(`{"name":"${name}","value":${json(inner)}},`, size - 20)}0]`],
    ["in JSON", (size) => JSON.stringify(`{"${name}":${json(size / 2)}}`)],
    [
      "in JSON in JSON in JSON",
      (size) =>
        JSON.stringify(JSON.stringify(JSON.stringify([JSON.parse(json(size / 6)), "password=hunter2!x"]))),
    ],
  ];
  const [way, make] = ways[Math.floor(random() * ways.length)] as [string, Shape["make"]];
  return { name: `${text.name}, ${way}`, make };
}

/** Returns a text that, as JSON with its escapes, fits into `size` characters. */
function fitted(make: Shape["make"], size: number): string {
  const text = make(size);
  const { length } = JSON.stringify(text);
  return length <= size * 1.1 ? text : make(Math.floor((size * text.length) / length));
}
