"""Episodes of several turns, by the client over HTTP."""

import asyncio
import json
import os
import unittest

import plumb_client
from frameworks import episodes
from frameworks.episodes import BETTER, UNSCORABLE, VAGUE, WORSE


def play(client: plumb_client.Client, answers: list[str], **options: object) -> list[plumb_client.Turn]:
    """The turns of an episode of the arrow task, the reset first."""
    episode = plumb_client.Episode(episodes.label("arrow-00"), client=client, turns=len(answers), threshold=2.0, **options)
    return [episode.reset(), *(episode.step(a) for a in answers)]


class Episodes(unittest.TestCase):
    def setUp(self) -> None:
        self.client = plumb_client.Client(episodes.plumb().url)

    def test_turns(self) -> None:
        worse, better = episodes.score("arrow-00", WORSE), episodes.score("arrow-00", BETTER)
        first, second, last = play(self.client, [WORSE, BETTER])
        self.assertEqual((first.turn, first.turns, first.reward, first.done, first.failed), (0, 2, None, False, False))
        self.assertEqual([p["type"] for p in first.content()], ["image_url", "text"])
        self.assertEqual((second.turn, second.reward, second.done, second.result.score, second.total), (1, 0.0, False, worse, None))
        self.assertEqual((last.reward, last.done, last.total, last.result.score, last.prompt, last.content()), (better, True, better, better, None, ""))
        for turn, answer in ((second, WORSE), (last, BETTER)):
            one = self.client.reward(json.dumps(episodes.tasks()["arrow-00"]), answer)
            self.assertEqual((turn.result.status, turn.result.metrics), (one.status, one.metrics))

    def test_rewards(self) -> None:
        worse, better = episodes.score("arrow-00", WORSE), episodes.score("arrow-00", BETTER)
        for kind, want in (("final", [0.0, better]), ("gain", [worse, better - worse]), ("best", [worse, better - worse])):
            with self.subTest(kind):
                self.assertEqual([t.reward for t in play(self.client, [WORSE, BETTER], reward=kind)[1:]], want)

    def test_another_daemon_goes_on(self) -> None:
        """An episode is not kept in the daemon: any that has the task goes on with it."""
        d = episodes.Mortal(self)
        episode = plumb_client.Episode(episodes.label("arrow-00"), client=plumb_client.Client(d.url), turns=3, threshold=2.0)
        seen = [episode.reset(), episode.step(WORSE)]
        d.restart()
        seen += [episode.step(WORSE), episode.step(BETTER)]
        self.assertEqual([t.observation for t in seen], [t.observation for t in play(self.client, [WORSE, WORSE, BETTER])])

    def test_many_through_a_kill(self) -> None:
        """256 open episodes, or PLUMB_EPISODES, the daemon killed and started again: none is
        lost."""
        n = int(os.environ.get("PLUMB_EPISODES", "256"))
        d = episodes.Mortal(self)
        client = plumb_client.AsyncClient(d.url, timeout=600)
        label = episodes.label("arrow-00")

        async def begun() -> plumb_client.AsyncEpisode:
            episode = plumb_client.AsyncEpisode(label, client=client, turns=3, threshold=2.0, images="none")
            await episode.reset()
            await episode.step(WORSE)
            return episode

        async def ended(episode: plumb_client.AsyncEpisode) -> float:
            await episode.step(WORSE)
            return (await episode.step(BETTER)).total

        async def all_of_them() -> list[float]:
            open_now = await asyncio.gather(*(begun() for _ in range(n)))
            d.kill()
            *totals, _ = await asyncio.gather(*map(ended, open_now), asyncio.to_thread(d.restart))
            return totals

        self.assertEqual(asyncio.run(all_of_them()), [episodes.score("arrow-00", BETTER)] * n)

    def test_a_lost_daemon_is_an_error_that_can_be_repeated(self) -> None:
        d = episodes.Mortal(self)
        episode = plumb_client.Episode(episodes.label("arrow-00"), client=plumb_client.Client(d.url, timeout=1.0), turns=2)
        episode.reset()
        d.kill()
        with self.assertRaises(plumb_client.Unavailable):
            episode.step(BETTER)
        self.assertEqual((episode.answers, episode.last.turn), ([], 0))

    def test_what_cannot_be_scored(self) -> None:
        episode = plumb_client.Episode(UNSCORABLE, client=self.client)
        episode.reset()
        turn = episode.step(VAGUE)
        self.assertEqual((turn.failed, turn.reward, turn.result.error.code), (True, None, "unjudged"))
        episode.undo()
        self.assertTrue(episode.step(VAGUE).failed)

    def test_undo_of_every_step(self) -> None:
        """Each undo takes back one step, up to the reset."""
        episode = plumb_client.Episode(episodes.label("arrow-00"), client=self.client, turns=3, threshold=2.0)
        first = episode.reset()
        second = episode.step(WORSE)
        episode.step(BETTER)
        for want, answers in ((second, [WORSE]), (first, []), (first, [])):
            episode.undo()
            self.assertEqual((episode.last, episode.answers), (want, answers))
        self.assertEqual(episode.step(BETTER).turn, 1)

    def test_mistakes(self) -> None:
        with self.assertRaisesRegex(ValueError, "unknown turnz"):
            plumb_client.Episode("{}", client=self.client, turnz=2)
        with self.assertRaisesRegex(ValueError, "nobody"):
            plumb_client.Episode(episodes.label("nobody"), client=self.client).reset()
        with self.assertRaisesRegex(plumb_client.Refused, "turns"):
            plumb_client.Episode(episodes.label("arrow-00"), client=self.client, turns=1000).reset()
        episode = plumb_client.Episode(episodes.label("arrow-00"), client=self.client, turns=1)
        with self.assertRaisesRegex(RuntimeError, "has not begun"):
            episode.step(BETTER)
        episode.reset()
        episode.step(BETTER)
        with self.assertRaisesRegex(RuntimeError, "is done"):
            episode.step(BETTER)

    def test_coroutines(self) -> None:
        async def one() -> float:
            episode = plumb_client.AsyncEpisode(episodes.label("arrow-00"), client=plumb_client.AsyncClient(episodes.plumb().url), turns=2)
            await episode.reset()
            await episode.step(WORSE)
            return (await episode.step(BETTER)).total

        async def many() -> list[float]:
            return await asyncio.gather(*(one() for _ in range(16)))

        self.assertEqual(set(asyncio.run(many())), {episodes.score("arrow-00", BETTER)})


if __name__ == "__main__":
    unittest.main()
