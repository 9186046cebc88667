"""Provider API keys that rotate by themselves, for urllib, httpx and anything else. Standard library only; Python 3.9 or newer.

    import keyhub
    kh = keyhub.Keyhub()                                  # KEYHUB_URL or SUPABASE_URL, KEYHUB_AGENT_TOKEN

    response = kh.urlopen("openai", urllib.request.Request(url, data, {"Authorization": "Bearer keyhub"}))
    client = openai.OpenAI(api_key="keyhub", http_client=kh.httpx_client("openai"))
    answer = kh.with_key("gemini", lambda key, lease: call(key))
    with kh.key("openai") as lease: call(lease.key)       # by hand, without another try

    kh.flush()                                            # also done when the process ends

A request goes out with a leased key in the place of the placeholder. Its outcome is reported; when the key or its limit is to blame,
the next key serves the same request. Server errors and lost connections are reported and raised: sending those again is for the
caller. docs/api/client.md of the Keyhub repository has the rest.
"""

import atexit
import collections
import contextlib
import http.client
import io
import json
import os
import random
import re
import threading
import time
import urllib.error
import urllib.parse
import urllib.request

__all__ = ["Keyhub", "Lease", "KeyhubError", "NoKeyError", "KeyhubUnavailableError", "KeyhubRequestError"]

PLACES = ("authorization", "x-api-key", "x-goog-api-key", "api-key", "xi-api-key")
# Provider: where it wants its key, and the hosts that get it. The same table as packages/core/src/rotate/providers.ts.
PROVIDERS = {
    "openai": ("authorization", ("api.openai.com", "*.api.openai.com")),
    "anthropic": ("x-api-key", ("api.anthropic.com",)),
    "gemini": ("x-goog-api-key", ("generativelanguage.googleapis.com",)),
    "azure": ("api-key", ("*.openai.azure.com", "*.cognitiveservices.azure.com", "*.services.ai.azure.com")),
    "elevenlabs": ("xi-api-key", ("api.elevenlabs.io", "*.elevenlabs.io")),
    "cerebras": ("authorization", ("api.cerebras.ai",)),
    "cohere": ("authorization", ("api.cohere.com", "api.cohere.ai")),
    "dashscope": ("authorization", ("dashscope.aliyuncs.com", "dashscope-intl.aliyuncs.com")),
    "deepgram": ("authorization", ("api.deepgram.com",)),
    "deepseek": ("authorization", ("api.deepseek.com",)),
    "fireworks": ("authorization", ("api.fireworks.ai",)),
    "groq": ("authorization", ("api.groq.com",)),
    "huggingface": ("authorization", ("router.huggingface.co",)),
    "minimax": ("authorization", ("api.minimax.io", "api.minimaxi.com")),
    "mistral": ("authorization", ("api.mistral.ai", "codestral.mistral.ai")),
    "moonshot": ("authorization", ("api.moonshot.ai", "api.moonshot.cn")),
    "nvidia": ("authorization", ("integrate.api.nvidia.com",)),
    "openrouter": ("authorization", ("openrouter.ai",)),
    "perplexity": ("authorization", ("api.perplexity.ai",)),
    "siliconflow": ("authorization", ("api.siliconflow.com", "api.siliconflow.cn")),
    "tavily": ("authorization", ("api.tavily.com",)),
    "together": ("authorization", ("api.together.xyz", "api.together.ai")),
    "voyage": ("authorization", ("api.voyageai.com",)),
    "xai": ("authorization", ("api.x.ai",)),
    "zhipu": ("authorization", ("open.bigmodel.cn", "api.z.ai")),
}
PROVIDERS["google"] = PROVIDERS["gemini"]

SUCCESS = {"status": "success"}
CANCELLED = {"status": "fail", "error_code": "cancelled"}
TOLD = 4096
TRIES = 5


class KeyhubError(Exception):
    """Every error of this client's own. It never holds a key or a token."""

    def __init__(self, message, code, *, provider=None, status=None, request_id=None):
        super().__init__(message if request_id is None else "%s (request %s)" % (message, request_id))
        self.code, self.provider, self.status, self.request_id = code, provider, status, request_id


class NoKeyError(KeyhubError):
    """There is no key to be had. retry_after: seconds after which one is ready; None when waiting cannot help."""

    def __init__(self, message, code, *, retry_after=None, counts=None, providers=None, **details):
        super().__init__(message, code, **details)
        self.retry_after, self.counts, self.providers = retry_after, counts, providers


class KeyhubUnavailableError(KeyhubError):
    """The key service gave no answer, or one of a service that is not well."""


class KeyhubRequestError(KeyhubError):
    """Something is wrong with the settings or the request, so that asking again does not help."""


class Lease:
    """A key in somebody's hands. It is not in what is printed of it. The first report counts."""

    def __init__(self, keyhub, provider, data, last=False):
        self.provider, self.last = provider, last
        self.lease_id, self.key_id, self.key_name = data["lease_id"], data["key_id"], data["key_name"]
        self.settings = data.get("settings") or {}
        self._key, self._keyhub, self._reported = data["api_key"], keyhub, threading.Lock()

    @property
    def key(self):
        return self._key

    def report(self, outcome="success"):
        """"success", "cancelled", an exception, or the fields of set-key-state."""
        report = {"success": SUCCESS, "cancelled": CANCELLED}.get(outcome) if isinstance(outcome, str) else outcome
        self._report_once(failure_of(report) if isinstance(report, BaseException) else report)

    def _report_once(self, report, now=False):
        """One report a lease. `now`: the service's reading is waited for, once; None where it gave none."""
        if not self._reported.acquire(blocking=False) or self.last:
            return None
        return self._keyhub._reports.add(self, report, now)

    def __repr__(self):
        return "<Lease of %s, %s>" % (self.provider, self.key_name)

    def __getstate__(self):
        raise TypeError("a lease is not to be stored")


class Keyhub:
    """Leases and reports of one pool. Safe for threads."""

    def __init__(self, url=None, token=None, *, max_attempts=3, max_wait=30.0, keyhub_timeout=15.0, fallback=None,
                 on_event=None, on_report_lost=None):
        self._url = (url or os.environ.get("KEYHUB_URL") or os.environ.get("SUPABASE_URL") or "").rstrip("/")
        self._token = token or os.environ.get("KEYHUB_AGENT_TOKEN")
        if not self._url:
            raise KeyhubRequestError("url is missing: set SUPABASE_URL in the environment, or pass the project's URL as url",
                                     "invalid_option")
        if not re.match(r"https?://", self._url):
            raise KeyhubRequestError("url is not the URL of a Supabase project", "invalid_option")
        if not self._token:
            raise KeyhubRequestError("token is missing: set KEYHUB_AGENT_TOKEN in the environment, or pass an agent token as token",
                                     "invalid_option")
        if max_attempts < 1 or max_wait < 0:
            raise KeyhubRequestError("max_attempts is at least 1, max_wait at least 0", "invalid_option")
        self._max_attempts, self._max_wait, self._timeout = max_attempts, float(max_wait), keyhub_timeout
        self._fallback, self._on_event, self._on_lost = fallback, on_event, on_report_lost
        self._reports = _Reports(self)
        self._gates = collections.defaultdict(_Gate)
        self._opener = urllib.request.build_opener(_NoRedirect)
        atexit.register(self.flush, 15.0)

    # What callers use.

    def urlopen(self, provider, request, timeout=None, *, hosts=None, placeholder="keyhub", authorize=None):
        """As urllib.request.urlopen: raises HTTPError for the provider's last error. request: a Request or an address."""
        if isinstance(request, str):
            request = urllib.request.Request(request)
        original = request.full_url
        _check_host(original, provider, hosts)
        data = request.data
        again = data is None or isinstance(data, (bytes, bytearray))

        def send(lease):
            url, headers = _place(original, dict(request.header_items()), lease.key, provider, placeholder, authorize)
            sent = urllib.request.Request(url, data=data, headers=headers, method=request.get_method())
            opener = urllib.request.build_opener(_SameOrigin)
            try:
                response = opener.open(sent, **({} if timeout is None else {"timeout": timeout}))
            except urllib.error.HTTPError as error:
                return _http_error(error, lease.key, original)
            return None, _Watched(response, lease, original), None

        failure, response, error = self._rotate(provider, send, self._max_attempts if again else 1)[:3]
        if failure is not None:
            raise error
        return response

    def with_key(self, provider, work):
        """Calls work(key, lease), and again with another key when it raises what the key or its limit is to blame for."""
        def send(lease):
            try:
                value = work(lease.key, lease)
            except Exception as error:
                _mask_error(error, lease.key)
                return failure_of(error), None, error
            lease.report("success")
            return None, value, None

        failure, value, error = self._rotate(provider, send, self._max_attempts)[:3]
        if failure is not None:
            raise error
        return value

    @contextlib.contextmanager
    def key(self, provider):
        """One lease. What is raised inside is reported; leaving without an error is a success."""
        lease = self._lease(provider, [], _Budget(self._max_wait))
        try:
            yield lease
        except BaseException as error:
            _mask_error(error, lease.key)
            lease._report_once(failure_of(error))
            raise
        lease._report_once(SUCCESS)

    def httpx_transport(self, provider, *, hosts=None, placeholder="keyhub", authorize=None, transport=None):
        """A transport for httpx.Client(transport=…). Needs httpx."""
        return _httpx_transport(self, provider, hosts, placeholder, authorize, transport)

    def httpx_client(self, provider, *, hosts=None, placeholder="keyhub", authorize=None, **options):
        """An httpx.Client for an SDK's http_client. Needs httpx."""
        import httpx
        transport = self.httpx_transport(provider, hosts=hosts, placeholder=placeholder, authorize=authorize)
        return httpx.Client(transport=transport, timeout=options.pop("timeout", 600.0), **options)

    def flush(self, timeout=None):
        """Returns when every report made so far has been taken or lost. True when that came in time."""
        return self._reports.flush(timeout)

    # The rotation.

    def _rotate(self, provider, send, attempts):
        """send(lease) gives (failure or None, value, error). The last answer, and whether more than the caller's retry is over."""
        budget, tried, refused, last = _Budget(self._max_wait), [], {}, None
        attempt = 0
        while True:
            attempt += 1
            waits = budget.waits
            try:
                lease = self._lease(provider, tried[-16:], budget)
            except KeyhubError:
                if last is None:
                    raise
                return last + (True,)
            if lease.key_id in tried and budget.waits == waits:
                lease._report_once(CANCELLED)
                return last + (True,)
            try:
                failure, value, error = send(lease)
            except BaseException as raised:
                _mask_error(raised, lease.key)
                lease._report_once(failure_of(raised))
                raise
            if failure is None:
                return failure, value, error, False
            status = failure["error_code"] if isinstance(failure["error_code"], int) else 0
            twice = status in (401, 403) and refused.get(status, lease.key_id) != lease.key_id
            refused[status] = lease.key_id
            tried.append(lease.key_id)
            last = (failure, value, error)
            if lease.last or twice or attempt >= attempts or not _may_rotate(status):
                lease._report_once(failure)
                return last + (_may_rotate(status) and (attempt > 1 or status in OF_THE_KEY),)
            if not _rotates(status, lease._report_once(failure, now=True)):
                return last + (attempt > 1,)
            self._emit(type="rotate", provider=provider, key_name=lease.key_name, attempt=attempt)

    def _lease(self, provider, exclude, budget):
        gate = self._gates[provider]
        try:
            if gate.waiting == 0:
                lease, wait = self._ask(provider, exclude, budget)
                if lease is not None:
                    return lease
                gate.cool(*wait)
            return self._lease_in_turn(provider, exclude, budget, gate)
        except KeyhubError as error:
            key = self._fallback(provider, error) if self._fallback else None
            if not key:
                self._emit(type="give_up", provider=provider, code=error.code)
                raise
            self._emit(type="fallback", provider=provider, code=error.code)
            data = {"lease_id": "", "key_id": "fallback", "key_name": "fallback", "api_key": key}
            return Lease(self, provider, data, last=True)

    def _lease_in_turn(self, provider, exclude, budget, gate):
        """All keys are cooling: callers stand in a row, and the first alone asks, when the wait is over."""
        with gate.counted():
            entered = time.monotonic()
            gate.check(budget)
            if not gate.turn.acquire(timeout=max(0.0, budget.left)):
                raise gate.error(max(1, gate.ready - time.monotonic()))
            try:
                budget.left -= time.monotonic() - entered
                while True:
                    gate.check(budget)
                    pause = min(max(0.0, gate.wake - time.monotonic()), max(0.0, budget.left))
                    self._emit(type="wait", provider=provider, seconds=pause)
                    time.sleep(pause)
                    budget.left -= pause
                    budget.waits += 1
                    lease, wait = self._ask(provider, exclude, budget)
                    if lease is not None:
                        return lease
                    gate.cool(*wait)
            finally:
                gate.turn.release()

    def _ask(self, provider, exclude, budget):
        """(lease, None), or (None, (seconds, error)) where waiting helps."""
        body = {"provider": provider}
        if exclude:
            body["exclude"] = exclude
        for attempt in range(1, TRIES + 1):
            started = time.monotonic()
            status, answer, request_id = self._call("get-active-key", body)
            if status == 200 and isinstance(answer.get("api_key"), str):
                lease = Lease(self, provider, answer)
                self._emit(type="lease", provider=provider, key_name=lease.key_name, lease_id=lease.lease_id)
                return lease, None
            code = answer.get("code") or "not_understood"
            details = {"provider": provider, "status": status or None, "request_id": request_id}
            counts = answer.get("counts")
            if code == "keys_cooling_down":
                def cooling(seconds):
                    seconds = int(seconds + 0.999)
                    return NoKeyError("every key for %s is cooling down, for %d s" % (provider, seconds), code,
                                      retry_after=seconds, counts=counts, **details)
                return None, (float(answer["retry_after"]), cooling)
            if code == "no_active_key":
                raise NoKeyError("there is no usable key for %s" % provider, code, counts=counts, **details)
            if code == "unknown_provider":
                providers = answer.get("providers") or []
                raise NoKeyError("the pool has no key for %s; it has keys for %s" % (provider, ", ".join(providers) or "none"),
                                 code, providers=providers, **details)
            if 400 <= status < 500:
                raise KeyhubRequestError("the key service refused the call with %d %s" % (status, code), code, **details)
            what = "answered %d %s" % (status, code) if status else "did not answer: %s" % code
            error = KeyhubUnavailableError("the key service %s" % what, code, **details)
            pause = _backoff(attempt)
            left = budget.left - (time.monotonic() - started) - pause
            if attempt == TRIES or left < 0:
                raise error
            time.sleep(pause)
            budget.left = left

    def _call(self, name, body):
        """(status, body, request id); status 0 where no answer came."""
        token = self._token() if callable(self._token) else self._token
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise KeyhubRequestError("the token is not one", "invalid_token")
        headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
        request = urllib.request.Request("%s/functions/v1/%s" % (self._url, name), json.dumps(body).encode(), headers)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return _answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return _answer(error.code, error.headers, error.read())
        except TimeoutError:
            return 0, {"code": "timeout"}, None
        except (OSError, ValueError, EOFError) as error:
            reason = getattr(error, "reason", error)
            return 0, {"code": "timeout" if isinstance(reason, TimeoutError) else "network"}, None

    def _emit(self, **event):
        _quietly(self._on_event, event)


# One report a lease, in the background.


class _Reports:
    def __init__(self, keyhub):
        self._keyhub, self._open, self._changed = keyhub, 0, threading.Condition()
        self._slots = threading.Semaphore(8)

    def add(self, lease, report, now):
        with self._changed:
            self._open += 1
        sent = self._send(lease, report) if now else None
        if sent is not None and sent[0] != "failed":
            self._end(lease, report, *sent)
            return sent[1] if sent[0] == "taken" else None
        threading.Thread(target=self._deliver, args=(lease, report, 1 if now else 0), daemon=True).start()
        return None

    def flush(self, timeout):
        with self._changed:
            return self._changed.wait_for(lambda: self._open == 0, timeout)

    def _deliver(self, lease, report, tried):
        with self._slots:
            while True:
                if tried:
                    time.sleep(_backoff(tried))
                sent = self._send(lease, report)
                tried += 1
                if sent[0] != "failed" or tried >= TRIES:
                    return self._end(lease, report, *sent)

    def _send(self, lease, report):
        try:
            status, answer, _ = self._keyhub._call("set-key-state", dict(report, lease_id=lease.lease_id))
        except KeyhubRequestError as error:
            return "refused", error.code
        if status == 200:
            return "taken", answer.get("outcome")
        return "refused" if 400 <= status < 500 else "failed", answer.get("code") or str(status)

    def _end(self, lease, report, kind, what):
        event = {"provider": lease.provider, "key_name": lease.key_name, "lease_id": lease.lease_id, "status": report["status"]}
        if kind == "taken":
            self._keyhub._emit(type="report", outcome=what, **event)
        else:
            self._keyhub._emit(type="report_lost", code=what, **event)
            _quietly(self._keyhub._on_lost, dict(event, code=what))
        with self._changed:
            self._open -= 1
            self._changed.notify_all()


class _Budget:
    def __init__(self, seconds):
        self.left, self.waits = seconds, 0


class _Gate:
    """The callers of one provider that wait for cooling keys."""

    def __init__(self):
        self.turn, self.waiting, self.ready, self.wake, self.error = threading.Lock(), 0, 0.0, 0.0, None
        self._count = threading.Lock()

    @contextlib.contextmanager
    def counted(self):
        with self._count:
            self.waiting += 1
        try:
            yield
        finally:
            with self._count:
                self.waiting -= 1

    def cool(self, seconds, error):
        now = time.monotonic()
        self.ready, self.wake, self.error = now + seconds, now + seconds * (1 + 0.1 * random.random()), error

    def check(self, budget):
        seconds = self.ready - time.monotonic()
        if seconds > budget.left:
            raise self.error(max(1, seconds))


# Which failures another key may better.

OF_THE_KEY = (401, 402, 403, 429)


def _may_rotate(status):
    return status in OF_THE_KEY or status in (400, 422)


def _rotates(status, outcome):
    if outcome in ("rate_limited", "quota_exhausted", "invalid_key", "refused"):
        return True
    if outcome in ("caller_fault", "intermediary", "unreachable", "success"):
        return False
    return status in OF_THE_KEY


def _backoff(attempt):
    return random.random() * min(0.25 * 2 ** attempt, 4.0)


# What answers and exceptions say.


def failure_of(error):
    """What an exception says of a call: the provider's status, wait and body where it has them, else its name."""
    if isinstance(error, KeyhubRequestError):
        # A request that this client refused, or the service: nothing is known of the key, whatever status it has.
        return {"status": "fail", "error_code": "unknown"}
    seen, deepest = error, None
    for _ in range(5):
        if seen is None:
            break
        response = getattr(seen, "response", None)
        for status in (getattr(seen, "status_code", None), getattr(seen, "code", None), getattr(seen, "status", None),
                       getattr(response, "status_code", None)):
            if isinstance(status, int) and 400 <= status <= 599:
                headers = getattr(response, "headers", None) or getattr(seen, "headers", None) or {}
                body = getattr(seen, "body", None)
                text = getattr(response, "text", None) if _is_read(response) else None
                return _failure(status, headers, text or (json.dumps(body, default=str) if body else str(seen)))
        deepest, seen = seen, seen.__cause__ or getattr(seen, "reason", None)
        if not isinstance(seen, BaseException):
            break
    if isinstance(error, (KeyboardInterrupt, SystemExit, GeneratorExit)) or type(error).__name__ == "CancelledError":
        return CANCELLED
    return {"status": "fail", "error_code": type(deepest if deepest is not None else error).__name__}


def _is_read(response):
    return response is not None and getattr(response, "is_stream_consumed", True)


def _failure(status, headers, text):
    failure = {"status": "fail", "error_code": status}
    milliseconds, seconds = headers.get("retry-after-ms"), headers.get("retry-after")
    if milliseconds and re.fullmatch(r"\d+(\.\d+)?", milliseconds):
        failure["retry_after"] = "%g" % (float(milliseconds) / 1000)
    elif seconds:
        failure["retry_after"] = seconds[:64]
    if text:
        failure["error_message"] = text[:TOLD]
    return failure


def _masked(text, key):
    """The text or the bytes with stars instead of the key. The length stays."""
    return text.replace(key, "*" * len(key)) if isinstance(text, str) else text.replace(key.encode(), b"*" * len(key))


# What exceptions of Python itself hold outside of their args and __dict__.
SLOTS = ("strerror", "filename", "filename2", "msg", "text", "name", "path", "code", "value", "reason", "object")
LINKED = 100


def _mask_error(error, key):
    """Masks the key in an exception and those linked with it, in place: in its args, its attributes that are text, its notes."""
    todo, seen = [error], set()
    while todo and len(seen) < LINKED:
        one = todo.pop()
        if not isinstance(one, BaseException) or id(one) in seen:
            continue
        seen.add(id(one))
        held = dict(getattr(one, "__dict__", {}))
        for name in SLOTS:
            with contextlib.suppress(Exception):
                held.setdefault(name, getattr(one, name))
        for name, value in held.items():
            if isinstance(value, (str, bytes)) and _masked(value, key) != value:
                # Some are read-only.
                with contextlib.suppress(Exception):
                    setattr(one, name, _masked(value, key))
        with contextlib.suppress(Exception):
            one.args = tuple(_masked_arg(arg, key) for arg in one.args)
        with contextlib.suppress(Exception):
            one.__notes__[:] = [_masked_arg(note, key) for note in one.__notes__]
        todo += [*one.args, *held.values(), one.__cause__, one.__context__, *(getattr(one, "exceptions", None) or ())]


def _masked_arg(arg, key):
    if isinstance(arg, (str, bytes)):
        return _masked(arg, key)
    # An exception is masked by itself. Of anything else that shows the key, what it shows is kept.
    shown = "" if isinstance(arg, BaseException) else repr(arg)
    return _masked(shown, key) if key in shown else arg


def _http_error(error, key, url):
    """An HTTPError of the provider, read and without an echo of the key."""
    with error:
        try:
            body = error.read()
        except (OSError, EOFError, ValueError):
            body = b""
    body = _masked(body, key)
    for name, value in list(error.headers.items()):
        if key in value:
            error.headers.replace_header(name, _masked(value, key))
    shown = urllib.error.HTTPError(url, error.code, _masked(error.msg or "", key), error.headers, io.BytesIO(body))
    return _failure(error.code, error.headers, body[: 2 * TOLD].decode("utf-8", "replace")), None, shown


class _EventErrors:
    """Looks for an error in a stream of server-sent events whose status was 200."""

    def __init__(self, headers):
        self.failure, self._rest, self._event = None, b"", ""
        self._on = str(headers.get("content-type", "")).lower().startswith("text/event-stream")

    def push(self, chunk):
        if not self._on or self.failure is not None:
            return
        lines = (self._rest + chunk).split(b"\n")
        self._rest = lines.pop()[:65536]
        for line in lines:
            text = line.rstrip(b"\r").decode("utf-8", "replace")
            if text == "":
                self._event = ""
            elif text.startswith("event:"):
                self._event = text[6:].strip()
            elif text.startswith("data:") and (self._event == "error" or '"error"' in text):
                self._look(text[5:].strip())

    def _look(self, data):
        named = self._event == "error"
        try:
            body = json.loads(data)
        except ValueError:
            body = {"error": {}} if named else None
        if not isinstance(body, dict):
            return
        failed = (body.get("response") or {}).get("error") if body.get("type") == "response.failed" else None
        found = failed or body.get("error") or (body if named or body.get("type") == "error" else None)
        if found is None and not (named and "error" in body):
            return
        words = [found.get(name) for name in ("code", "status", "type")] if isinstance(found, dict) else []
        good = [w for w in words if (isinstance(w, int) and w) or (isinstance(w, str) and re.fullmatch(r"[\w.-]{1,80}", w))]
        good = [w for w in good if w != "error"]
        self.failure = {"status": "fail", "error_code": good[0] if good else "server_error", "error_message": data[:TOLD]}


class _Watched(io.RawIOBase):
    """A response of urllib whose end is reported: read to its end or given up, a success; broken, the network's fault."""

    def __init__(self, response, lease, url):
        self._response, self._lease, self._events = response, lease, _EventErrors(response.headers)
        self.url, self._ahead = url, bytearray()
        self.status = self.code = response.status
        self.headers = self.msg = response.headers
        self.reason = _masked(response.reason or "", lease.key)

    def read(self, size=-1):
        if self._ahead:
            return self._from_ahead(size) if size is not None and size >= 0 else self._from_ahead(-1) + self.read()
        return self._take(self._response.read, () if size is None or size < 0 else (size,), size)

    def read1(self, size=-1):
        return self._from_ahead(size) if self._ahead else self._take(self._response.read1, (size,), size)

    def readline(self, size=-1):
        # Not http.client's own, which takes a stream that breaks for one that ends.
        limit = size if size is not None and size >= 0 else float("inf")
        while b"\n" not in self._ahead and len(self._ahead) < limit:
            chunk = self._take(self._response.read1, (65536,), 65536)
            if not chunk:
                break
            self._ahead += chunk
        end = self._ahead.find(b"\n") + 1 or len(self._ahead)
        return self._from_ahead(min(end, limit))

    def _from_ahead(self, size):
        size = len(self._ahead) if size is None or size < 0 else size
        data, self._ahead = bytes(self._ahead[:size]), self._ahead[size:]
        return data

    def readinto(self, buffer):
        data = self.read(len(buffer))
        buffer[: len(data)] = data
        return len(data)

    def readable(self):
        return True

    def _take(self, read, args, size):
        try:
            data = read(*args)
        except BaseException as error:
            self._lease._report_once(self._events.failure or failure_of(error))
            raise
        self._events.push(data)
        if self._events.failure is not None:
            self._lease._report_once(self._events.failure)
        # Whole, or nothing where something was asked for.
        if self._response.isclosed() or (size != 0 and not data):
            if (self._response.length or 0) > 0 and not data:
                error = http.client.IncompleteRead(b"", self._response.length)
                self._lease._report_once(failure_of(error))
                raise error
            self._lease._report_once(SUCCESS)
        return data

    def getheader(self, name, default=None):
        return self.headers.get(name, default)

    def geturl(self):
        return self.url

    def info(self):
        return self.headers

    def getcode(self):
        return self.status

    def close(self):
        if not self.closed:
            self._lease._report_once(SUCCESS)
            self._response.close()
        super().close()


# Where the key goes.


def _known(provider):
    name = provider.strip().lower()
    return PROVIDERS.get(name) or PROVIDERS.get(name.split("-")[0])


def _origin(url):
    parts = urllib.parse.urlsplit(url)
    return parts.scheme, (parts.hostname or "").lower(), parts.port or {"https": 443, "http": 80}.get(parts.scheme)


def _check_host(url, provider, hosts):
    known = _known(provider)
    listed = hosts if hosts is not None else (known[1] if known else ())
    scheme, host, port = _origin(url)
    for entry in listed:
        if "://" in entry:
            if _origin(entry) == (scheme, host, port):
                return
        elif scheme == "https" and (host == entry or (entry.startswith("*.") and host.endswith(entry[1:]))):
            return
    origin = "%s://%s" % (scheme, urllib.parse.urlsplit(url).netloc.rpartition("@")[2])
    raise KeyhubRequestError("%s is not listed as a host of %s: give its origin as hosts, if the key may go there"
                             % (origin, provider), "host_not_listed", provider=provider)


def _place(url, headers, key, provider, placeholder, authorize):
    """(url, headers) with the key in the place of the placeholder, or else where the provider wants it."""
    if not re.fullmatch(r"[\x21-\x7e]+", key):
        raise KeyhubRequestError("the key for %s has characters that no header can hold" % provider, "unusable_key", provider=provider)
    if authorize is not None:
        try:
            placed = authorize(url, headers, key)
            url, headers = placed if placed is not None else (url, headers)
        except Exception:
            raise KeyhubRequestError("authorize raised", "authorize_failed", provider=provider) from None
        return url, headers
    found = {name.lower(): name for name in headers if name.lower() in PLACES}
    marked = [p for p in found if re.sub(r"^[A-Za-z]+ +", "", headers[found[p]]) == placeholder]
    query = re.search(r"[?&]key=([^&#]*)", url)
    in_query = re.compile(r"([?&]key=)[^&#]*")
    if query and urllib.parse.unquote(query.group(1)) == placeholder:
        url = in_query.sub(lambda m: m.group(1) + urllib.parse.quote(key, safe=""), url, count=1)
    elif not marked:
        known = _known(provider)
        own = known[0] if known else None
        place = own if own in found else next((p for p in PLACES if p in found), None)
        if place is None and query and own == "x-goog-api-key":
            return in_query.sub(lambda m: m.group(1) + urllib.parse.quote(key, safe=""), url, count=1), headers
        place = place or own
        if place is None:
            raise KeyhubRequestError("the request has no header for a key: set one, or give authorize", "no_key_header", provider=provider)
        found.setdefault(place, place)
        marked = [place]
    headers = dict(headers)
    for place in marked:
        scheme = re.match(r"[A-Za-z]+ ", headers.get(found[place], ""))
        headers[found[place]] = (scheme.group(0) if scheme else "Bearer ") + key if place == "authorization" else key
    return url, headers


class _SameOrigin(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, req, fp, code, msg, headers, newurl):
        if _origin(newurl) != _origin(req.full_url):
            fp.close()
            raise KeyhubRequestError("the provider redirects to another origin: the key does not go there", "redirect_refused")
        if code not in (307, 308) or req.get_method() in ("GET", "HEAD"):
            return super().redirect_request(req, fp, code, msg, headers, newurl)
        # These keep method and body; urllib alone would give the redirect as an error.
        if not isinstance(req.data, (bytes, type(None))):
            fp.close()
            raise KeyhubRequestError("the provider redirects a request whose body can be sent once only", "redirect_refused")
        return urllib.request.Request(newurl, req.data, req.headers, req.origin_req_host, True, req.get_method())

    # Python before 3.11 does not know it.
    http_error_308 = urllib.request.HTTPRedirectHandler.http_error_302


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def _httpx_transport(keyhub, provider, hosts, placeholder, authorize, inner):
    import httpx
    inner = inner or httpx.HTTPTransport()

    class Watched(httpx.SyncByteStream):
        def __init__(self, stream, lease, headers):
            self._stream, self._lease, self._events = stream, lease, _EventErrors(headers)

        def __iter__(self):
            try:
                for chunk in self._stream:
                    self._events.push(chunk)
                    if self._events.failure is not None:
                        self._lease._report_once(self._events.failure)
                    yield chunk
            except GeneratorExit:
                raise
            except BaseException as error:
                self._lease._report_once(failure_of(error))
                raise
            self._lease._report_once(SUCCESS)

        def close(self):
            self._lease._report_once(SUCCESS)
            self._stream.close()

    class Transport(httpx.BaseTransport):
        def handle_request(self, request):
            original = str(request.url)
            _check_host(original, provider, hosts)
            again = isinstance(request.stream, httpx.ByteStream)

            def send(lease):
                url, headers = _place(original, dict(request.headers), lease.key, provider, placeholder, authorize)
                sent = httpx.Request(request.method, url, headers=headers, stream=request.stream, extensions=request.extensions)
                response = inner.handle_request(sent)
                extensions = dict(response.extensions)
                if "reason_phrase" in extensions:
                    extensions["reason_phrase"] = _masked(extensions["reason_phrase"], lease.key)
                if response.status_code < 400:
                    return None, httpx.Response(response.status_code, headers=response.headers, extensions=extensions,
                                                stream=Watched(response.stream, lease, response.headers)), None
                body = b"".join(response.stream)
                response.stream.close()
                body = _masked(body, lease.key)
                shown = [(name, _masked(value, lease.key)) for name, value in response.headers.multi_items()]
                answer = httpx.Response(response.status_code, headers=shown, extensions=extensions,
                                        stream=httpx.ByteStream(body))
                plain = httpx.Response(response.status_code, headers=shown, content=body).text if body else ""
                return _failure(response.status_code, response.headers, plain), answer, None

            failure, answer, _, exhausted = keyhub._rotate(provider, send, keyhub._max_attempts if again else 1)
            if failure is not None and exhausted:
                answer.headers["x-should-retry"] = "false"
            return answer

        def close(self):
            inner.close()

    return Transport()


def _answer(status, headers, raw):
    try:
        body = json.loads(raw)
    except ValueError:
        body = {}
    return status, body if isinstance(body, dict) else {}, headers.get("x-request-id")


def _quietly(hook, event):
    with contextlib.suppress(Exception):
        if hook is not None:
            hook(event)
