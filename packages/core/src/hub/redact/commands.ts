/** A way to write a credential where neither a name stands before a separator nor a format gives it away. */
export interface Idiom {
  /** Has to occur for the pattern to be tried. */
  literal: string;
  /** First group: what stays before; second: the credential. Bounded, so that it stays linear. */
  pattern: RegExp;
}

export const idiom = (literal: string, pattern: RegExp): Idiom => ({ literal, pattern });

/** Commands that take a credential behind an option of one letter, or last. */
export const COMMANDS: readonly Idiom[] = [
  idiom("sshpass", /(sshpass\s{1,4}-p\s{0,4}["']?)([^\s"']{3,200})/g),
  idiom("redis-cli", /(redis-cli\b[^\n]{0,200}?\s-a\s{1,4}["']?)([^\s"']{4,200})/g),
  idiom(
    "login",
    /(\b(?:docker|podman|helm registry|az|cf|oc|buildah) login\b[^\n]{0,200}?\s-p\s{1,4}["']?)([^\s"']{4,400})/g,
  ),
  idiom("mysql", /(mysql(?:dump|admin|sh)?\b[^\n]{0,200}?\s-p)([^\s"'-][^\s"']{3,200})/g),
  idiom("mongo", /(mongo(?:sh|dump|restore)?\s[^\n]{0,200}?\s-p\s{1,4}["']?)([^\s"']{4,200})/g),
  idiom("pass:", /(-pass(?:in|out)?\s{1,4}pass:)([^\s"']{3,200})/g),
  idiom(
    "ldap",
    /(\bldap(?:search|add|modify|delete|whoami|passwd)\b[^\n]{0,200}?\s-w\s{1,4}["']?)([^\s"']{4,200})/g,
  ),
  idiom("mosquitto_", /(mosquitto_(?:pub|sub|rr)\b[^\n]{0,200}?\s-P\s{1,4}["']?)([^\s"']{4,200})/g),
  idiom(
    " -P ",
    /(\b(?:sqlcmd|bcp|tsql|isql|nxc|crackmapexec)\b[^\n]{0,200}?\s-P\s{1,4}["']?)([^\s"']{4,200})/g,
  ),
  idiom(
    "htpasswd",
    /(htpasswd\s{1,4}-[a-zA-Z]{0,4}b[a-zA-Z]{0,4}\s{1,4}\S{1,120}\s{1,4}\S{1,80}\s{1,4}["']?)([^\s"']{4,200})/g,
  ),
  idiom("useradd", /(useradd\b[^\n]{0,120}?\s-p\s{1,4}["']?)([^\s"']{4,200})/g),
  idiom(
    " -U ",
    /(\b(?:smbclient|rpcclient|net rpc|smbmap|wmic|winexe)\b[^\n]{0,200}?\s-U\s{1,4}["']?[^\s%"']{1,80}%)([^\s"']{4,200})/g,
  ),
  idiom("--body", /(\bgh secret set\b[^\n]{0,120}?\s(?:--body|-b)[\s=]{1,4}["']?)([^\s"']{4,400})/g),
  idiom(
    "--password-stdin",
    /(\becho\s{1,4}(?:-n\s)?["']?)([^\s"'|]{6,400})(?=["']?\s{0,4}\|[^\n]{0,120}--password-stdin)/g,
  ),
  idiom(
    "chpasswd",
    /(\becho\s{1,4}["']?[\w.-]{1,40}:)([^\s"'|]{4,200})(?=["']?\s{0,4}\|\s{0,4}(?:sudo\s)?chpasswd)/g,
  ),
];

/** Commands whose last word is a credential: only what looks like one is taken. */
export const LAST_WORDS: readonly Idiom[] = [
  idiom(
    " ",
    /(\b(?:vault login|wandb login|snyk auth|huggingface-cli login|hf auth login|ngrok (?:config add-)?authtoken|codecov -t|flyctl auth token|npm config set \S{1,80}:_authToken|pnpm config set \S{1,80}:_authToken|composer config (?:--global |-g )?[\w-]{1,20}\.[\w.-]{1,60}(?: [\w.@-]{1,40})?|aws configure set \S{0,60}(?:secret|token|key)\w{0,20}|git config (?:--global )?\S{0,60}(?:token|password)) {1,2}["']?)([^\s"'/<>$-][^\s"'<>$]{6,400})/g,
  ),
];
