"""Sends requests with API keys that Keyhub rotates, by urllib, httpx or any other library. Needs only Python 3.9 or newer.

    import keyhub
    kh = keyhub.Keyhub()                                  # KEYHUB_URL or SUPABASE_URL, KEYHUB_AGENT_TOKEN

    response = kh.urlopen("openai", urllib.request.Request(url, data, {"Authorization": "Bearer keyhub"}))
    client = openai.OpenAI(api_key="keyhub", http_client=kh.httpx_client("openai"))
    answer = kh.with_key("gemini", lambda key, lease: call(key))
    with kh.key("openai") as lease: call(lease.key)       # one key, without rotation

    kh.flush()                                            # also called at the end of the process

The client replaces the placeholder in a request by a leased key, and reports the outcome. When the provider refuses or limits the key,
the request is sent again with another key. Server errors and lost connections are reported and raised. The client sends such a request
again only with retry_server_errors. docs/api/client.md of the Keyhub repository describes everything else.
"""

import atexit
import contextlib
import datetime
import email.utils
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
# The header for the key, and the hosts to which a key may be sent, by provider. packages/core/src/rotate/providers.ts has the same table.
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
# The most calls for one request, not counting retries after server errors. The shortest wait for a key at its limit, in seconds.
CALLS = 8
SHORTEST_WAIT = 1.0
# The largest body, in bytes, that is searched for the name of a model. The longest name of a model, in characters.
KEPT_BYTES = 1024 * 1024
MODEL_LENGTH = 128


class KeyhubError(Exception):
    """The base class of this client's errors. Their messages never contain a key or a token."""

    def __init__(self, message, code, *, provider=None, status=None, request_id=None):
        super().__init__(message if request_id is None else "%s (request %s)" % (message, request_id))
        self.code, self.provider, self.status, self.request_id = code, provider, status, request_id


class NoKeyError(KeyhubError):
    """No key can be leased. retry_after: seconds after which a key is ready; None when waiting cannot help."""

    def __init__(self, message, code, *, retry_after=None, counts=None, providers=None, **details):
        super().__init__(message, code, **details)
        self.retry_after, self.counts, self.providers = retry_after, counts, providers


class KeyhubUnavailableError(KeyhubError):
    """The key service did not answer, or its answer was a server error or not understood."""


class KeyhubRequestError(KeyhubError):
    """Something is wrong with the settings or the request, so a retry does not help."""


class Lease:
    """A leased key. Printing the object does not show the key. Only the first report is sent."""

    def __init__(self, keyhub, provider, data, last=False):
        self.provider, self.last = provider, last
        self.lease_id, self.key_id, self.key_name = data["lease_id"], data["key_id"], data["key_name"]
        self.settings = data.get("settings") or {}
        self._key, self._keyhub, self._reported = data["api_key"], keyhub, threading.Lock()

    @property
    def key(self):
        return self._key

    def report(self, outcome="success"):
        """Reports "success", "cancelled", an exception, or the fields of set-key-state."""
        report = {"success": SUCCESS, "cancelled": CANCELLED}.get(outcome) if isinstance(outcome, str) else outcome
        self._report_once(failure_of(report) if isinstance(report, BaseException) else report)

    def _report_once(self, report, now=False):
        """Sends only the first report on a lease. now: waits for the first try to send it, and returns the service's answer or None."""
        if not self._reported.acquire(blocking=False) or self.last:
            return None
        return self._keyhub._reports.add(self, report, now)

    def __repr__(self):
        return "<Lease of %s, %s>" % (self.provider, self.key_name)

    def __getstate__(self):
        raise TypeError("a lease is not to be stored")


class Keyhub:
    """Leases keys of one pool and reports on them. Several threads may use one object."""

    def __init__(self, url=None, token=None, *, max_attempts=3, max_wait=30.0, retry_server_errors=0, keyhub_timeout=15.0,
                 fallback=None, on_event=None, on_report_lost=None):
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
        if max_attempts < 1 or max_wait < 0 or retry_server_errors < 0:
            raise KeyhubRequestError("max_attempts is at least 1, max_wait and retry_server_errors at least 0", "invalid_option")
        self._max_attempts, self._max_wait, self._timeout = max_attempts, float(max_wait), keyhub_timeout
        self._retry_server_errors = retry_server_errors
        self._fallback, self._on_event, self._on_lost = fallback, on_event, on_report_lost
        self._reports = _Reports(self)
        self._gates, self._gates_lock = {}, threading.Lock()
        self._opener = urllib.request.build_opener(_NoRedirect)
        atexit.register(self.flush, 15.0)

    # The methods for callers.

    def urlopen(self, provider, request, timeout=None, *, model=None, hosts=None, placeholder="keyhub", authorize=None):
        """Works like urllib.request.urlopen, with leased keys. Raises HTTPError for the provider's last error. request: a Request or a URL.
        model: the model for which keys are leased, instead of the model that the request names."""
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

        model = _model_of(original, data) if model is None else _model_name(model)
        failure, response, error = self._rotate(provider, model, send, again)[:3]
        if failure is not None:
            raise error
        return response

    def with_key(self, provider, work, *, model=None):
        """Calls work(key, lease), and again with another key when work raises an error that the key or its limit caused."""
        def send(lease):
            try:
                value = work(lease.key, lease)
            except Exception as error:
                _mask_error(error, lease.key)
                return failure_of(error), None, error
            lease.report("success")
            return None, value, None

        failure, value, error = self._rotate(provider, _model_name(model), send)[:3]
        if failure is not None:
            raise error
        return value

    @contextlib.contextmanager
    def key(self, provider, *, model=None):
        """Leases one key for a with statement. An exception in the statement is reported; without an exception, a success is reported."""
        lease = self._lease(provider, _model_name(model), [], _Budget(self._max_wait))
        try:
            yield lease
        except BaseException as error:
            _mask_error(error, lease.key)
            lease._report_once(failure_of(error))
            raise
        lease._report_once(SUCCESS)

    def httpx_transport(self, provider, *, model=None, hosts=None, placeholder="keyhub", authorize=None, transport=None):
        """Returns a transport for httpx.Client(transport=…). Needs httpx."""
        return _httpx_transport(self, provider, model, hosts, placeholder, authorize, transport)

    def httpx_client(self, provider, *, model=None, hosts=None, placeholder="keyhub", authorize=None, **options):
        """Returns an httpx.Client for the option http_client of an SDK. Needs httpx."""
        import httpx
        transport = self.httpx_transport(provider, model=model, hosts=hosts, placeholder=placeholder, authorize=authorize)
        return httpx.Client(transport=transport, timeout=options.pop("timeout", 600.0), **options)

    def flush(self, timeout=None):
        """Waits until every report made so far is accepted or lost. Returns False if `timeout` seconds pass first."""
        return self._reports.flush(timeout)

    # The rotation of keys.

    def _rotate(self, provider, model, send, again=True):
        """Sends a request with one key after another. send(lease) returns (failure or None, value, error). Returns these values of the
        last send, and whether the caller should not retry. again: whether the request can be sent more than once."""
        budget, policy, failed_at, last = _Budget(self._max_wait), _RetryPolicy(self, again), {}, None
        attempt = 0
        while True:
            attempt += 1
            try:
                lease = self._lease(provider, model, list(failed_at)[-16:], budget)
            except KeyhubError:
                if last is None:
                    raise
                return _ended(last, True)
            if failed_at.get(lease.key_id) == budget.waits:
                lease._report_once(CANCELLED)
                return _ended(last, True)
            if last is not None:
                self._emit(type="rotate", provider=provider, key_name=last[0].key_name, attempt=attempt - 1)
            raised = None
            try:
                failure, value, error = send(lease)
            except BaseException as thrown:
                _mask_error(thrown, lease.key)
                failure, value, error, raised = failure_of(thrown), None, None, thrown
            if failure is None:
                return failure, value, error, False
            last = (lease, failure, value, error, raised)
            status = _status(failure)
            report = policy.report_on(lease, failure)
            may_retry = policy.may_retry(lease, failure, raised)
            answer = lease._report_once(report, now=may_retry)
            pause = policy.next(lease, failure, answer, budget.left) if may_retry else None
            if pause is None:
                if not again and _rotates(status, None):
                    self._emit(type="give_up", provider=provider, code="body_sent_once")
                over = _may_rotate(status) and (attempt > 1 or _rotates(status, answer and answer["outcome"]))
                return _ended(last, over and again)
            if _may_rotate(status):
                failed_at[lease.key_id] = budget.waits
            if pause > 0:
                self._emit(type="wait", provider=provider, seconds=pause)
                time.sleep(pause)
                budget.left = max(0.0, budget.left - pause)
                budget.waits += 1

    def _lease(self, provider, model, exclude, budget):
        try:
            with self._gate(provider, model) as gate:
                if gate.waiting == 0:
                    lease, wait = self._ask(provider, model, exclude, budget)
                    if lease is not None:
                        return lease
                    gate.cool(*wait)
                return self._lease_in_turn(provider, model, exclude, budget, gate)
        except KeyhubError as error:
            key = self._fallback(provider, error) if self._fallback else None
            if not key:
                self._emit(type="give_up", provider=provider, code=error.code)
                raise
            self._emit(type="fallback", provider=provider, code=error.code)
            data = {"lease_id": "", "key_id": "fallback", "key_name": "fallback", "api_key": key}
            return Lease(self, provider, data, last=True)

    @contextlib.contextmanager
    def _gate(self, provider, model):
        """Yields the gate, a queue of waiting callers, for one model of a provider. The gate is deleted when its last caller leaves."""
        with self._gates_lock:
            gate = self._gates.setdefault((provider, model), _Gate())
            gate.callers += 1
        try:
            yield gate
        finally:
            with self._gates_lock:
                gate.callers -= 1
                if gate.callers == 0:
                    del self._gates[provider, model]

    def _lease_in_turn(self, provider, model, exclude, budget, gate):
        """Leases a key when all keys are cooling. The callers queue, and only the first one asks the service again, after the wait."""
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
                    lease, wait = self._ask(provider, model, exclude, budget)
                    if lease is not None:
                        return lease
                    gate.cool(*wait)
            finally:
                gate.turn.release()

    def _ask(self, provider, model, exclude, budget):
        """Asks the service for a key. Returns (lease, None), or (None, (seconds, error)) if a key is ready after some seconds."""
        # Waits for the first attempt of earlier failure reports, so that a key that they block is not leased again.
        self._reports.failures_reported(provider)
        body = {"provider": provider}
        if model is not None:
            body["model"] = model
        if exclude:
            body["exclude"] = exclude
        for attempt in range(1, TRIES + 1):
            started = time.monotonic()
            status, answer, request_id, _ = self._call("get-active-key", body)
            if status == 200 and isinstance(answer.get("api_key"), str):
                lease = Lease(self, provider, answer)
                self._emit(type="lease", provider=provider, model=model, key_name=lease.key_name, lease_id=lease.lease_id)
                return lease, None
            code = answer.get("code") or "not_understood"
            details = {"provider": provider, "status": status or None, "request_id": request_id}
            counts = answer.get("counts")
            if code == "keys_cooling_down":
                def cooling(seconds):
                    seconds = int(seconds + 0.999)
                    return NoKeyError("every key for %s is cooling down, for %d s" % (model or provider, seconds), code,
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
        """Calls the key service. Returns (status, body, request id, the service's time). Without an answer, the status is 0."""
        token = self._token() if callable(self._token) else self._token
        if not re.fullmatch(r"[\x21-\x7e]+", token):
            raise KeyhubRequestError("the token is not valid", "invalid_token")
        headers = {"Authorization": "Bearer " + token, "Content-Type": "application/json"}
        request = urllib.request.Request("%s/functions/v1/%s" % (self._url, name), json.dumps(body).encode(), headers)
        try:
            with self._opener.open(request, timeout=self._timeout) as response:
                return _answer(response.status, response.headers, response.read())
        except urllib.error.HTTPError as error:
            with error:
                return _answer(error.code, error.headers, error.read())
        except TimeoutError:
            return 0, {"code": "timeout"}, None, 0.0
        except (OSError, ValueError, EOFError) as error:
            reason = getattr(error, "reason", error)
            return 0, {"code": "timeout" if isinstance(reason, TimeoutError) else "network"}, None, 0.0

    def _emit(self, **event):
        _quietly(self._on_event, event)


# Sends one report for each lease, in the background.


class _Reports:
    def __init__(self, keyhub):
        self._keyhub, self._open, self._changed = keyhub, 0, threading.Condition()
        self._slots = threading.Semaphore(8)
        # The leases whose failure report is waiting for its first try, or in it.
        self._failures = set()

    def add(self, lease, report, now):
        with self._changed:
            self._open += 1
            if report["status"] == "fail":
                self._failures.add(lease)
        sent = self._send(lease, report) if now else None
        if sent is not None and sent[0] != "failed":
            self._end(lease, report, *sent)
            return sent[1] if sent[0] == "taken" else None
        threading.Thread(target=self._deliver, args=(lease, report, 1 if now else 0), daemon=True).start()
        return None

    def failures_reported(self, provider):
        """Waits until each failure report made so far for a provider has been sent once, even without success."""
        with self._changed:
            on_their_way = [lease for lease in self._failures if lease.provider == provider]
            self._changed.wait_for(lambda: not self._failures.intersection(on_their_way))

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
            status, answer, _, at = self._keyhub._call("set-key-state", dict(report, lease_id=lease.lease_id))
        except KeyhubRequestError as error:
            return "refused", error.code
        finally:
            with self._changed:
                self._failures.discard(lease)
                self._changed.notify_all()
        if status == 200:
            ready = _read_moment(answer.get("blocked_until") or "")
            return "taken", {"outcome": answer.get("outcome"), "blocked": max(0.0, (ready or 0.0) - at)}
        return "refused" if 400 <= status < 500 else "failed", answer.get("code") or str(status)

    def _end(self, lease, report, kind, what):
        event = {"provider": lease.provider, "key_name": lease.key_name, "lease_id": lease.lease_id, "status": report["status"]}
        if kind == "taken":
            outcome = "cancelled" if report.get("error_code") == "cancelled" else what["outcome"]
            self._keyhub._emit(type="report", outcome=outcome, **event)
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
    """The queue of callers that wait for a cooling key for one model of a provider."""

    def __init__(self):
        self.callers = 0
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


class _RetryPolicy:
    """Decides after each failure of one request whether and when the request is sent again."""

    def __init__(self, keyhub, again):
        self._attempts_most = keyhub._max_attempts if again else 1
        self._server_errors_most = keyhub._retry_server_errors if again else 0
        self._failed = self._attempts = self._limited = self._server_errors = 0
        # For each key at its limit, the time when the limit ends. For each status, the last lease that was refused with that status.
        self._ready_at, self._refused = {}, {}

    def report_on(self, lease, failure):
        """Returns the report on a failure. It names the other lease when two keys got the same refusal: the request may be the cause."""
        other = self._refused.get(_status(failure))
        return failure if other is None or other.key_id == lease.key_id else dict(failure, same_answer_as=other.lease_id)

    def may_retry(self, lease, failure, raised):
        """Returns whether the service's answer to the report can lead to another call. Only then does the caller wait for the answer."""
        if lease.last or failure["error_code"] == "cancelled" or not isinstance(raised, (Exception, type(None))):
            return False
        if _may_rotate(_status(failure)):
            return self._attempts_most > 1 and self._failed + 1 < max(CALLS, self._attempts_most)
        return self._server_errors < self._server_errors_most

    def next(self, lease, failure, answer, left):
        """Returns the seconds until the next lease; None when the failure ends the rotation."""
        status, outcome = _status(failure), answer and answer["outcome"]
        if not _may_rotate(status):
            if status < 500 and outcome not in ("server_error", "unreachable"):
                return None
            self._server_errors += 1
            pause = _backoff(self._server_errors)
            return pause if pause <= left else None
        if not _rotates(status, outcome):
            return None
        if status in (401, 403) and outcome in ("invalid_key", "refused"):
            self._refused[status] = lease
        self._failed += 1
        # A refusal as an invalid key is not counted as an attempt. If the request is the cause, the same refusal of a second key ends
        # the rotation.
        self._attempts += outcome != "invalid_key"
        if outcome == "rate_limited":
            self._limited += 1
            self._ready_at[lease.key_id] = time.monotonic() + answer["blocked"]
        if self._attempts < self._attempts_most:
            return 0.0
        if self._limited < self._attempts:
            return None
        # Every key that was tried is at its limit, so wait for the first one that is ready again.
        pause = max(SHORTEST_WAIT, min(self._ready_at.values()) - time.monotonic()) * (1 + 0.1 * random.random())
        return pause if pause <= left else None


def _ended(last, over):
    """Returns the result of _rotate for the last failed call, or raises the exception of that call."""
    _, failure, value, error, raised = last
    if raised is not None:
        raise raised
    return failure, value, error, over


# The statuses after which another key may help.

OF_THE_KEY = (401, 402, 403, 429)


def _status(failure):
    code = failure["error_code"]
    return code if isinstance(code, int) else 0


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


# Reading the provider's answers and exceptions.


def failure_of(error):
    """Returns the report on an exception. It has the provider's status, wait and body if the exception or one of its causes has them. Else
    it has the class name of the innermost cause."""
    if isinstance(error, KeyhubRequestError):
        # This client or the service refused the request, so the failure says nothing about the key, whatever status it has.
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
    wait = _retry_after({str(name).lower(): str(value).strip()[:64] for name, value in headers.items()}, status)
    if wait is not None:
        failure["retry_after"] = wait
    if text:
        failure["error_message"] = text[:TOLD]
    return failure


# Headers that say when a limit is reset: those of OpenAI, Groq and most others, of Anthropic, and of the IETF drafts.
RESET = re.compile(r"x-ratelimit-reset(-[a-z-]{1,40})?|anthropic-ratelimit-[a-z0-9-]{1,40}-reset|ratelimit-reset")
NUMBER = re.compile(r"[0-9]+(\.[0-9]+)?")
DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m)?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?", re.ASCII)
UNIX_SECONDS, UNIX_MILLISECONDS = 1e9, 1e12


def _retry_after(headers, status):
    """Returns the wait that headers state, with its unit. A 429 without Retry-After may have a header for each of its limits. Then the
    wait is the time until the soonest reset of a limit that has nothing left."""
    milliseconds, seconds = headers.get("retry-after-ms", ""), headers.get("retry-after", "")
    if NUMBER.fullmatch(milliseconds):
        return "%ss" % _plain(float(milliseconds) / 1000)
    if seconds:
        return seconds + "s" if NUMBER.fullmatch(seconds) else seconds
    resets = []
    for name, value in headers.items():
        left = headers.get(name.replace("reset", "remaining"), "0")
        if status == 429 and RESET.fullmatch(name) and not (NUMBER.fullmatch(left) and float(left) > 0):
            resets.append(_read_reset(value))
    soonest = min((reset for reset in resets if reset), default=None)
    if soonest is None or soonest < UNIX_SECONDS:
        return soonest and "%ss" % _plain(soonest)
    return datetime.datetime.fromtimestamp(soonest, datetime.timezone.utc).isoformat()


def _plain(number):
    """Formats a number without an exponent and without zeros at the end."""
    return ("%.3f" % number).rstrip("0").rstrip(".")


def _read_reset(value):
    """Returns a number of seconds from now, or a Unix time in seconds; 0 or None for a text that is neither."""
    if NUMBER.fullmatch(value):
        return float(value) if float(value) < UNIX_MILLISECONDS else float(value) / 1000
    found = DURATION.fullmatch(value)
    if found:
        return sum(float(part or 0) * unit for part, unit in zip(found.groups(), (86400, 3600, 60, 1, 0.001)))
    return _read_moment(value)


def _read_moment(text):
    """Returns the Unix time of an RFC 3339 text; None for any other text."""
    found = re.fullmatch(r"(\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(\.\d+)?(Z|[+-]\d\d:?\d\d)", text, re.ASCII)
    if not found:
        return None
    whole, part, zone = found.groups()
    try:
        zone = "+0000" if zone == "Z" else zone.replace(":", "")
        return datetime.datetime.strptime(whole + zone, "%Y-%m-%dT%H:%M:%S%z").timestamp() + float(part or 0)
    except (ValueError, OverflowError):
        return None


# Finding the model that a request is for.

# The places of the model in the paths of Google, Azure and Bedrock.
MODEL_IN_PATH = re.compile(r"/models/([^/:]+):|/deployments/([^/]+)/|/model/([^/]+)/")


def _model_of(url, data):
    """Returns the model that a request is for, from its path or the member `model` of its JSON; None if neither names a model."""
    found = MODEL_IN_PATH.search(urllib.parse.urlsplit(url).path)
    if found:
        return _model_name(urllib.parse.unquote(found.group(found.lastindex), errors="surrogateescape"))
    if not isinstance(data, (bytes, bytearray)) or len(data) > KEPT_BYTES or b'"model"' not in data:
        return None
    try:
        body = json.loads(data)
    except (ValueError, RecursionError):
        return None
    return _model_name(body.get("model")) if isinstance(body, dict) else None


def _model_name(name):
    """Returns a model's name in the form that the service stores; None for a name that the service would refuse."""
    if not isinstance(name, str):
        return None
    plain = re.sub(r"^models/\s*", "", name.strip().lower())
    odd = any(c < " " or "\x7f" <= c <= "\x9f" or "\ud800" <= c <= "\udfff" for c in plain)
    return None if odd or not 1 <= sum(1 + (c > "\uffff") for c in plain) <= MODEL_LENGTH else plain


def _masked(text, key):
    """Returns the text or bytes with one star for each character of the key."""
    return text.replace(key, "*" * len(key)) if isinstance(text, str) else text.replace(key.encode(), b"*" * len(key))


# Attributes of Python's own exceptions that are in neither args nor __dict__. So the code must list their names to mask them.
SLOTS = ("strerror", "filename", "filename2", "msg", "text", "name", "path", "code", "value", "reason", "object")
LINKED = 100


def _mask_error(error, key):
    """Masks the key in an exception and all exceptions linked with it: in args, attributes that are text, and notes, all in place."""
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
                # Some attributes are read-only, and stay unchanged.
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
    # An exception among the args is masked separately. Any other object whose repr shows the key is replaced by its masked repr.
    shown = "" if isinstance(arg, BaseException) else repr(arg)
    return _masked(shown, key) if key in shown else arg


def _http_error(error, key, url):
    """Reads an HTTPError of the provider. Returns the failure, None and the error with the key masked."""
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
    """Looks for an error event in server-sent events, because a provider may fail after it has answered with status 200."""

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
    """A response of urllib that reports its outcome: a success if it is read to its end or closed, a failure if it breaks."""

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
        # http.client's own readline is not used, because it treats a broken stream like one that has ended.
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
        # The body was read to its end, or the read returned nothing although bytes were requested.
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


# Putting the key into a request.


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
    """Returns (url, headers) with the key in place of the placeholder. Without one, the key goes where the provider expects it."""
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
            raise KeyhubRequestError("the provider redirects to another origin: the key is not sent there", "redirect_refused")
        if code not in (307, 308) or req.get_method() in ("GET", "HEAD"):
            return super().redirect_request(req, fp, code, msg, headers, newurl)
        # A redirect with 307 or 308 keeps method and body; urllib alone would return such a redirect as an error.
        if not isinstance(req.data, (bytes, type(None))):
            fp.close()
            raise KeyhubRequestError("the provider redirects a request whose body can be sent once only", "redirect_refused")
        return urllib.request.Request(newurl, req.data, req.headers, req.origin_req_host, True, req.get_method())

    # Python before 3.11 has no handler for 308.
    http_error_308 = urllib.request.HTTPRedirectHandler.http_error_302


class _NoRedirect(urllib.request.HTTPRedirectHandler):
    def redirect_request(self, *_):
        return None


def _httpx_transport(keyhub, provider, model, hosts, placeholder, authorize, inner):
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

            named = _model_name(model) if model is not None else _model_of(original, request.read() if again else None)
            failure, answer, _, exhausted = keyhub._rotate(provider, named, send, again)
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
    # The service's time, rounded down to the second.
    date = email.utils.parsedate_tz(headers.get("date") or "")
    now = email.utils.mktime_tz(date) if date else time.time()
    return status, body if isinstance(body, dict) else {}, headers.get("x-request-id"), now


def _quietly(hook, event):
    with contextlib.suppress(Exception):
        if hook is not None:
            hook(event)
