"""An instrument that takes part in a campaign over REST, with the standard library only.

PALACS_STUDIO_TOKEN=... python instrument.py http://127.0.0.1:8765 CAMPAIGN 20
"""

import json
import os
import random
import sys
from urllib.parse import quote
from urllib.request import ProxyHandler, Request, build_opener

studio, campaign, rounds = sys.argv[1], quote(sys.argv[2], safe=""), int(sys.argv[3])
token = os.environ["PALACS_STUDIO_TOKEN"]
here = build_opener(ProxyHandler({}))  # this machine, whatever proxy others need


def post(action, **body):
    """Send one request and return the answer."""
    url = f"{studio}/api/v1/campaigns/{campaign}/{action}"
    headers = {"Authorization": f"Bearer {token}", "Content-Type": "application/json"}
    with here.open(Request(url, json.dumps(body).encode(), headers)) as answer:
        return json.load(answer)


for _ in range(rounds):
    asked = post("ask", n=1)["requests"][0]
    centre = sum(map(ord, str(asked["label"]))) % 10 / 10
    x = [random.gauss(centre, 0.1), random.gauss(1 - centre, 0.1)]  # replace by a recording
    print(asked["label"], post("tell", id=asked["id"], x=x)["instance"])
