"""A source from outside palacs: dice, loaded towards the class that is asked for."""

import random

from palacs.campaign import Acquired, NotAcquired
from palacs.sources import SourceInfo


class Dice:
    """Throws as many dice as its address says."""

    def __init__(self, rest):
        self.count = int(rest or 2)
        self.classes = []

    def open(self, campaign):
        """Learn which classes there are."""
        self.classes = campaign.classes

    def acquire(self, request):
        """Throw them."""
        if request.label not in self.classes:
            raise NotAcquired("these dice know another game")
        favourite = 1 + self.classes.index(request.label) % 6
        return Acquired(
            [random.choice([favourite, random.randint(1, 6)]) for _ in range(self.count)]
        )


row = SourceInfo("dice", Dice, "loaded dice: dice:HOW-MANY")
