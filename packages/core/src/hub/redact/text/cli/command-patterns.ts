/** A form of a credential that has neither a name and separator before it nor a known format. */
export interface CommandPattern {
  /** The pattern is tried only when this occurs. */
  literal: string;
  /** First group: the text before, which stays; second: the credential. With bounded repetitions, so that it is linear. */
  pattern: RegExp;
}

export const command = (literal: string, pattern: RegExp): CommandPattern => ({ literal, pattern });

/** Commands that take a credential after an option of one letter, or as the last word. */
export const COMMANDS: readonly CommandPattern[] = [
  command("sshpass", /(sshpass\s{1,4}-p\s{0,4}["']?)([^\s"']{3,200})/g),
  command("redis-cli", /(redis-cli\b[^\n]{0,200}?\s-a\s{1,4}["']?)([^\s"']{4,200})/g),
  command(
    "login",
    /(\b(?:docker|podman|helm registry|az|cf|oc|buildah) login\b[^\n]{0,200}?\s-p\s{1,4}["']?)([^\s"']{4,400})/g,
  ),
  command("mysql", /(mysql(?:dump|admin|sh|import)?\b[^\n]{0,200}?\s-p["']?)([^\s"'-][^\s"']{3,200})/g),
  command("mariadb", /(mariadb(?:-dump|-admin)?\b[^\n]{0,200}?\s-p["']?)([^\s"'-][^\s"']{3,200})/g),
  command(
    "mongo",
    /(mongo(?:sh|dump|restore|export|import)?\b[^\n]{0,200}?\s-p\s{1,4}["']?)([^\s"']{4,200})/g,
  ),
  command("cqlsh", /(cqlsh\b[^\n]{0,200}?\s-p\s{1,4}["']?)([^\s"']{4,200})/g),
  command("pass:", /(-pass(?:in|out)?\s{1,4}["']?pass:)([^\s"']{3,200})/g),
  command(
    "openssl ",
    /(\bopenssl\s(?:enc\b|aes-|des|camellia|aria)[^\n]{0,200}?\s-k\s{1,4}["']?)([^\s"']{4,200})/g,
  ),
  command(
    "ldap",
    /(\bldap(?:search|add|modify|delete|whoami|passwd)\b[^\n]{0,200}?\s-w\s{1,4}["']?)([^\s"']{4,200})/g,
  ),
  command("mosquitto_", /(mosquitto_(?:pub|sub|rr)\b[^\n]{0,200}?\s-P\s{1,4}["']?)([^\s"']{4,200})/g),
  command(
    " -P ",
    /(\b(?:sqlcmd|bcp|tsql|isql|nxc|crackmapexec)\b[^\n]{0,200}?\s-P\s{1,4}["']?)([^\s"']{4,200})/g,
  ),
  command(
    "htpasswd",
    /(htpasswd\s{1,4}(?:-[a-zA-Z]{1,6}\s{1,4}){0,3}-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\s{1,4}(?:-[a-zA-Z]{1,6}\s{1,4}){0,3}(?:[^\s-]\S{0,119}\s{1,4})?[^\s-]\S{0,79}\s{1,4}["']?)([^\s"']{4,200})/g,
  ),
  command("useradd", /(useradd\b[^\n]{0,120}?\s-p\s{1,4}["']?)([^\s"']{4,200})/g),
  command(
    " -U ",
    /(\b(?:smbclient|rpcclient|net rpc|smbmap|wmic|winexe|smbget)\b[^\n]{0,200}?\s-U\s{1,4}["']?[^\s%"']{1,80}%)([^\s"']{4,200})/g,
  ),
  command("--body", /(\bgh secret set\b[^\n]{0,120}?\s(?:--body|-b)[\s=]{1,4}["']?)([^\s"']{4,400})/g),
  command("zip ", /(\b(?:un)?zip\s[^\n|;&]{0,120}?-[a-zA-Z]{0,6}P\s{1,4}["']?)([^\s"'-][^\s"']{3,200})/g),
  command("curl", /(\bcurl\b[^\n]{0,200}?\s-u["']?[^\s:"'$]{1,80}:)([^\s"'$@]{3,200})/g),
  command(
    "snmp",
    /(\bsnmp(?:get|walk|set|bulkwalk|getnext)\b[^\n]{0,200}?\s-[AX]\s{1,4}["']?)([^\s"']{8,200})/g,
  ),
  command("--encrypt", /(\bqpdf\b[^\n]{0,200}?--encrypt\s{1,4}["']?)([^\s"'-][^\s"']{3,200})/g),
  command(
    "--with-token",
    /(\bgh auth login\b[^\n]{0,80}?--with-token\s{0,4}<<<\s{0,4}["']?)([^\s"'$]{8,400})/g,
  ),
  command("influx ", /(\binflux\b[^\n]{0,200}?\s-(?:password|t)\s{1,4}["']?)([^\s"'$-][^\s"']{3,200})/g),
  command(
    "http",
    /(\bhttps?\s[^\n|;&]{0,200}?(?:-a|--auth)[\s=]{1,4}["']?[\w.@+-]{1,80}:)([^\s"'$]{3,200})/g,
  ),
  command(
    "--password-stdin",
    /(\becho\s{1,4}(?:-n\s)?["']?)([^\s"'|]{6,400})(?=["']?\s{0,4}\|[^\n]{0,120}--password-stdin)/g,
  ),
];

/** Options that mean a password for one program and something else for others: only what looks like one is taken. */
export const AMBIGUOUS_COMMANDS: readonly CommandPattern[] = [
  command("7z", /(\b7z[ar]?\s{1,4}[a-z]{1,2}\s[^\n|;&]{0,120}?-p["']?)([^\s"'-][^\s"']{3,200})/g),
  command("-hp", /(\brar\s{1,4}[a-z]{1,3}\s[^\n|;&]{0,120}?-h?p["']?)([^\s"'-][^\s"']{3,200})/g),
  command("smbclient", /(\bsmbclient\s{1,4}[/\\]{2,4}[^\s"']{1,120}\s{1,4}["']?)([^\s"'-][^\s"']{5,200})/g),
];

/** Commands whose options begin with a single dash: only a value with digits or signs is taken. */
export const OPTIONS: readonly CommandPattern[] = [
  command(
    "SecureString",
    /(ConvertTo-SecureString\s{1,4}(?:-(?:String|AsPlainText|Force)\s{1,4}){0,3}["'])([^"'\n]{3,200})(?=["'])/gi,
  ),
  command(
    "SecureString",
    /(ConvertTo-SecureString\s{1,4}(?:-(?:String|AsPlainText|Force)\s{1,4}){0,3})([^\s"'$()|-][^\s"')]{3,200})(?=\s{1,4}-(?:AsPlainText|Force))/gi,
  ),
  command("SecureString", /(["'])([^"'\n$]{3,200})(?=["']\s{0,4}\|\s{0,4}ConvertTo-SecureString)/gi),
  ...["storepass ", "keypass "].map((option) =>
    command(
      option,
      /(\s-(?:store|key|src|dest|deststore|srcstore|srckey|destkey)pass\s{1,4}["']?)([^\s"'$-][^\s"']{3,200})/g,
    ),
  ),
  command("passphrase", /(\s--?passphrase[\s=]{1,4}["']?)([^\s"'$-][^\s"']{3,200})/g),
  command(
    "| sudo -",
    /(\becho\s{1,4}["']?)([^\s"'|$`]{4,200})(?=["']?\s{0,4}\|\s{0,4}sudo\s{1,4}-[a-zA-Z]{0,2}S\b)/g,
  ),
  command("--password-command", /(\s--password-command[\s=]{1,4}["']echo\s{1,4})([^\s"'$]{4,200})(?=["'])/g),
  command("--password-file=<", /(--password-file=<\(echo\s{1,4}["']?)([^\s"'$)]{4,200})/g),
];

/** Credentials that a command gets through a pipe. */
export const PIPES: readonly CommandPattern[] = [
  command(
    "chpasswd",
    /(\becho\s{1,4}(?:-[ne]{1,2}\s{1,4})?["']?[\w.-]{1,40}:)([^\s"'|$`]{4,200})(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s{1,4})?chpasswd)/g,
  ),
  command(
    "secret ",
    /(\becho\s{1,4}(?:-n\s{1,4})?["']?)([^\s"'|$`]{4,400})(?=["']?\s{0,4}\|\s{0,4}(?:npx\s)?(?:wrangler secret put|gh secret set|docker secret create|fly secrets)\b)/g,
  ),
  command(
    "ansible-vault",
    /(\becho\s{1,4}(?:-n\s{1,4})?["']?)([^\s"'|$`]{4,400})(?=["']?\s{0,4}\|\s{0,4}ansible-vault\b)/g,
  ),
];

/** Commands of Windows, and of Oracle, where a name and its password have a slash between them. */
export const SLASHES: readonly CommandPattern[] = [
  ...["/rp", "/RP"].map((literal) =>
    command(literal, /(\s\/rp[\s:]{1,4}["']?)([^\s"'<>$%*/][^\s"'<>$%]{3,200})/gi),
  ),
  command(
    "/p ",
    /(\s\/u\s{1,4}["']?[\w.\\@$-]{1,80}["']?\s{1,4}\/p\s{1,4}["']?)([^\s"'<>$%*/][^\s"'<>$%]{3,200})/gi,
  ),
  command(":thin:", /(:thin:[\w$#.-]{1,60}\/)([^\s"'<>${}@]{3,120})(?=@)/g),
  ...["qlplus", "qlldr", "xpdp", "mpdp", "rman target"].map((literal) =>
    command(
      literal,
      /(\b(?:sqlplus|sqlldr|expdp|impdp|rman\s{1,4}target)(?:\s{1,4}-\w{1,12}){0,3}\s{1,4}["']?(?:userid=)?["']?[A-Za-z][\w$#]{1,40}\/)([^\s"'<>$%{}@/]{3,120})(?=@|["']?(?:\s|$))/g,
    ),
  ),
  command("cmdkey ", /(\bcmdkey\b[^\n]{0,160}?\s\/pass:["']?)([^\s"'<>$%]{4,200})/gi),
  command("freerdp", /(\b[xw]l?freerdp3?\b[^\n]{0,160}?\s\/p:["']?)([^\s"'<>$%]{4,200})/g),
  command(
    "net user",
    /(\bnet user\s{1,4}["']?[\w.$-]{1,60}["']?\s{1,4}["']?)([^\s"'/*<>$%][^\s"']{5,200})(?=["']?\s{1,4}\/add)/gi,
  ),
];
export const SHARES: readonly CommandPattern[] = [
  command(
    "net use",
    /(\bnet use\s{1,4}(?:[A-Za-z*]:?\s{1,4})?\\{2,8}[^\s"']{1,160}\s{1,4}(?:\/user:\S{1,80}\s{1,4})?["']?)([^\s"'/*][^\s"']{3,200})/gi,
  ),
];

/** Commands whose last word is a credential: only what looks like one is taken. */
export const LAST_WORDS: readonly CommandPattern[] = [
  command(
    " ",
    /(\b(?:vault login|wandb login|snyk auth|huggingface-cli login|hf auth login|ngrok (?:config add-)?authtoken|codecov -t|flyctl auth token|npm config set \S{1,80}:_authToken|pnpm config set \S{1,80}:_authToken|composer config (?:--global |-g )?[\w-]{1,20}\.[\w.-]{1,60}(?: [\w.@-]{1,40})?|aws configure set \S{0,60}(?:secret|token|key)\w{0,20}|git config (?:--global )?\S{0,60}(?:token|password)|rclone config (?:create|update) [^\n]{1,120}? pass) {1,2}["']?)([^\s"'/<>$-][^\s"'<>$]{6,400})/g,
  ),
];
