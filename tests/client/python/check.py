"""What keyhub.py promises, against a provider and the real key service. Prints one line of JSON for each check that was made."""

import io
import json
import os
import sys
import threading
import time
import traceback
import urllib.error
import urllib.request

sys.dont_write_bytecode = True
sys.path.insert(0, os.environ["KEYHUB_PY"])
import keyhub  # noqa: E402

ORIGIN = os.environ["PROVIDER"]
HOSTS = [ORIGIN]
EVENTS = []


def hub(name, **options):
    pool = json.loads(os.environ["POOLS"])[name]
    return keyhub.Keyhub(os.environ["SERVICE"], pool["token"], on_event=EVENTS.append, **options), pool["keys"]


def say(check, **what):
    print(json.dumps({"check": check, **what}), flush=True)


def script(*acts, by_key=None):
    """Tells the provider what to do next, and gives what it has seen since it was told before."""
    body = json.dumps({"acts": acts, "byKey": by_key or {}}).encode()
    with urllib.request.urlopen(urllib.request.Request(ORIGIN + "/control", body)) as response:
        return json.load(response)


def error(status, body="{}", reason=None, **headers):
    return {"act": "error", "status": status, "body": body, "headers": headers, **({"reason": reason} if reason else {})}


LIMIT = error(429, '{"error":{"message":"Rate limit reached","code":"rate_limit_exceeded"}}')
DEAD = error(401, '{"error":{"message":"Incorrect API key provided","code":"invalid_api_key"}}')


def request(path="/v1/chat/completions", data=b"{}", **headers):
    return urllib.request.Request(ORIGIN + path, data, headers or {"Authorization": "Bearer keyhub"})


def raised(call):
    try:
        call()
    except Exception as error:
        return error
    raise AssertionError("nothing was raised")


def urllib_rotates():
    kh, keys = hub("rotates")
    script(LIMIT)
    with kh.urlopen("openai", request(), hosts=HOSTS) as response:
        answer = json.load(response)
    kh.flush(30)
    say("urllib rotates", text=answer["choices"][0]["message"]["content"], keys=[keys.index(s["key"]) for s in script()])


def urllib_gives_the_last_error():
    kh, keys = hub("dead")
    script(by_key={key: DEAD for key in keys})
    found = raised(lambda: kh.urlopen("openai", request(), hosts=HOSTS))
    kh.flush(30)
    say("all keys are dead", status=found.code, url=found.url == ORIGIN + "/v1/chat/completions", calls=len(script()), body=found.read().decode())


def scopes():
    """A limit stops one model; the same refusal of two keys stops none; what several keys share is waited for."""
    kh, keys = hub("models", max_wait=0)
    script(error(429, **{"retry-after": "600"}))
    pro, flash = b'{"model": "Pro"}', b'{"model": "models/flash"}'
    raised(lambda: kh.urlopen("openai", request(data=pro), hosts=HOSTS))
    with kh.urlopen("openai", request(data=flash), hosts=HOSTS) as response:
        status = response.status
    found = raised(lambda: kh.urlopen("openai", request(data=b"{}"), model="pro", hosts=HOSTS))
    kh.flush(30)
    say("a limit of one model", status=status, code=found.code, counts=found.counts, calls=len(script()))
    kh, keys = hub("refusals")
    script(by_key={key: error(403, "") for key in keys})
    found = raised(lambda: kh.urlopen("openai", request(), hosts=HOSTS))
    kh.flush(30)
    say("the same refusal twice", status=found.code, calls=len(script()))
    kh, keys = hub("soonest", max_wait=20)
    script(*[error(429, **{"retry-after": "2"})] * 3)
    with kh.urlopen("openai", request(), hosts=HOSTS) as response:
        say("waits for the soonest", status=response.status, keys=[keys.index(s["key"]) for s in script()])
        response.read()
    kh, keys = hub("server errors", retry_server_errors=1)
    script(error(500), {"act": "ok"}, {"act": "closes"}, {"act": "ok"}, error(500), error(502))
    statuses = []
    for _ in range(2):
        with kh.urlopen("openai", request(), hosts=HOSTS) as response:
            statuses.append(response.status)
            response.read()
    statuses.append(raised(lambda: kh.urlopen("openai", request(), hosts=HOSTS)).code)
    kh.flush(30)
    say("server errors", statuses=statuses, calls=len(script()))


def reads():
    """What headers and requests say."""
    waits = [({"retry-after": "18000"}, 429), ({"retry-after-ms": "250", "retry-after": "9"}, 429), ({"x-ratelimit-reset-requests": "6m0s"}, 429),
             ({"x-ratelimit-reset-requests": "7s", "x-ratelimit-remaining-requests": "3", "ratelimit-reset": "25"}, 429),
             ({"x-ratelimit-reset": "2000000000"}, 429), ({"anthropic-ratelimit-tokens-reset": "2033-05-18T03:33:20Z"}, 429),
             ({"x-ratelimit-reset": "soon"}, 429), ({"ratelimit-reset": "25"}, 401)]
    say("waits", found=[keyhub._retry_after(*one) for one in waits])
    requests = [("/v1/x", b'{"model": "GPT"}'), ("/v1beta/models/gemini-pro:generateContent", b"{}"), ("/openai/deployments/D/chat", None),
                ("/model/a.b%3A0/invoke", None), ("/v1/models/gpt", None), ("/v1/x", b'{"model": "a\\u0000"}'), ("/v1/x", b'{"model": 1}'),
                ("/v1/x", b'{"model": "' + b"x" * 129 + b'"}'), ("/v1/x", b'["model"]'), ("/model/%ff/x", None)]
    say("models", found=[keyhub._model_of("https://p.test" + path, data) for path, data in requests])


def waits():
    kh, _ = hub("waits")
    script(error(429, **{"retry-after": "1"}))
    texts = []
    before = len(EVENTS)  # checks before this one waited, too

    def call():
        with kh.urlopen("openai", request(), hosts=HOSTS) as response:
            texts.append(json.load(response)["object"])

    first = threading.Thread(target=call)
    first.start()
    while not any(event["type"] == "wait" for event in EVENTS[before:]):
        time.sleep(0.005)
    others = [threading.Thread(target=call) for _ in range(5)]
    for thread in others:
        thread.start()
    for thread in [first, *others]:
        thread.join(60)
    kh.flush(30)
    say("waiting callers are served", served=len(texts))
    short, _ = hub("cooling", max_wait=0.5)
    script(error(429, **{"retry-after": "300"}))
    raised(lambda: short.urlopen("openai", request(), hosts=HOSTS))
    found = raised(lambda: short.urlopen("openai", request(), hosts=HOSTS))
    say("no key in time", kind=type(found).__name__, code=found.code, waits=280 < found.retry_after <= 301, id=len(found.request_id))


def key_goes_nowhere_else():
    kh, _ = hub("rotates")
    say("another host", code=raised(lambda: kh.urlopen("openai", "https://evil.example/")).code)
    script({"act": "redirect", "to": os.environ["ELSEWHERE"] + "/v1/x", "status": 302})
    say("another origin", code=raised(lambda: kh.urlopen("anthropic", request(**{"x-api-key": "keyhub"}), hosts=HOSTS)).code)
    script({"act": "redirect", "to": "/v1/there", "status": 307}, {"act": "redirect", "to": "/v1/here", "status": 308})
    with kh.urlopen("openai", request(), hosts=HOSTS) as response:
        status = response.status
    say("the same origin", status=status, seen=[[one["method"], one["path"], one["bytes"]] for one in script()])


def streams():
    kh, _ = hub("streams")
    for act in ({"act": "ok"}, {"act": "cut"}, {"act": "breaks", "text": 'data: {"error":{"code":"rate_limit_exceeded","message":"Rate limit reached"}}\n\n'}):
        script(act)
        response = kh.urlopen("openai", request(data=b'{"stream": true}'), hosts=HOSTS)
        try:
            for _ in response:
                pass
        except Exception:
            pass
        kh.flush(30)


def stream_body():
    kh, _ = hub("body")
    script(LIMIT)
    headers = {"Authorization": "Bearer keyhub", "Content-Length": "2"}
    raised(lambda: kh.urlopen("openai", request(data=io.BytesIO(b"{}"), **headers), hosts=HOSTS))
    kh.flush(30)
    say("a body that is a stream", calls=len(script()), event=[e["code"] for e in EVENTS if e["type"] == "give_up"][-1])


def by_hand():
    kh, keys = hub("by hand")
    used = []

    class Limited(Exception):
        status_code = 429

    def work(key, lease):
        used.append(keys.index(key))
        if len(used) == 1:
            raise Limited("slow down")
        return "done"

    value = kh.with_key("openai", work)
    with kh.key("openai") as lease:
        shown = repr(lease) + str(vars(lease).get("key"))
    raised(lambda: leave(kh))
    kh.flush(30)
    say("by hand", value=value, used=used, shown=any(key in shown for key in keys))
    masks_errors()


def masks_errors():
    """The caller's own exceptions come back as what they are, without the key."""
    kh, keys = hub("errors")

    class Own(Exception):
        def __init__(self, message, url):
            super().__init__(message, {"url": url})
            self.url = url

    def work(key, lease):
        try:
            try:
                raise OSError(5, "no " + key, "/x?key=" + key)
            except OSError as cause:
                raise KeyError(key) from cause
        except KeyError:
            raise Own("bad key " + key, "https://x.test/?key=" + key)

    def block():
        with kh.key("openai") as lease:
            work(lease.key, lease)

    found = [raised(lambda: kh.with_key("openai", work)), raised(block)]
    kh.flush(30)
    text = "".join("".join(traceback.format_exception(type(e), e, e.__traceback__)) + repr(e) + str(e) + e.url for e in found)
    say("errors of the caller", kinds=[type(e).__name__ for e in found], shown=any(key in text for key in keys), masked="bad key ****" in text)


def refused_here():
    kh, keys = hub("refused")
    used = []

    def work(key, lease):
        used.append(key)
        raise keyhub.KeyhubRequestError("refused", "invalid_credential", status=401)

    found = raised(lambda: kh.with_key("openai", work))
    kh.flush(30)
    say("a request that was refused here", code=found.code, calls=len(used))


def leave(kh):
    with kh.key("openai"):
        raise ConnectionResetError("gone")


def missing_settings():
    texts = [str(raised(lambda: keyhub.Keyhub(*args))) for args in [(), ("nowhere", "t"), ("http://x.test",)]]
    say("settings that are missing", texts=texts)


def trouble():
    lost = []
    away = keyhub.Keyhub("http://127.0.0.1:9", "t", fallback=lambda provider, error: "sk-fallback", max_wait=0)
    with away.urlopen("openai", request(), hosts=HOSTS) as response:
        response.read()
    say("fallback", key=script()[0]["key"])
    none = keyhub.Keyhub("http://127.0.0.1:9", "t", max_wait=0)
    say("unavailable", kind=type(raised(lambda: none.urlopen("openai", request(), hosts=HOSTS))).__name__)
    wrong = keyhub.Keyhub(os.environ["SERVICE"], "kh_agent_" + "0" * 64, on_report_lost=lost.append)
    found = raised(lambda: wrong.urlopen("openai", request(), hosts=HOSTS))
    say("a token that is none", kind=type(found).__name__, code=found.code)
    kh, keys = hub("echo")
    script(error(400, json.dumps({"error": {"message": "bad key " + keys[0]}}), "no " + keys[0], **{"x-echo": keys[0]}))
    found = raised(lambda: kh.urlopen("openai", request(), hosts=HOSTS))
    say("echo", shown=keys[0] in found.read().decode() + str(found.headers) + repr(found) + str(found) + found.reason)
    script(error(200, "{}", "fine " + keys[0]))
    with kh.urlopen("openai", request(), hosts=HOSTS) as response:
        response.read()
        say("echo of a success", shown=keys[0] in response.reason, reason=response.reason[:5])
    script()
    with kh.urlopen("gemini", ORIGIN + "/v1beta/m:generateContent?key=keyhub&a=1", hosts=HOSTS) as response:
        response.read()
        shown = response.geturl()
    say("query", path=script()[0]["path"].replace(keys[0], "KEY"), url=shown == ORIGIN + "/v1beta/m:generateContent?key=keyhub&a=1")
    kh.flush(30)


def httpx_transport():
    import httpx

    kh, keys = hub("httpx")
    script(LIMIT)
    client = kh.httpx_client("openai", hosts=HOSTS)
    response = client.post(ORIGIN + "/v1/chat/completions", json={}, headers={"authorization": "Bearer keyhub"})
    seen = script({"act": "cut"})
    try:
        with client.stream("POST", ORIGIN + "/v1/chat/completions", json={"stream": True}) as streamed:
            streamed.read()
        broken = "nothing"
    except httpx.TransportError as cut:
        broken = type(cut).__name__
    kh.flush(30)
    script(error(400, "{}", "no " + keys[1]))
    phrases = [client.post(ORIGIN + "/v1/chat/completions", json={}).reason_phrase]
    script(error(200, "{}", "fine " + keys[1]))
    phrases.append(client.post(ORIGIN + "/v1/chat/completions", json={}).reason_phrase)
    kh.flush(30)
    script(by_key={key: DEAD for key in keys})
    last = client.post(ORIGIN + "/v1/chat/completions", json={}, headers={"authorization": "Bearer keyhub"})
    kh.flush(30)
    say("httpx", status=response.status_code, keys=[keys.index(s["key"]) for s in seen], broken=broken,
        last=last.status_code, retry=last.headers.get("x-should-retry"), phrases=[p.replace("*", "") for p in phrases])
    script()


for check in (urllib_rotates, urllib_gives_the_last_error, scopes, reads, waits, key_goes_nowhere_else, streams, stream_body, by_hand, refused_here,
              missing_settings, trouble):
    check()
try:
    import httpx  # noqa: F401
except ImportError:
    say("httpx is not here")
else:
    httpx_transport()
secrets = [key for pool in json.loads(os.environ["POOLS"]).values() for key in [pool["token"], *pool["keys"]]]
say("events", n=len(EVENTS), shown=any(secret in json.dumps(EVENTS) for secret in secrets))
