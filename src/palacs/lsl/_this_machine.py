"""Lab streams that stay on this machine: for demonstrations, tests and networks without multicast.

liblsl finds streams by asking the network; here it asks 127.0.0.1 alone, and only for streams of
the same session, so that two demonstrations on one machine do not see each other.
"""

from __future__ import annotations

import re

import pylsl

# A question to an address reaches one of the programs here only; the rest are asked port by port,
# which is to begin at once. The log is silent: what a lost connection means is said by whoever
# reads the stream.
_SETTINGS = """
[multicast]
ResolveScope = machine
ListenAddress = 127.0.0.1
AddressesOverride = {{127.0.0.1}}
[lab]
KnownPeers = {{127.0.0.1}}
SessionID = {session}
[ports]
IPv6 = disable
PortRange = 64
[tuning]
MulticastMinRTT = 0.02
UnicastMinRTT = 0.1
TimeProbeInterval = 0.01
[log]
level = -3
"""
_SESSION = re.compile(r"[A-Za-z0-9_-]{1,64}")
_settled: str | None = None


def stay_on_this_machine(session: str) -> None:
    """Look for streams on this machine only, and only for those of one session.

    It has to come before anything else of LSL in this process, and replaces what an
    ``lsl_api.cfg`` says. Other machines are neither asked nor told; whoever knows the port could
    still connect, since liblsl listens on every address.

    Parameters
    ----------
    session : str
        Letters, digits, ``-`` and ``_``; processes that say the same see each other.

    Raises
    ------
    ValueError
        The name will not do, or this process said another one before.
    """
    global _settled
    if not _SESSION.fullmatch(session):
        raise ValueError(f"session={session!r}; give letters, digits, '-' and '_', at most 64.")
    if _settled not in (None, session):
        raise ValueError(
            f"this process is in the session {_settled!r} already and cannot change to {session!r}."
        )
    if _settled is None:
        pylsl.set_config_content(_SETTINGS.format(session=session))
        _settled = session
