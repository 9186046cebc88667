import { KEY_QUALIFIERS, PROVIDERS, words } from "../names/lexicon.ts";

/** Methods whose argument is a key or token. Their names are in lower case, without underscores. */
const SETTERS = words(`
  setkey setapikey settoken setaccesstoken setauthtoken setbearertoken setsecret setsecretkey setclientsecret setlicensekey setauth setcredentials
  usetoken usekey useapikey withtoken withkey withapikey withaccesstoken withsecret loginwithtoken logintoken
  configure loginwithcustomtoken
  wallet fromkey privatekeytoaccount importprivatekey fernet createclient createserverclient createbrowserclient initializeclient searchclient algoliasearch
`);
/** Calls whose arguments are a user name and then the password. */
const LOGINS = words(`
  login signin logon authenticate auth authorize signinwithemailandpassword createuserwithemailandpassword signinwithpassword loginwithpassword connect mysqliconnect
  mysqlconnect mysqlpconnect pgconnect pdo ftplogin setcredentials withcredentials setbasicauth basicauth httpbasicauth passwordauthentication pscredential
  minio ftp ftptls networkcredential getconnection usernamepasswordcredentials plainauth sshconnect
`);
/** Words of `KEY_QUALIFIERS` and `PROVIDERS` that do not show that a call takes a key: ordinary words, some also names of services. */
const ORDINARY = words(`
  api apis secret private access auth authentication authorization encryption encrypt decryption decrypt signing sign signature master admin
  service account subscription client consumer app application bot deploy deployment host function functions shared hmac aes rsa
  ssh gpg pgp pem tls ssl jwt webhook write ingest ingestion instrumentation developer merchant security cipher crypto psk presharedkey
  role rest sdk token system sas bearer agent license licence recovery vault unseal seal server restapi together weather brave segment linear exa
  preshared wifi wallet activation product turnstile anon user fcm storageaccount apiaccess apiauth gateway replicate stability
`);

/** Names of calls, and whether the call expects a key or a password. For a service, they are names of its client classes: `GroqClient`. */
const GIVEN = new Map<string, "key" | "password">();
for (const service of [...PROVIDERS, ...KEY_QUALIFIERS]) {
  if (ORDINARY.has(service)) continue;
  for (const end of ["", "client", "api", "sdk", "ai", "llm"]) {
    GIVEN.set(service + end, "key");
    GIVEN.set(`new${service}${end}`, "key");
  }
}
for (const name of SETTERS) GIVEN.set(name, "key");
for (const name of LOGINS) GIVEN.set(name, "password");

/** Names of calls that name no service, so the word before them is used: `Groq::new("…")`, `cohere.Client("…")`. */
const GENERAL = words("new client create init");
/** The word before a bracket, and the word before that one if a dot, `::` or `->` joins the two. */
const CALLEE = /(?:([A-Za-z_]\w{0,39})(?:\.|::|->))?([A-Za-z_]\w{0,39})$/;

/** Returns whether the call with the bracket at `at` expects a key or a password. Returns null when its name shows neither. */
export function givenTo(text: string, at: number): "key" | "password" | null {
  const [, owner = "", last = ""] = CALLEE.exec(text.slice(Math.max(0, at - 84), at)) ?? [];
  const name = simple(last);
  return GIVEN.get(GENERAL.has(name) ? simple(owner) : name) ?? null;
}

const simple = (name: string): string => name.toLowerCase().replaceAll("_", "");
