import { KEY_QUALIFIERS, PROVIDERS, words } from "../names/lexicon.ts";

/** Methods whose argument is a key or token. In lower case, without underscores. */
const SETTERS = words(`
  setkey setapikey settoken setaccesstoken setauthtoken setbearertoken setsecret setsecretkey setclientsecret setlicensekey setauth setcredentials
  usetoken usekey useapikey withtoken withkey withapikey withaccesstoken withsecret loginwithtoken logintoken
  configure loginwithcustomtoken
  wallet fromkey privatekeytoaccount importprivatekey fernet createclient createserverclient createbrowserclient initializeclient searchclient algoliasearch
`);
/** Calls whose arguments are a name and then its password. */
const LOGINS = words(`
  login signin logon authenticate auth authorize signinwithemailandpassword createuserwithemailandpassword signinwithpassword loginwithpassword connect mysqliconnect
  mysqlconnect mysqlpconnect pgconnect pdo ftplogin setcredentials withcredentials setbasicauth basicauth httpbasicauth passwordauthentication pscredential
  minio ftp ftptls networkcredential getconnection usernamepasswordcredentials plainauth sshconnect
`);
/** Words of `KEY_QUALIFIERS` without words that name a service and are ordinary too. */
const ORDINARY = words(`
  api apis secret private access auth authentication authorization encryption encrypt decryption decrypt signing sign signature master admin
  service account subscription client consumer app application bot deploy deployment host function functions shared hmac aes rsa
  ssh gpg pgp pem tls ssl jwt webhook write ingest ingestion instrumentation developer merchant security cipher crypto psk presharedkey
  role rest sdk token system sas bearer agent license licence recovery vault unseal seal server restapi together weather brave segment linear exa
  preshared wifi wallet activation product turnstile anon user fcm storageaccount apiaccess apiauth gateway replicate stability
`);

/** The kind of argument that a call expects, by the call's name: names of services with the endings of client classes. */
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

/** Names that do not say which service the object is for, as in `Groq::new("…")`, `cohere.Client("…")`. */
const GENERAL = words("new client create init");
/** The last two words before a bracket, and the sign that joins them. */
const CALLEE = /(?:([A-Za-z_]\w{0,39})(?:\.|::|->))?([A-Za-z_]\w{0,39})$/;

/** Returns the kind of argument of the call with the bracket at `at`: a key or a password; null when its name does not show it. */
export function givenTo(text: string, at: number): "key" | "password" | null {
  const [, owner = "", last = ""] = CALLEE.exec(text.slice(Math.max(0, at - 84), at)) ?? [];
  const name = simple(last);
  return GIVEN.get(GENERAL.has(name) ? simple(owner) : name) ?? null;
}

const simple = (name: string): string => name.toLowerCase().replaceAll("_", "");
