# SPDX-License-Identifier: Apache-2.0
"""Load on app.py over loopback: requests at once, replicas that are killed, clients that leave, a full queue.

    python load_test.py --program inlay-sd --model tiny-sd

Prints a line a check; the exit status is 0 when all hold.
"""
import argparse
import asyncio
import base64
import glob
import json
import os
import signal
import sys
import time

import httpx
import ray
from ray import serve

sys.path.insert(0, os.path.dirname(os.path.abspath(__file__)))
import app  # noqa: E402

parser = argparse.ArgumentParser()
parser.add_argument("--program", required=True)
parser.add_argument("--model", required=True)
parser.add_argument("--requests", type=int, default=1000)
parser.add_argument("--at-once", type=int, default=64)
parser.add_argument("--port", type=int, default=8123)
args = parser.parse_args()
url = f"http://127.0.0.1:{args.port}"
failures = 0


def holds(what, true):
    global failures
    failures += not true
    print(("ok       " if true else "FAILED   ") + what, flush=True)


def processes(start):
    """Ids of processes whose command line begins so."""
    found = []
    for path in glob.glob("/proc/[0-9]*/cmdline"):
        try:
            with open(path, "rb") as file:
                if file.read().decode(errors="replace").replace("\0", " ").startswith(start):
                    found.append(int(path.split("/")[2]))
        except OSError:
            pass
    return found


async def request(client, seed, prompt="a red fox"):
    """Status, events and seconds."""
    start = time.perf_counter()
    events = []
    async with client.stream("POST", f"{url}/draw", json={"prompt": prompt, "seed": seed}) as response:
        if response.status_code != 200:
            return response.status_code, [json.loads(await response.aread())], time.perf_counter() - start
        async for line in response.aiter_lines():
            events.append(json.loads(line))
    return 200, events, time.perf_counter() - start


def drawn(result):
    status, events, _ = result
    return status == 200 and events[-1]["event"] == "done" and base64.b64decode(events[-1]["png"])[1:4] == b"PNG"


async def load(client, count, at_once, during=None):
    """`during(done)` runs beside the requests, with a function that says how many are done."""
    results = []
    seeds = iter(range(count))

    async def one_after_another():
        for seed in seeds:
            results.append((seed, await request(client, seed)))

    workers = [asyncio.create_task(one_after_another()) for _ in range(at_once)]
    if during:
        await during(lambda: len(results))
    await asyncio.gather(*workers)
    return dict(results)


def report(name, results, seconds):
    times = sorted(r[2] for r in results.values())
    together = [r[1][-1].get("together", 0) for r in results.values()]
    print(f"         {name}: {len(times)} requests in {seconds:.1f} s, {len(times) / seconds:.1f} a second, "
          f"p50 {times[len(times) // 2] * 1e3:.0f} ms, p99 {times[len(times) * 99 // 100] * 1e3:.0f} ms, "
          f"{sum(together) / len(together):.1f} drawn together", flush=True)


async def killing(done, count, start):
    """Kills the first process of a name when a third of the requests are done."""
    while done() < count // 3:
        await asyncio.sleep(0.01)
    os.kill(processes(start)[0], signal.SIGKILL)


async def checks():
    limits = httpx.Limits(max_connections=None)
    async with httpx.AsyncClient(timeout=120, limits=limits) as client:
        holds("health", (await client.get(f"{url}/health")).status_code == 200)
        holds("health of Serve", (await client.get(f"{url}/-/healthz")).status_code == 200)
        status, events, _ = await request(client, 5)
        holds("progress is streamed", [e["event"] for e in events] == ["progress"] * 4 + ["done"])
        holds("a wrong request is refused", (await client.post(f"{url}/draw", json={"seed": 1})).status_code == 422)

        start = time.perf_counter()
        quiet = await load(client, args.requests, args.at_once)
        report("load", quiet, time.perf_counter() - start)
        holds(f"{args.requests} requests, {args.at_once} at once, none is lost", all(map(drawn, quiet.values())))
        holds("one seed is one picture", quiet[5][1][-1]["png"] == events[-1]["png"])

        count = args.requests // 4
        for name, process in (("a replica", "ray::ServeReplica:default:Drawer"),
                              ("an inlay-sd", os.path.abspath(args.program))):
            start = time.perf_counter()
            results = await load(client, count, args.at_once, lambda done: killing(done, count, process))
            report(f"{name} is killed", results, time.perf_counter() - start)
            retried = sum(any(e["event"] == "retry" for e in r[1]) for r in results.values())
            print(f"         {retried} were tried again")
            ends = [r[1][-1] for r in results.values()]
            holds(f"{name} is killed: each request is drawn or has one sentence",
                  all(drawn(r) or "error" in r[1][-1] for r in results.values()) and len(ends) == count)
            holds(f"{name} is killed: all are drawn", all(map(drawn, results.values())))
            holds(f"{name} is killed: some were in the middle", retried > 0)
            holds(f"{name} is killed: the same pictures",
                  all(r[1][-1].get("png") == quiet[seed][1][-1]["png"] for seed, r in results.items()))

        many = await asyncio.gather(*(request(client, seed) for seed in range(200)))
        full = [r for r in many if r[0] == 503]
        holds(f"a full queue: {len(full)} of 200 at once have a 503, the others are drawn",
              len(full) > 0 and all(r[0] == 503 or drawn(r) for r in many))
        holds("a full queue: one sentence", all("try again" in r[1][0]["detail"] for r in full))

        async def leave(seed):
            async with client.stream("POST", f"{url}/draw", json={"prompt": "x", "seed": seed}) as response:
                async for _ in response.aiter_lines():
                    return
        await asyncio.gather(*(leave(seed) for seed in range(16)))
        holds("drawn after clients have left", drawn(await request(client, 5)))


ray.init(num_cpus=4, include_dashboard=False, log_to_driver=False, logging_level="ERROR",
         runtime_env={"env_vars": {"PYTHONPATH": os.path.dirname(os.path.abspath(__file__))}})
serve.start(http_options={"host": "127.0.0.1", "port": args.port})
serve.run(app.build({"program": args.program, "model": args.model, "replicas": 2, "size": "64x64", "steps": 4,
                     "queue": 96}))
try:
    asyncio.run(checks())
finally:
    serve.shutdown()
    ray.shutdown()
sys.exit(failures > 0)
