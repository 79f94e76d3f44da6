# SPDX-License-Identifier: Apache-2.0
"""One process of inlay-sd that keeps its model loaded, driven by lines of JSON (inlay-sd --requests)."""
import asyncio
import itertools
import json


class WorkerLost(RuntimeError):
    """The process ended in the middle of a request."""


class Worker:
    """Draws one request at a time; a process that has ended is started anew by the next one."""

    def __init__(self, command):
        self.command = [*command, "--quiet", "--requests", "-"]
        self.process = None
        self.ids = itertools.count()
        self.one_at_a_time = asyncio.Lock()

    def alive(self):
        return self.process is not None and self.process.returncode is None

    async def start(self):
        self.process = await asyncio.create_subprocess_exec(
            *self.command, stdin=asyncio.subprocess.PIPE, stdout=asyncio.subprocess.PIPE,
            stderr=asyncio.subprocess.PIPE)
        first = await self.process.stdout.readline()
        if not first:
            sentence = (await self.process.stderr.read()).decode().strip()
            await self.process.wait()
            raise WorkerLost(f"inlay-sd does not start: {sentence}")

    async def _send(self, message):
        self.process.stdin.write((json.dumps(message) + "\n").encode())
        await self.process.stdin.drain()

    async def draw(self, images, cancelled):
        """The events of a request, the last of them done, cancelled or error. `cancelled()` is looked at each step."""
        async with self.one_at_a_time:
            if not self.alive():
                await self.start()
            name, told = next(self.ids), False
            try:
                await self._send({"id": name, "images": images})
                while True:
                    line = await self.process.stdout.readline()
                    if not line:
                        raise ConnectionError
                    event = json.loads(line)
                    if event["id"] != name:  # the end of a request whose reader has left
                        continue
                    if event["event"] == "progress" and not told and cancelled():
                        told = True
                        await self._send({"cancel": name})
                    yield event
                    if event["event"] != "progress":
                        return
            except ConnectionError:
                await self.process.wait()
                raise WorkerLost(f"inlay-sd ended with status {self.process.returncode} in a request") from None
