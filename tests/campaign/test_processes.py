"""Many processes on one campaign: no lock error, nothing lost, asked for in turn."""

from __future__ import annotations

from collections import Counter

from palacs.campaign import create_campaign, load_campaign

CLASSES = ["rest", "left", "right", "feet", "tongue"]


def test_eight_processes_ask_and_tell_thirty_times_each(url: str, in_processes) -> None:
    create_campaign("c", CLASSES, strategy="uniform", storage=url, seed=0).close()

    def work(url: str, number: int) -> int:
        from palacs.campaign import load_campaign

        with load_campaign("c", storage=url) as campaign:
            for turn in range(30):
                campaign.tell(campaign.ask(), [float(number), float(turn)])
        return number

    in_processes(work, [(url, number) for number in range(8)])
    with load_campaign("c", storage=url) as campaign:
        X, y = campaign.labelled_set()
        assert sorted(map(tuple, X.tolist())) == [
            (float(number), float(turn)) for number in range(8) for turn in range(30)
        ]
        assert set(Counter(y.tolist()).values()) == {48}
        assert campaign.replay().ok


def test_ten_workers_that_ask_at_once_are_spread_over_the_classes(url: str, in_processes) -> None:
    create_campaign("c", CLASSES, storage=url, seed=0).close()

    def ask(url: str) -> object:
        from palacs.campaign import load_campaign

        with load_campaign("c", storage=url) as campaign:
            return campaign.ask().label

    labels = in_processes(ask, [(url,)] * 10)
    assert Counter(labels) == dict.fromkeys(CLASSES, 2)


def test_a_request_is_answered_by_whoever_is_first(url: str, in_processes) -> None:
    with create_campaign("c", CLASSES, storage=url, seed=0) as campaign:
        request = campaign.ask()

    def tell(url: str, id_: str, number: int) -> str:
        from palacs.campaign import Conflict, load_campaign

        with load_campaign("c", storage=url) as campaign:
            try:
                campaign.tell(id_, [float(number)])
            except Conflict:
                return "refused"
        return "told"

    outcomes = in_processes(tell, [(url, request.id, number) for number in range(8)])
    assert Counter(outcomes) == {"told": 1, "refused": 7}
    with load_campaign("c", storage=url) as campaign:
        assert campaign.labelled_set()[0].tolist() == [[float(outcomes.index("told"))]]
