import { isGibberish, looksSecret } from "../evidence/entropy.ts";

/** One way to give a program a credential. `pattern` matches the line from the program's name on; its group `x` is the credential. */
interface Command {
  pattern: RegExp;
  looks(word: string): boolean;
}

/** Returns whether a word has a digit or a sign, or looks random. This test is used where the word may also be prose. */
const drawn = (word: string) => /[\d!@#$%^&*+?]/.test(word) || isGibberish(word) || looksSecret(word);
const LOOKS = { any: () => true, drawn, secret: looksSecret };

/**
 * Programs, the look of the credential, and the text between the program's name and the credential, as the manual of the
 * program describes it. To keep the patterns fast, a line is cut at 400 characters.
 */
const TABLE: readonly (readonly [programs: string, looks: keyof typeof LOOKS, before: string])[] = [
  ["sshpass", "any", " {1,4}-p {0,4}"],
  ["redis-cli", "any", ".*? -a {1,4}"],
  ["docker podman helm az cf oc buildah", "any", ".*? login\\b.*? -p {1,4}"],
  ["mysql mysqldump mysqladmin mysqlsh mysqlimport mariadb mariadb-dump", "any", ".*? -p(?![\\s-])"],
  ["mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh", "any", ".*? -p {1,4}"],
  ["openssl", "any", ".*? -pass(?:in|out)? {1,4}[\"']?pass:"],
  ["ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami", "drawn", ".*? -w {1,4}"],
  ["mosquitto_pub mosquitto_sub sqlcmd bcp", "any", ".*? -P {1,4}"],
  ["zip unzip", "drawn", ".*? -[a-zA-Z]{0,6}P {1,4}"],
  ["curl", "any", ".*? -u[\"']?[^\\s:\"'$]{1,80}:"],
  ["htpasswd", "drawn", ".*? -\\w{0,4}b\\w{0,4} .*? {1,4}(?=\\S{4,80} *$)"],
  ["smbclient rpcclient smbmap", "any", ".*? -U {1,4}[\"']?[^\\s%\"']{1,80}%"],
  ["http https", "any", " .*?(?:-a|--auth)[ =]{1,4}[\"']?[\\w.@+-]{1,80}:"],
  ["ConvertTo-SecureString", "drawn", "(?: {1,4}-(?:String|AsPlainText|Force)){0,3} {1,4}(?![$(-])"],
  ["keytool jarsigner apksigner", "drawn", ".*? -(?:store|key|src|dest)pass {1,4}(?![$-])"],
  ["echo printf", "drawn", " {1,4}(?:-n )?(?=[^|]{0,200}\\|.{0,120}(?:--password-stdin|sudo -S|secret put))"],
  ["echo printf", "drawn", " {1,4}[\"']?[\\w.-]{1,40}:(?=[^|]{0,200}\\|.{0,40}chpasswd)"],
  ["net", "drawn", " use .{0,160}/user:\\S{1,80} {1,4}(?![/*])"],
  [
    "vault wandb huggingface-cli hf snyk flyctl",
    "secret",
    " (?:auth )?(?:login|token) (?:--?[\\w-]+ ){0,3} ?",
  ],
  ["ngrok", "secret", " (?:config add-)?authtoken {1,2}"],
  ["npm pnpm yarn", "secret", " config set \\S{1,80}(?:_authToken|:_auth|_password)[ =]"],
  ["aws", "secret", " configure set \\S{0,60}(?:secret|token|key)\\w{0,20} {1,2}"],
  ["requirepass masterauth rootpw bindpw auth_pass wpa-psk", "drawn", " {1,8}(?=\\S{4,200} *$)"],
  ["machine default", "drawn", "(?: \\S{1,120})? login \\S{1,120}(?: account \\S{1,120})? password "],
  ["identified IDENTIFIED", "any", " (?:[Ww][Ii][Tt][Hh] \\S{1,40} )?(?:by|BY) (?=[\"'])"],
];

export const COMMANDS = new Map<string, Command[]>();
for (const [programs, looks, before] of TABLE) {
  const pattern = new RegExp(`^[\\w-]+${before}["']?(?<x>[^\\s"'|;<>$\`{}()][^\\s"'|<>]{3,400})`);
  for (const program of programs.split(" "))
    COMMANDS.set(program, [...(COMMANDS.get(program) ?? []), { pattern, looks: LOOKS[looks] }]);
}
