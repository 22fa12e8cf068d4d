# fail2ban action that blocks in proxy-manager. It runs inside fail2ban, over one kept connection.
#
#   action = proxy-manager.py
#   action = proxy-manager.py[url="unix:/run/proxy-manager/api.sock", ipv6_prefix=64]
#
# Options, each with its default:
#   url          http://127.0.0.1:7080: address of the service; also https://, and unix:/path
#   key          /etc/fail2ban/proxy-manager.key: file with a key that is bound to the source, readable by root only:
#                proxy-manager key create fail2ban --scope block --source fail2ban
#   source       fail2ban:JAIL: whose claims the bans are
#   ipv6_prefix  128: blocks the network of this length around a banned IPv6 address
#   release      600: after so many seconds without fail2ban its bans are lifted
#   retry        5: what could not be sent is sent again after so many seconds
#   restoring    60: fail2ban does not say when it has restored its last ban: so many seconds after the previous one
#
# Bans are queued and sent by a thread of this action, many at once if many are waiting. A file
# beside the key (KEY.JAIL.unsent) exists while the service may lack a ban: then the next start sends all
# that fail2ban restores. Unbans are not restored, so they are in the file, one a line: -ADDRESS, or -* for all;
# + if it was banned again since.

import collections
import http.client
import ipaddress
import json
import os
import re
import socket
import ssl
import stat
import threading
import time
import urllib.parse

from fail2ban.server.action import ActionBase

MOST_AT_ONCE = 500
# A page of the API has at most so many entries.
MOST_LISTED = 1000
TIMEOUT_SECONDS = 15
LONGEST_BAN_SECONDS = 3155760000
EVERYTHING = "*"


class Unsent(Exception):
	"""The service did not take it, and may do so later."""


class Refused(Unsent):
	"""The key does not allow it."""


class Unreached(Unsent):
	"""Nothing listens at the address, so the service did not receive the request."""


def is_network(text):
	try:
		ipaddress.ip_network(text)
		return True
	except ValueError:
		return False


class UnixConnection(http.client.HTTPConnection):
	def __init__(self, path, timeout):
		http.client.HTTPConnection.__init__(self, "localhost", timeout=timeout)
		self._path = path

	def connect(self):
		self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
		self.sock.settimeout(self.timeout)
		self.sock.connect(self._path)


class Client(object):
	"""Requests to the service over one connection. Not for several threads at once."""

	def __init__(self, url, key):
		self._url = url
		self._key = key
		self._connection = None

	def call(self, method, path, body=None):
		"""Returns status and JSON body. Raises Unsent if the request can succeed later."""
		try:
			status, data = self._repeated(method, path, body)
			answer = json.loads(data.decode("utf-8")) if data else {}
		except (OSError, http.client.HTTPException, ValueError) as error:
			self.close()
			unreached = isinstance(error, (ConnectionRefusedError, FileNotFoundError))
			kind = Unreached if unreached else Unsent
			raise kind("%s %s: %s" % (method, self._url, error or type(error).__name__))
		if status == 403:
			raise Refused(answer.get("detail", "403"))
		if status in (401, 408, 429) or status >= 500 or answer.get("code") == 6031:
			raise Unsent("%s %s: %d %s" % (method, path, status, answer.get("detail", "")))
		return status, answer

	def close(self):
		if self._connection is not None:
			self._connection.close()
			self._connection = None

	def _repeated(self, method, path, body):
		kept = self._connection is not None
		try:
			return self._once(method, path, body)
		except (OSError, http.client.HTTPException):
			self.close()
			# The service closed a connection that was not used for a while. Every request may be repeated.
			if not kept:
				raise
			return self._once(method, path, body)

	def _once(self, method, path, body):
		if self._connection is None:
			self._connection = self._connect()
		headers = {"Authorization": "Bearer " + self._read_key(), "User-Agent": "fail2ban-proxy-manager"}
		data = None
		if body is not None:
			data = json.dumps(body).encode("utf-8")
			headers["Content-Type"] = "application/json"
		self._connection.request(method, path, data, headers)
		response = self._connection.getresponse()
		return response.status, response.read()

	def _connect(self):
		if self._url.startswith("unix:"):
			return UnixConnection(self._url[len("unix:"):], TIMEOUT_SECONDS)
		url = urllib.parse.urlsplit(self._url)
		if url.scheme == "https":
			context = ssl.create_default_context()
			return http.client.HTTPSConnection(url.hostname, url.port, timeout=TIMEOUT_SECONDS, context=context)
		if url.scheme == "http" and url.hostname:
			return http.client.HTTPConnection(url.hostname, url.port, timeout=TIMEOUT_SECONDS)
		raise ValueError("url must be http://HOST:PORT, https://HOST or unix:/PATH")

	def _read_key(self):
		with open(self._key) as file:
			mode = stat.S_IMODE(os.fstat(file.fileno()).st_mode)
			if mode & 0o077:
				raise ValueError("%s can be read by other users; chmod 600 it" % self._key)
			key = file.read().strip()
		if not key:
			raise ValueError("%s is empty" % self._key)
		return key


class Ban(object):
	def __init__(self, ends, reason, restored):
		# None: permanent.
		self.ends = ends
		self.reason = reason
		self.restored = restored

	def element(self, network, now):
		element = {"ip_address": network, "reason": self.reason}
		if self.ends is None:
			element["expires_at"] = None
		else:
			seconds = int(self.ends - now) + 1
			element["duration_seconds"] = max(1, min(seconds, LONGEST_BAN_SECONDS))
		return element


class ProxyManagerAction(ActionBase):
	def __init__(self, jail, name, **options):
		ActionBase.__init__(self, jail, name)
		self._changed = threading.Condition()
		# By network: a Ban, or None to unban it. The later one of a network counts.
		self._waiting = collections.OrderedDict()
		# The banned addresses inside each network that is wider than one address.
		self._inside = {}
		self._lifts_all = False
		# Those of which the last line in the file says that they are to be unbanned.
		self._noted = set()
		# None: not known yet. True: the service has all bans of before the restart.
		self._kept = None
		self._restored_until = 0
		self._thread = None
		self._stops = False
		self._failure = None
		self._configure(**options)

	def _configure(
		self, url="http://127.0.0.1:7080", key="/etc/fail2ban/proxy-manager.key", source=None, ipv6_prefix=128,
		release=600, retry=5, restoring=60, **unknown
	):
		# fail2ban passes options of its own, such as actname.
		jail = re.sub(r"[^A-Za-z0-9._-]", "-", self._jail.name)
		self._source = source or ("fail2ban:" + jail)[:64]
		self._prefix = int(ipv6_prefix)
		self._release_seconds = int(release)
		self._retry_seconds = float(retry)
		self._restoring_seconds = float(restoring)
		self._flag = "%s.%s.unsent" % (key, jail)
		self._client = Client(url, key)

	# Called by fail2ban, which waits for none of the requests except at its stop.

	def start(self):
		# With it, fail2ban ended before everything was sent.
		self._lacking = os.path.exists(self._flag)
		self._read_flag()
		self._restored_until = time.time() + self._restoring_seconds
		self._set_flag()
		self._stops = False
		self._kept = None
		self._thread = threading.Thread(target=self._run, name="f2b/pm." + self._jail.name)
		self._thread.daemon = True
		self._thread.start()

	def clearAllParams(self):
		pass

	def reload(self, **options):
		# Without this method fail2ban drops the action, and its bans, at a reload.
		with self._changed:
			before = self._source, self._prefix, self._flag
			self._configure(**options)
			if (self._source, self._prefix, self._flag) != before:
				# Bans that were sent would not be found any more.
				self._source, self._prefix, self._flag = before
				self._logSys.error(
					"[%s] proxy-manager: another source, ipv6_prefix or path of the key counts after a restart of fail2ban",
					self._jail.name
				)
			self._changed.notify()

	def ban(self, aInfo):
		self._ban(aInfo, bool(aInfo["restored"]))

	def reban(self, aInfo):
		self._ban(aInfo, False)

	@property
	def _prolongable(self):
		return True

	def prolong(self, aInfo):
		self._ban(aInfo, False)

	def unban(self, aInfo):
		address = str(aInfo["ip"])
		network = self._network(address)
		with self._changed:
			inside = self._inside.get(network, set())
			inside.discard(address)
			if inside:
				return
			self._inside.pop(network, None)
			self._wait(network, None)

	def flush(self):
		# At a stop, `stop` follows and releases the bans. Otherwise this is `unban --all`.
		if self._jail.actions.active:
			with self._changed:
				self._waiting.clear()
				self._inside.clear()
				self._lifts_all = True
				self._noted.clear()
				self._note("-", EVERYTHING)
				self._changed.notify()
		return True

	def stop(self):
		with self._changed:
			self._stops = True
			self._changed.notify()
		if self._thread is not None:
			self._thread.join(3 * TIMEOUT_SECONDS)

	def _ban(self, aInfo, restored):
		address = str(aInfo["ip"])
		network = self._network(address)
		seconds = int(aInfo["bantime"])
		ends = None if seconds < 0 else float(aInfo["time"]) + seconds
		failures = int(aInfo["failures"] or 0)
		# Without failures an operator banned it.
		reason = "fail2ban " + self._jail.name + (", %d failures" % failures if failures else "")
		with self._changed:
			if network != address:
				self._inside.setdefault(network, set()).add(address)
			if restored:
				self._restored_until = time.time() + self._restoring_seconds
				if self._kept:
					return
			if ends is not None and ends <= time.time():
				return
			waiting = self._waiting.get(network)
			if waiting is not None and (waiting.ends is None or (ends is not None and ends < waiting.ends)):
				return
			self._wait(network, Ban(ends, reason, restored))

	def _network(self, address):
		if self._prefix < 128 and ":" in address and "/" not in address:
			return str(ipaddress.ip_network("%s/%d" % (address, self._prefix), strict=False))
		return address

	def _wait(self, network, ban):
		if ban is None:
			self._noted.add(network)
			self._note("-", network)
		elif network in self._noted:
			self._noted.discard(network)
			self._note("+", network)
		elif not self._waiting:
			self._set_flag()
		# At the end: what failed once does not delay what is new.
		self._waiting.pop(network, None)
		self._waiting[network] = ban
		self._changed.notify()

	# Everything below runs in the thread of this action.

	def _run(self):
		while True:
			try:
				self._keep()
				while self._work():
					pass
				self._report(None)
				return
			except Exception as error:
				self._report(error)
			with self._changed:
				if self._stops:
					return
				self._changed.wait_for(lambda: self._stops, self._retry_seconds)

	def _report(self, error):
		cause = None if error is None else str(error) or type(error).__name__
		if cause == self._failure:
			return
		self._failure = cause
		if cause is None:
			self._logSys.info("[%s] proxy-manager answers again", self._jail.name)
		else:
			self._logSys.error(
				"[%s] proxy-manager: %s; trying again every %g s", self._jail.name, cause, self._retry_seconds,
				exc_info=not isinstance(error, Unsent)
			)

	def _keep(self):
		if self._kept is not None:
			return
		try:
			status, answer = self._client.call("POST", self._path("/keep"))
		except Refused as error:
			# Bans count more than a restart: they are sent, and at each start again.
			self._report(error)
			status, answer = 200, {"kept": False}
		except Unreached:
			raise
		except Unsent:
			# The service may have answered that the bans were dropped. In doubt they are sent again.
			self._lacking = True
			raise
		if status != 200:
			raise Unsent("keep: %d %s" % (status, answer.get("detail", "")))
		with self._changed:
			self._kept = answer["kept"] and not self._lacking
			if self._kept:
				for network in [network for network, ban in self._waiting.items() if ban is not None and ban.restored]:
					del self._waiting[network]
				if not self._waiting:
					self._clear_flag()

	def _work(self):
		"""False: fail2ban stops, and everything is sent."""
		with self._changed:
			self._changed.wait_for(self._is_due, None if self._kept else self._restoring_seconds)
			lifts_all = self._lifts_all
			work = [] if lifts_all else list(self._waiting.items())[:MOST_AT_ONCE]
			stops = self._stops
		if lifts_all:
			self._lift_all()
		elif work:
			self._send(work)
		with self._changed:
			for network, ban in work:
				if network in self._waiting and self._waiting[network] is ban:
					del self._waiting[network]
			if self._waiting or self._lifts_all:
				return True
			if self._kept or time.time() > self._restored_until:
				self._kept = True
				self._clear_flag()
			if self._failure is not None:
				self._report(None)
		if not stops:
			return True
		self._call("POST", self._path("/release"), {"after_seconds": self._release_seconds})
		self._client.close()
		return False

	def _is_due(self):
		return bool(self._waiting) or self._lifts_all or self._stops

	def _send(self, work):
		unbans = [network for network, ban in work if ban is None]
		now = time.time()
		bans = [ban.element(network, now) for network, ban in work if ban is not None]
		# First, because bans wait while the blocked set is full.
		if len(unbans) == 1:
			self._unban_one(unbans[0])
		elif unbans:
			self._batch({"add": [], "remove": unbans})
		if bans:
			self._batch({"add": bans, "remove": []})

	def _batch(self, body):
		answer = self._call("POST", "/api/blocked-ips/batch?" + self._query(), body)
		for rejected in answer.get("rejected", [])[:10]:
			self._logSys.error("[%s] proxy-manager: %s: %s", self._jail.name, rejected["value"], rejected["why"])

	def _unban_one(self, network):
		path = "/api/blocked-ips/%s?%s" % (urllib.parse.quote(network, safe=":"), self._query())
		answer = self._call("DELETE", path)
		claims = [claim["source"] for claim in answer.get("still_claimed_by", [])]
		still = claims + answer.get("still_blocked_by", []) + answer.get("covered_by", [])
		if still:
			self._logSys.info("[%s] %s is still blocked by %s", self._jail.name, network, ", ".join(still))

	def _lift_all(self):
		"""Returns when nothing of the source is blocked, so that a later ban is not lifted with the others."""
		try:
			status, _ = self._client.call("POST", self._path("/release"), {"after_seconds": 0})
			while status == 200:
				status, source = self._client.call("GET", self._path(""))
				if status == 200 and source["release_at"] is None:
					break
				time.sleep(0.2)
			self._call("POST", self._path("/keep"))
		except Refused:
			# A key that is not bound to the source may drop its claims only by their addresses.
			self._lift_listed()
		with self._changed:
			self._lifts_all = False
			self._note("+", EVERYTHING)

	def _lift_listed(self):
		path = "/api/blocked-ips?limit=%d&%s" % (MOST_LISTED, self._query())
		before = None
		while True:
			status, page = self._client.call("GET", path)
			networks = [item["ip_address"] for item in page["items"]] if status == 200 else []
			if not networks:
				return
			if networks == before:
				raise Unsent("the claims of %s could not be dropped" % self._source)
			self._batch({"add": [], "remove": networks})
			before = networks

	def _call(self, method, path, body=None):
		"""What the service refuses for ever is logged, and not sent again."""
		status, answer = self._client.call(method, path, body)
		if status >= 400 and status != 404:
			self._logSys.error("[%s] proxy-manager: %d %s", self._jail.name, status, answer.get("detail", ""))
		return answer

	def _path(self, what):
		return "/api/sources/" + urllib.parse.quote(self._source, safe=":") + what

	def _query(self):
		return urllib.parse.urlencode({"source": self._source})

	def _set_flag(self):
		self._note("", "")

	def _note(self, sign, network):
		"""At the end of the file, so that many unbans do not write it many times."""
		try:
			file = os.open(self._flag, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600)
			try:
				if sign:
					os.write(file, (sign + network + "\n").encode("ascii"))
			finally:
				os.close(file)
		except OSError as error:
			# At a start: this one sends all bans, since the service may lack some.
			self._lacking = True
			self._logSys.error(
				"[%s] %s: %s; what is not sent before fail2ban ends may never be sent", self._jail.name, self._flag, error
			)

	def _read_flag(self):
		"""Queues the unbans of before, and writes the file again without those that no longer count."""
		try:
			with open(self._flag, encoding="ascii", errors="replace") as file:
				text = file.read()
		except FileNotFoundError:
			return
		except OSError as error:
			self._logSys.error("[%s] %s: %s; its unbans are not sent", self._jail.name, self._flag, error)
			return
		lifts_all = False
		unbans = collections.OrderedDict()
		# A last line without its end was being written, and may be another address.
		for line in text.split("\n")[:-1]:
			sign, network = line[:1], line[1:]
			if network == EVERYTHING:
				lifts_all = sign == "-"
				if lifts_all:
					unbans.clear()
			elif sign == "+":
				unbans.pop(network, None)
			elif sign == "-" and is_network(network):
				unbans[network] = None
		with self._changed:
			self._lifts_all = self._lifts_all or lifts_all
			for network in unbans:
				self._waiting.setdefault(network, None)
			self._noted.update(unbans)
		lines = ["-" + network for network in ([EVERYTHING] if lifts_all else []) + list(unbans)]
		new = self._flag + ".new"
		try:
			with open(os.open(new, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as file:
				file.write("".join(line + "\n" for line in lines))
				file.flush()
				os.fsync(file.fileno())
			os.replace(new, self._flag)
		except OSError as error:
			self._logSys.error("[%s] %s: %s", self._jail.name, new, error)

	def _clear_flag(self):
		self._noted.clear()
		try:
			os.unlink(self._flag)
		except FileNotFoundError:
			pass


Action = ProxyManagerAction
