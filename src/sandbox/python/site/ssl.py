"""Owns the module ssl where the sandbox does the encryption: a wrapped socket says so to the sandbox, which then asks over https."""

import enum
import socket as _socket_module
from collections import namedtuple
from socket import AF_INET, SO_TYPE, SOCK_STREAM, SOL_SOCKET, socket

OPENSSL_VERSION = "OpenSSL 3.0.0 (sandbox)"
OPENSSL_VERSION_INFO = (3, 0, 0, 0, 0)
OPENSSL_VERSION_NUMBER = 0x30000000
HAS_SNI = HAS_ALPN = HAS_ECDH = HAS_TLSv1_2 = HAS_TLSv1_3 = True
HAS_NPN = HAS_SSLv2 = HAS_SSLv3 = HAS_TLSv1 = HAS_TLSv1_1 = HAS_PSK = False
HAS_NEVER_CHECK_COMMON_NAME = True
CHANNEL_BINDING_TYPES = ["tls-unique"]


class VerifyMode(enum.IntEnum):
    CERT_NONE = 0
    CERT_OPTIONAL = 1
    CERT_REQUIRED = 2


class _SSLMethod(enum.IntEnum):
    PROTOCOL_TLS = 2
    PROTOCOL_TLS_CLIENT = 16
    PROTOCOL_TLS_SERVER = 17
    PROTOCOL_TLSv1 = 3
    PROTOCOL_TLSv1_1 = 4
    PROTOCOL_TLSv1_2 = 5


class TLSVersion(enum.IntEnum):
    MINIMUM_SUPPORTED = -2
    SSLv3 = 768
    TLSv1 = 769
    TLSv1_1 = 770
    TLSv1_2 = 771
    TLSv1_3 = 772
    MAXIMUM_SUPPORTED = -1


class Options(enum.IntFlag):
    OP_ALL = 0x80000050
    OP_NO_SSLv2 = 0
    OP_NO_SSLv3 = 0x2000000
    OP_NO_TLSv1 = 0x4000000
    OP_NO_TLSv1_1 = 0x10000000
    OP_NO_TLSv1_2 = 0x8000000
    OP_NO_TLSv1_3 = 0x20000000
    OP_NO_COMPRESSION = 0x20000
    OP_NO_TICKET = 0x4000
    OP_SINGLE_DH_USE = 0
    OP_SINGLE_ECDH_USE = 0
    OP_NO_RENEGOTIATION = 0x40000000
    OP_IGNORE_UNEXPECTED_EOF = 0x80
    OP_ENABLE_MIDDLEBOX_COMPAT = 0x100000
    OP_LEGACY_SERVER_CONNECT = 4


class VerifyFlags(enum.IntFlag):
    VERIFY_DEFAULT = 0
    VERIFY_CRL_CHECK_LEAF = 4
    VERIFY_CRL_CHECK_CHAIN = 12
    VERIFY_X509_STRICT = 32
    VERIFY_X509_TRUSTED_FIRST = 32768
    VERIFY_X509_PARTIAL_CHAIN = 0x80000


for _enum in (VerifyMode, _SSLMethod, Options, VerifyFlags):
    globals().update(_enum.__members__)
PROTOCOL_SSLv23 = PROTOCOL_TLS  # noqa: F821


class SSLError(OSError):
    library = reason = None


class SSLZeroReturnError(SSLError):
    pass


class SSLWantReadError(SSLError):
    pass


class SSLWantWriteError(SSLError):
    pass


class SSLSyscallError(SSLError):
    pass


class SSLEOFError(SSLError):
    pass


class SSLCertVerificationError(SSLError, ValueError):
    pass


CertificateError = SSLCertVerificationError
SSL_ERROR_WANT_READ, SSL_ERROR_WANT_WRITE, SSL_ERROR_EOF, SSL_ERROR_ZERO_RETURN = 2, 3, 8, 6
DefaultVerifyPaths = namedtuple("DefaultVerifyPaths", "cafile capath openssl_cafile_env openssl_cafile openssl_capath_env openssl_capath")


class Purpose(enum.Enum):
    SERVER_AUTH = "1.3.6.1.5.5.7.3.1"
    CLIENT_AUTH = "1.3.6.1.5.5.7.3.2"


def _marker(server_hostname):
    return b"\x16BOXTLS " + (server_hostname or "").encode("ascii", "replace") + b"\n"


class SSLContext:
    """Accepts every setting; certificates are checked by the sandbox, always."""

    sslsocket_class = sslobject_class = None

    def __init__(self, protocol=None, *args, **kwargs):
        self.protocol = PROTOCOL_TLS if protocol is None else protocol  # noqa: F821
        self.verify_mode = CERT_REQUIRED  # noqa: F821
        self.check_hostname = True
        self.options = Options.OP_ALL
        self.verify_flags = VerifyFlags.VERIFY_DEFAULT
        self.minimum_version = TLSVersion.TLSv1_2
        self.maximum_version = TLSVersion.MAXIMUM_SUPPORTED
        self.post_handshake_auth = False
        self.hostname_checks_common_name = False
        self.keylog_filename = None
        self.sni_callback = None

    def _nothing(self, *args, **kwargs):
        return None

    load_verify_locations = load_cert_chain = load_default_certs = set_default_verify_paths = _nothing
    set_ciphers = set_alpn_protocols = set_npn_protocols = set_ecdh_curve = load_dh_params = _nothing

    def get_ca_certs(self, binary_form=False):
        return []

    def get_ciphers(self):
        return []

    def cert_store_stats(self):
        return {"x509": 1, "crl": 0, "x509_ca": 1}

    def session_stats(self):
        return {}

    def wrap_socket(self, sock, server_side=False, do_handshake_on_connect=True, suppress_ragged_eofs=True, server_hostname=None, session=None):
        if server_side:
            raise SSLError("the sandbox has no TLS servers")
        return SSLSocket._create(sock, self, server_hostname)

    def wrap_bio(self, incoming, outgoing, server_side=False, server_hostname=None, session=None):
        return SSLObject(incoming, outgoing, self, server_hostname)


class _Connection:
    session = None
    session_reused = False
    server_side = False

    def getpeercert(self, binary_form=False):
        return b"" if binary_form else {"subject": (), "subjectAltName": (("DNS", self.server_hostname or ""),)}

    def cipher(self):
        return ("TLS_AES_256_GCM_SHA384", "TLSv1.3", 256)

    def version(self):
        return "TLSv1.3"

    def selected_alpn_protocol(self):
        return None

    def selected_npn_protocol(self):
        return None

    def compression(self):
        return None

    def shared_ciphers(self):
        return None

    def get_channel_binding(self, cb_type="tls-unique"):
        return None

    def do_handshake(self, block=False):
        return None

    def verify_client_post_handshake(self):
        return None


class SSLSocket(_Connection, socket):
    """A socket that said to the sandbox that what follows is meant for https."""

    @classmethod
    def _create(cls, sock, context, server_hostname):
        timeout = sock.gettimeout()
        self = cls.__new__(cls)
        socket.__init__(self, family=sock.family, type=sock.type, proto=sock.proto, fileno=sock.detach())
        self.settimeout(timeout)
        self.context = context
        self.server_hostname = server_hostname
        self._connected = False
        try:
            self.getpeername()
            self._mark()
        except OSError:
            pass
        return self

    def _mark(self):
        self._connected = True
        socket.sendall(self, _marker(self.server_hostname))

    def connect(self, address):
        socket.connect(self, address)
        self._mark()

    def read(self, length=1024, buffer=None):
        return self.recv(length) if buffer is None else self.recv_into(buffer)

    def write(self, data):
        return self.send(data)

    def pending(self):
        return 0

    def unwrap(self):
        return self


class MemoryBIO:
    """Bytes on their way through memory."""

    def __init__(self):
        self._data = bytearray()
        self._eof = False

    def read(self, size=-1):
        size = len(self._data) if size is None or size < 0 else size
        out = bytes(self._data[:size])
        del self._data[:size]
        return out

    def write(self, data):
        self._data += data
        return len(data)

    def write_eof(self):
        self._eof = True

    @property
    def pending(self):
        return len(self._data)

    @property
    def eof(self):
        return self._eof and not self._data


class SSLObject(_Connection):
    """Passes bytes between memory and memory, the marker first."""

    def __init__(self, incoming, outgoing, context, server_hostname):
        self._incoming, self._outgoing = incoming, outgoing
        self.context = context
        self.server_hostname = server_hostname
        self._marked = False

    def do_handshake(self):
        if not self._marked:
            self._marked = True
            self._outgoing.write(_marker(self.server_hostname))

    def read(self, length=1024, buffer=None):
        data = self._incoming.read(length)
        if not data:
            if self._incoming.eof:
                return b"" if buffer is None else 0
            raise SSLWantReadError(SSL_ERROR_WANT_READ, "The operation did not complete (read)")
        if buffer is None:
            return data
        buffer[: len(data)] = data
        return len(data)

    def write(self, data):
        self.do_handshake()
        return self._outgoing.write(data)

    def pending(self):
        return self._incoming.pending

    def unwrap(self):
        return None


def create_default_context(purpose=Purpose.SERVER_AUTH, *, cafile=None, capath=None, cadata=None):
    return SSLContext(PROTOCOL_TLS_CLIENT)  # noqa: F821


def _create_unverified_context(protocol=None, *args, **kwargs):
    context = SSLContext(protocol)
    context.check_hostname = False
    context.verify_mode = CERT_NONE  # noqa: F821
    return context


_create_stdlib_context = _create_unverified_context
_create_default_https_context = create_default_context


def wrap_socket(sock, *args, server_hostname=None, **kwargs):
    return SSLContext().wrap_socket(sock, server_hostname=server_hostname)


def match_hostname(cert, hostname):
    return None


def get_default_verify_paths():
    return DefaultVerifyPaths(None, None, "SSL_CERT_FILE", "/etc/ssl/cert.pem", "SSL_CERT_DIR", "/etc/ssl/certs")


def get_server_certificate(addr, *args, **kwargs):
    raise SSLError("the sandbox shows no certificates")


def cert_time_to_seconds(cert_time):
    import calendar
    import time

    return calendar.timegm(time.strptime(cert_time, "%b %d %H:%M:%S %Y GMT"))


def RAND_bytes(n):
    import os

    return os.urandom(n)


def RAND_status():
    return True


def DER_cert_to_PEM_cert(der):
    import base64

    text = base64.standard_b64encode(der).decode()
    lines = [text[i : i + 64] for i in range(0, len(text), 64)]
    return "\n".join(["-----BEGIN CERTIFICATE-----", *lines, "-----END CERTIFICATE-----", ""])
