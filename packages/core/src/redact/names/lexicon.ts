/** Splits a list of words. Words that are compared with parts of names are in lower case, without accents on Latin letters. */
export const words = (text: string): Set<string> =>
  new Set(text.split(/\s+/).filter((entry) => entry !== ""));

/** A name whose last word is one of these means a secret, unless a word such as `public` or `show` comes before. */
export const SECRET_WORDS = words(`
  password passwd passwrd passwords pwd pword psw passphrase passphrases passcode secret secrets apikey apikeys apitoken
  apisecret accesstoken accesskey authtoken authkey secretkey privatekey privkey clientsecret refreshtoken bearertoken bearer sessiontoken
  bottoken usertoken masterkey signingkey signingsecret encryptionkey appsecret appkey authorization proxyauthorization credential credentials
  creds cred mnemonic seedphrase passkey sharedsecret webhooksecret authsecret dbpassword userpassword mypassword adminpassword
  userpass dbpass userpwd dbpwd sshkey pgpassword mysqlpwd jwtsecret idtoken xapikey authpassword accesssecret consumersecret
  subscriptionkey accountkey sharedaccesskey storagekey servicekey deploykey servicerolekey connectionstring connectionstrings connstr connstring
  passwort passwoerter passworter passwoert kennwort kennworter losungswort geheimnis geheimnisse geheimschlussel geheimschluessel zugangsdaten zugangstoken
  zugriffstoken zugriffsschlussel zugriffsschluessel zugangsschlussel zugangsschluessel zugangscode apischlussel apischluessel sitzungstoken authentifizierungstoken
  motdepasse mdp jeton jetons cleapi clesecrete cleprivee
  contrasena contrasenas contrasenya contrasenyes clavesecreta claveapi claveprivada claveacceso secreto secretos credenciales
  senha senhas chaveapi chavesecreta chaveprivada segredo segredos credenciais
  chiaveapi chiavesegreta chiaveprivata segreto segreti credenziali parolachiave
  wachtwoord wachtwoorden apisleutel geheim geheimen toegangstoken toegangssleutel
  haslo hasło sekret sekretny kluczapi heslo tajemstvi losenord losen adgangskode kodeord passord salasana jelszo parola sifre şifre lozinka geslo slaptazodis parole
  sifresi sifrem sifreniz sifremiz sifreleri parolasi parolası parolam parolaniz parolanız sandinya hasla hasła haslem hasłem wachtwoordzin toegangscode inlogcode losenordet adgangskoden passordet
  requirepass masterauth mnemonics otpsecret totpsecret salasanat hemlighet apinyckel anahtari sandi
`);

/** Words that mean a password or an API key anywhere in a name: `Passwort des Kunden`, `senha_smtp`. */
export const PASSWORD_WORDS = words(`
  password passwords passwd pwd passphrase passwort kennwort motdepasse contrasena senha wachtwoord haslo hasło heslo losenord adgangskode passord
  salasana jelszo parola sifre şifre lozinka geslo apikey apitoken accesstoken clientsecret privatekey secretkey пароль
`);

/** `x key` means a secret if x is one of these. */
export const KEY_QUALIFIERS = words(`
  api apis secret private access auth authentication authorization encryption encrypt decryption decrypt signing sign signature master admin
  service account subscription client consumer app application bot deploy deployment host function functions shared hmac aes rsa
  ssh gpg pgp pem tls ssl jwt webhook write ingest ingestion instrumentation developer merchant security cipher crypto psk presharedkey
  role rest sdk token system rapidapi sas bearer agent license licence recovery vault unseal seal server restapi openapi
  openai anthropic claude gemini google gcp aws azure mistral cohere groq openrouter deepseek perplexity replicate huggingface together
  fireworks elevenlabs stability pinecone weaviate qdrant langsmith langfuse wandb tavily serper serpapi firecrawl jina voyage xai grok
  github gitlab slack discord telegram stripe sendgrid mailgun twilio notion airtable supabase cloudflare datadog algolia mapbox
  litellm nvidia cerebras runpod zilliz milvus upstash exa brave bing deepgram assemblyai openweather openweathermap weather newsapi
  preshared wifi wallet activation product turnstile firebase anon user vapid fcm server hubspot account storageaccount openweather cohereai dashscope zhipu moonshot siliconflow volcengine minimax qwen doubao hunyuan kimi tencent alibaba aliyun baidu shopify linear figma asana trello zapier heroku vercel netlify resend postmark brevo mailchimp klaviyo segment posthog
`);

/** `x token` is the name of a setting, or a term of language models or of code, not a secret, if x is one of these. */
export const PLAIN_TOKEN_QUALIFIERS = words(`
  max min maximum minimum num number total per eos bos pad unk mask sep cls stop start end special trigger first last next prev
  previous page continuation continue sync prompt completion input output reasoning thinking cached image audio text context
  used remaining budget limit count cost price prediction accepted rejected estimated additional added vocab placeholder instance new_line
  cancel cancellation change design css syntax lex lexer parser keyword decimals symbol erc20 nft native base quote reserve lp
  begin beginning sentence line break newline separator bad banned suppress forced decoder logit top avg average generated speech tool
  lora concept style subject identifier rare embedding ti contract payment_coin pagination cursor resume delta skip watermark class
`);

/** A name whose last word is one of these describes a secret: its value is not the secret. */
export const ABOUT_WORDS = words(`
  count counts limit limits length len size type types kind name names url urls uri endpoint endpoints path paths file filename filepath dir folder
  label labels title description desc placeholder hint hints help helptext tooltip required enabled disabled optional policy policies strength min max expiry expires expired
  expiration ttl lifetime at in on date time timestamp age version versions format formats column param params parameter parameters prompt
  regex pattern patterns rule rules usage budget price cost rate index position algorithm alg mode modes method methods status state valid changed reset error
  errors message messages selector inputs schema class classes style styles icon color colour location provider providers scope scopes link page
  button form view component screen dialog modal check manager service services cache factory helper helpers util utils handler validator
  generator rotation exists visible visibility toggle show validation verification requirements rotate created updated revoked
  supported support choice choices options option default_type settings config configuration configs issuer audience audiences claims flow
  template templates source sources ref refs reference references environment env var variable variables count_tokens details
  scheme schemes strategy bytes bits size_bytes interval duration attempts retries retry docs documentation example examples
  last used usages owner owners store provider_type response request handling check_enabled strategy_type words word
`);

/** Last words that do not change the meaning of a name: `password_prod`, `token2`, `api_key_value`. */
export const NOISE_WORDS = words(`
  value val values str string raw plain plaintext cleartext prod production dev staging live sandbox old new current backup
  primary secondary main b64 base64 encoded hash hashed encrypted enc confirm confirmation repeat again test default 
  local global org comfy user admin hex pem json env0
`);

/** A name whose first word is one of these asks for a secret or describes one, so its value is a secret only if it looks like one. */
export const ABOUT_STARTS = words(`
  has is use uses using show hide enable disable require requires allow needs need max min num total missing invalid forgot remember toggle unexpected expected unsafe recv
  validate generate create delete get set with no without verify check reset change update confirm enter missing bad wrong
`);

/** Names of an organisation's code, in any spelling, with their words joined without separators. */
export const ORGANIZATION_CODE =
  /^(?:my|the|user|openai|default|account)?(?:(?:organi[sz]ations?|organi[sz]acion|organizacao|organizzazione|orgs?|organisations?)codes?|codes?(?:de|der|da|della|dela|of|the|l|del)*(?:organi[sz]ation|organi[sz]acion|organizacao|organizzazione|org)|codigo(?:de|da|dela)*(?:organizacion|organizacao|la?organizacion)|codice(?:dell|di)?organizzazione|organisationscode|organisationskode|organisatiecode|kodorganizacji|组织代码|组织编码|组织机构代码|組織代碼|組織コード|조직코드|кодорганизации)(?:value|id|prod|\d)?$/;

/** Names of ids that point to a private credential or connection elsewhere. */
export const REFERENCE_ENDS =
  /(?:credentials?|creds?|connections?|secrets?|vault|keychain|authentication|oauthaccount|connectedaccount|apikeys?|accesstoken|privatekey|subscription)(?:id|ids|uuid|guid|refid|reference|identifier)$|^(?:__)?imt(?:conn|hook|key|keychain|aconn)(?:__)?$|^authid$|^flowisecredentialid$/;

/** Providers whose name is also used for their key: `{openai: "…"}`, `{stripe: {key: "…"}}`. */
export const PROVIDERS = words(`
  openai anthropic claude gemini mistral cohere groq openrouter deepseek perplexity replicate huggingface together fireworks elevenlabs stability
  pinecone weaviate qdrant langsmith langfuse tavily serper serpapi firecrawl jina voyage xai grok deepgram assemblyai runpod nvidia cerebras
  dashscope zhipu moonshot siliconflow volcengine minimax qwen stripe sendgrid mailgun twilio resend postmark brevo algolia mapbox openweather
  openweathermap newsapi exa brave bing apiaccess apiauth
`);

/** Providers whose `storage key` or `search key` is a credential. */
export const CLOUD_WORDS = words(
  "azure aws gcp gcs s3 r2 minio backblaze b2 wasabi spaces cosmos cosmosdb algolia bing cognitive aliyun oss cos typesense meili elastic",
);

export const COUNTING = words(
  "max maximum min minimum num number total count per avg average used remaining",
);

export const ABOUT_WITHIN = words("show hide no without redact mask expected unexpected");

export const PASS_QUALIFIERS = words(
  "default db database smtp user mysql pg postgres ftp sftp imap pop3 mail email redis admin root auth http basic proxy mongo mongodb login wifi ssh vpn app my bot web rabbitmq ldap sudo router sql keystore",
);

/** `x key` is an ordinary name if x is one of these. */
export const ORDINARY_KEYS = words(`
  primary foreign sort partition hash range cache public pub publishable row object map dict lookup group unique idempotency translation i18n
  locale message query field column data item node edge form state parent child index search arrow enter shortcut hot short modifier meta ctrl
  control alt tab shift space escape esc delete backspace home end up down left right file issue entity animation input output memory environment
  config configuration template tool event tag value label text image video default name property prop json prompt model context question answer
  s3 bucket order routing topic display dedupe dedup deduplication category section menu route option setting settings feature flag metric
  dimension header param parameter response request result results tab tree list table sub composite natural surrogate candidate alternate
  nested last first next previous current new old cursor page tree keyboard any function_name session storage local_storage chat history
  system_prompt document doc content body title type kind id ref variable var chain series y z data_key chart legend filter facet aggregation
  join merge match source target src dest destination from to view theme color style icon i18 locale lang language fallback press pressed
  site recaptcha hcaptcha captcha cookie step stage node_type slot component widget attribute attr metadata date time sheet record workflow component_key
`);
