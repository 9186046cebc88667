import { words } from "./lexicon.ts";

/** Words for `key` in other languages. Beside one of `SECRET_ADJECTIVES`, such a word means a credential. */
export const FOREIGN_KEYS = words(`
  llave llaves schlussel schluessel cle clef clave chave chiave sleutel klucz klic kluc kulcs nyckel nøgle nogle nøkkel nokkel avain anahtar anahtari anahtarı kljuc
  cheie cheia raktas atslega voti kunci khoa lykill κλειδι
`);
export const SECRET_ADJECTIVES = words(`
  api secreta secrete segreta secreto privada privee privata privat privater privee acceso acesso acces accesso access zugang zugriff geheim geheimer
  tajny tajna tajne prywatny dostepu soukromy hemlig privat hemmelig titkos gizli ozel erisim salainen secret private acceder truy
  bimat bi mat rahasia akses
`);

/** Words of other alphabets: a name that contains one of them means a secret, unless FOREIGN_ABOUT also matches the name. */
export const FOREIGN_SECRETS =
  /密码|密匙|秘匙|密碼|口令|密钥|密鑰|秘钥|秘鑰|金鑰|私钥|私鑰|令牌|访问令牌|凭证|凭据|憑證|授权码|パスワード|ﾊﾟｽﾜｰﾄﾞ|パスフレーズ|トークン|シークレット|apiキー|アクセスキー|秘密鍵|秘密キー|暗証番号|認証キー|暗号化キー|合言葉|認証情報|비밀번호|패스워드|암호|토큰|시크릿|비밀키|비밀 키|인증키|인증 키|서비스 ?키|액세스키|액세스 키|api ?키|접근 ?키|개인 ?키|пароль|пароля|паролі|токен|секрет|ключ ?api|api ?ключ|апи ?ключ|ключ ?апи|ключ ?доступ|секретный ?ключ|приватный ?ключ|закрытый ?ключ|код ?доступа|парол|лозинка|тајна|пин ?код|пин-код|كلمة ?المرور|كلمة ?السر|كلمه ?المرور|رمز ?الوصول|رمز ?الدخول|مفتاح ?api|مفتاح ?الوصول|مفتاح ?سري|الرمز ?السري|گذرواژه|رمز ?عبور|סיסמה|סיסמא|ססמה|ססמא|מפתח ?api|पासवर्ड|टोकन|पासवर्ड|पासकोड|รหัสผ่าน|รหัส ?api|โทเค็น|คีย์ ?api|κωδικ[οό]ς|συνθηματικ[οό]|κλειδ[ιί] ?api|mật ?khẩu|mat ?khau|khóa ?api|khoá ?api|khoa ?api|mã ?thông ?báo|token ?truy ?cập|mã ?truy ?cập|mật ?mã|باسورد|كلمة ?سر|كلمة ?مرور|الرقم ?السري|कूटशब्द|गुप्त ?कुंजी|एपीआई ?कुंजी|api ?कुंजी|पासफ़्रेज़/u;

/** Words of other alphabets for counting or describing secrets: a name that contains one of them does not mean a secret. */
export const FOREIGN_ABOUT =
  /[数數](?![据據])|上限|最大|长度|長さ|限制|计数|消耗|類型|类型|提示|说明|説明|種類|수$|개수|최대|길이|제한|количеств|лимит|макс|длина|число|токенов|токениз|секретар|암호화(?! ?키)|подсказк|описани|тип/u;

/** Names of several words in Latin letters: a name means a secret if its words, joined without separators, end like this. */
export const COMPACT_ENDS =
  /(?:passwords?|passwd|passphrase|passwort|kennwort|motdepasse|contrasena|wachtwoord|apikeys?|apitoken|apisecret|accesstoken|accesskey|authtoken|secretkey|privatekey|clientsecret|refreshtoken|bottoken|signingsecret|webhooksecret|cleapi|clesecrete|cledapi|clefapi|cledacces|clefsecrete|cleprivee|jetondacces|jetonacces|claveapi|clavedeapi|clavesecreta|clavedeacceso|claveprivada|clavedelapi|tokendeacceso|chaveapi|chavedeapi|chavedaapi|chavesecreta|chavedeacesso|chaveprivada|tokendeacesso|chiaveapi|chiavesegreta|chiavediaccesso|chiaveprivata|parolasegreta|paroladordine|tokendiaccesso|apischlussel|apischluessel|geheimerschlussel|geheimerschluessel|privaterschlussel|privaterschluessel|schlusselapi|apisleutel|geheimesleutel|kluczapi|kluczdostepu|apianahtari|gizlianahtari?|apianahtarı|gizlianahtarı|erisimanahtarı|erisimanahtari|erisimbelirteci|apinyckel|apinokkel|apiavain|kuncaapi|kunciapi|katasandi(?:nya|mu|ku|anda)?|tokenakses|frasesegreta|frasesecreta|segredodocliente|secretoclient[e]?|secretodelcliente|seedphrase|recoveryphrase|recoverycode|backupcode|matkhau)$/;
