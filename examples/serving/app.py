# SPDX-License-Identifier: Apache-2.0
"""Pictures over HTTP on Ray Serve: replicas of inlay-sd, each on a GPU or some cores of its own.

    serve run app:build program=inlay-sd model=tiny-sd replicas=2 device=cpu size=64x64 steps=4

POST /draw takes {"prompt": ..., "negative": ..., "seed": ...} and streams lines of JSON: a `progress` line each step,
and at the end a `done` line with the seed and the PNG in base64, or an `error` line with one sentence. Requests that
wait at a replica are drawn together. A request is tried again where its replica was lost.
"""
import asyncio
import base64
import json
import os
import random
import tempfile
import time

import ray
from fastapi import FastAPI, HTTPException
from fastapi.responses import StreamingResponse
from pydantic import BaseModel, Field
from ray import serve
from ray.serve.exceptions import BackPressureError

from worker import Worker, WorkerLost

TRIES = 4
front = FastAPI()


class Picture(BaseModel):
    prompt: str = Field(max_length=2000)
    negative: str = Field("", max_length=2000)
    seed: int = Field(-1, ge=-1, lt=2**64)


class Job:
    """A request in a replica. `gone`: nobody waits for it any more."""

    def __init__(self, picture):
        self.picture = picture
        self.gone = False


@serve.deployment(health_check_period_s=2, health_check_timeout_s=30)
class Drawer:
    def __init__(self, command, batch, wait_s):
        self.folder = tempfile.TemporaryDirectory(dir="/dev/shm" if os.path.isdir("/dev/shm") else None)
        self.worker = Worker([*command, "--batch", str(batch)])
        self.together.set_max_batch_size(batch)
        self.together.set_batch_wait_timeout_s(wait_s)

    async def check_health(self):
        async with asyncio.timeout(25):
            if not self.worker.alive() and not self.worker.one_at_a_time.locked():
                async with self.worker.one_at_a_time:
                    await self.worker.start()

    @serve.batch(max_batch_size=1, batch_wait_timeout_s=0.01)
    async def together(self, jobs):
        """Yields an event for each job, until all have had their last."""
        images = [{**job.picture, "out": f"{self.folder.name}/{i}.png"} for i, job in enumerate(jobs)]
        async for event in self.worker.draw(images, lambda: all(job.gone for job in jobs)):
            if event["event"] != "done":
                yield [{k: v for k, v in event.items() if k != "id"}] * len(jobs)
                continue
            events = []
            for image in event["images"]:
                with open(image["out"], "rb") as file:
                    png = base64.b64encode(file.read()).decode()
                events.append({"event": "done", "seed": image["seed"], "together": len(jobs), "png": png})
            yield events

    async def draw(self, picture):
        job = Job(picture)
        try:
            async for event in self.together(job):
                yield event
        finally:
            job.gone = True


@serve.deployment(max_ongoing_requests=10000, ray_actor_options={"num_cpus": 0})
@serve.ingress(front)
class Front:
    def __init__(self, drawer):
        self.drawer = drawer.options(stream=True)

    @front.post("/draw")
    async def draw(self, picture: Picture):
        wanted = picture.model_dump()
        if wanted["seed"] < 0:  # drawn here: a request that is tried again draws the same picture
            wanted["seed"] = random.getrandbits(32)
        events = self.events(wanted)
        try:
            first = await anext(events)
        except BackPressureError:
            raise HTTPException(503, "too many requests wait; try again in a second", {"Retry-After": "1"}) from None

        async def lines():
            yield json.dumps(first) + "\n"
            async for event in events:
                yield json.dumps(event) + "\n"

        return StreamingResponse(lines(), media_type="application/x-ndjson")

    async def events(self, picture):
        for left in reversed(range(TRIES)):
            stream = self.drawer.draw.remote(picture)
            try:
                async for event in stream:
                    yield event
                return
            except (ray.exceptions.RayActorError, WorkerLost):
                if left == 0:
                    yield {"event": "error", "error": f"the picture was lost with its replica {TRIES} times"}
                    return
                yield {"event": "retry"}
                await asyncio.sleep(0.2)
            finally:
                stream.cancel()  # of no effect where it has ended: tells the replica that the client has left

    @front.get("/health")
    async def health(self):
        return {"time": time.time()}


def build(args):
    """`device`: cpu, or cuda for a GPU for each replica. `queue`: requests that wait before others get a 503."""
    args = {"program": "inlay-sd", "replicas": 1, "device": "cpu", "threads": 1, "dtype": "fp32", "size": "512x512",
            "steps": 20, "batch": 4, "wait_s": 0.01, "queue": 256, **args}
    command = [os.path.abspath(args["program"]) if os.path.exists(args["program"]) else args["program"]]
    for option in ("device", "threads", "dtype", "size", "steps"):
        command += [f"--{option}", str(args[option])]
    command += ["--model", os.path.abspath(args["model"])]
    gpu = args["device"] != "cpu"
    batch = int(args["batch"])
    drawer = Drawer.options(
        num_replicas=int(args["replicas"]), max_ongoing_requests=2 * batch, max_queued_requests=int(args["queue"]),
        ray_actor_options={"num_gpus": 1, "num_cpus": 1} if gpu else {"num_cpus": int(args["threads"])},
    ).bind(command, batch, float(args["wait_s"]))
    return Front.bind(drawer)
