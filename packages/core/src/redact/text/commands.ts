import { looksSecret } from "../evidence/entropy.ts";
import { isGibberish } from "../evidence/gibberish.ts";

/** How a program is given a credential: the group `x` of a pattern that is tried from the program's name to the end of the line. */
interface Command {
  pattern: RegExp;
  looks(word: string): boolean;
}

const any = () => true;
/** After words that may be prose: letters with digits or signs. */
const drawn = (word: string) => /[\d!@#$%^&*+?]/.test(word) || isGibberish(word) || looksSecret(word);

/** Programs; what stands before the credential; how it has to look. Repetitions are bounded, and a line is cut at 400 characters. */
const TABLE: readonly [programs: string, before: string, looks?: (word: string) => boolean, ends?: string][] =
  [
    ["sshpass", " {1,4}-p {0,4}"],
    ["redis-cli", ".*? -a {1,4}"],
    ["docker podman helm az cf oc buildah", ".*? login\\b.*? -p {1,4}"],
    ["mysql mysqldump mysqladmin mysqlsh mysqlimport mariadb mariadb-dump mariadb-admin", ".*? -p(?![\\s-])"],
    ["mongo mongosh mongodump mongorestore mongoexport mongoimport cqlsh useradd", ".*? -p {1,4}"],
    ["openssl", ".*? -pass(?:in|out)? {1,4}[\"']?pass:"],
    ["openssl", " (?:enc\\b|aes-|des|camellia|aria).*? -k {1,4}"],
    ["ldapsearch ldapadd ldapmodify ldapdelete ldapwhoami ldappasswd", ".*? -w {1,4}"],
    ["mosquitto_pub mosquitto_sub mosquitto_rr sqlcmd bcp tsql isql nxc crackmapexec", ".*? -P {1,4}"],
    ["zip unzip", ".*? -[a-zA-Z]{0,6}P {1,4}"],
    [
      "htpasswd",
      "(?: -[a-zA-Z]{1,6}){0,3} -[a-zA-Z]{0,4}b[a-zA-Z]{0,4}(?: -[a-zA-Z]{1,6}){0,3}(?: [^\\s-]\\S{0,119})? [^\\s-]\\S{0,79} {1,4}",
    ],
    ["smbclient rpcclient smbmap wmic winexe smbget net", ".*? -U {1,4}[\"']?[^\\s%\"']{1,80}%"],
    ["smbclient", " [/\\\\]{2,4}[^\\s\"']{1,120} {1,4}(?!-)", looksSecret],
    ["gh", " secret set\\b.*? (?:--body|-b)[ =]{1,4}"],
    ["gh", " auth login\\b.*?--with-token {0,4}<<< {0,4}"],
    ["curl", ".*? -u[\"']?[^\\s:\"'$]{1,80}:"],
    ["snmpget snmpwalk snmpset snmpbulkwalk snmpgetnext", ".*? -[AX] {1,4}"],
    ["qpdf", ".*?--encrypt {1,4}(?!-)", drawn],
    ["influx", ".*? -(?:password|t) {1,4}(?![$-])"],
    ["http https", " .*?(?:-a|--auth)[ =]{1,4}[\"']?[\\w.@+-]{1,80}:"],
    ["7z 7za 7zr rar", " {1,4}[a-z]{1,3} .*?-h?p(?!-)", looksSecret],
    ["ConvertTo-SecureString", "(?: {1,4}-(?:String|AsPlainText|Force)){0,3} {1,4}(?![$(-])", drawn],
    [
      "keytool jarsigner apksigner",
      ".*? -(?:store|key|src|dest|deststore|srcstore|srckey|destkey)pass {1,4}(?![$-])",
      drawn,
    ],
    [
      "echo printf",
      " {1,4}(?:-n )?(?=[^|]{0,200}\\|.{0,120}(?:--password-stdin|sudo -[a-zA-Z]{0,2}S\\b|wrangler secret put|gh secret set|docker secret create|fly secrets|ansible-vault))",
      drawn,
    ],
    ["echo printf", " {1,4}(?:-[ne]{1,2} )?[\"']?[\\w.-]{1,40}:(?=[^|]{0,200}\\|.{0,40}chpasswd)", drawn],
    ["schtasks", ".*? /rp[ :]{1,4}", drawn],
    ["cmdkey", ".*? /pass:", drawn],
    ["xfreerdp xfreerdp3 wlfreerdp wfreerdp", ".*? /p:", drawn],
    ["net", " user {1,4}\\S{1,60} {1,4}(?=\\S{1,80} {1,4}/add)", drawn],
    [
      "net",
      " use {1,4}(?:[A-Za-z*]:? {1,4})?\\\\{2,8}[^\\s\"']{1,160} {1,4}(?:/user:\\S{1,80} {1,4})?(?![/*])",
      drawn,
    ],
    [
      "sqlplus sqlldr expdp impdp rman",
      "(?: {1,4}(?:-\\w{1,12}|target)){0,4} {1,4}[\"']?(?:userid=)?[A-Za-z][\\w$#]{1,40}/",
      drawn,
    ],
    ["vault wandb huggingface-cli", " login (?:--?[\\w-]+ ){0,3} ?", looksSecret],
    ["hf snyk flyctl", " auth(?: login| token)? {1,2}", looksSecret],
    ["ngrok", " (?:config add-)?authtoken {1,2}", looksSecret],
    ["npm pnpm yarn", " config set \\S{1,80}(?:_authToken|:_auth|_password)[ =]", looksSecret],
    ["aws", " configure set \\S{0,60}(?:secret|token|key)\\w{0,20} {1,2}", looksSecret],
    ["git", " config (?:--global )?\\S{0,60}(?:token|password) {1,2}", looksSecret],
    ["codecov", " -t {1,2}", looksSecret],
    [
      "requirepass masterauth rootpw bindpw auth_pass wpa-psk AuthLDAPBindPassword bindcredentials",
      " {1,8}(?:--plaintext )?(?=\\S{4,200} *$)",
      drawn,
    ],
    [
      "enable username",
      "(?: [\\w.@-]{1,40})?(?: privilege \\d{1,2})? (?:secret|password) (?:level \\d{1,2} )?(?:\\d )?(?=\\S{4,200} *$)",
      drawn,
    ],
    ["snmp-server", " community ", drawn],
    ["tacacs-server radius-server", " (?:host \\S{1,60} )?key (?:\\d )?", drawn],
    ["pre-shared-key key-string", " (?:ascii-text |local |remote |\\d )?", drawn],
    ["sentinel", " auth-pass [\\w.-]{1,60} ", drawn],
    ["machine default", "(?: \\S{1,120})? login \\S{1,120}(?: account \\S{1,120})? password ", drawn],
    ["identified", " (?:with \\S{1,40} )?by (?:password )?(?=[\"'])", any],
    ["thin", ":[\\w$#.-]{1,60}/(?=[^@\\s]{3,120}@)", any, "@"],
  ];

export const COMMANDS = new Map<string, Command[]>();
for (const [programs, before, looks = any, ends = ""] of TABLE) {
  const pattern = new RegExp(`^[\\w-]+${before}["']?(?<x>[^\\s"'|;<>$\`{}()][^\\s"'|<>${ends}]{2,400})`, "i");
  for (const program of programs.split(" ")) {
    const known = COMMANDS.get(program) ?? [];
    known.push({ pattern, looks });
    COMMANDS.set(program, known);
  }
}
COMMANDS.set("IDENTIFIED", COMMANDS.get("identified") as Command[]);
