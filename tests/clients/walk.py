"""The walk that each Python client takes: list, call, hear of progress, cancel, lose its gem, and come back.

A driver gives `main` a function that connects one client; the adapter that it yields has `protocol`, `tools`, `call`
and `cancel`. What was seen is printed as one line of JSON at the end. In the middle of it the line `lose` is printed,
and the walk goes on when a line comes back: by then whoever runs it has ended the gem.
"""

import asyncio
import contextlib
import json
import sys

CODE = "execute_code"
TESTS = "list_failing_tests"


async def hold(client):
    """Arguments that name a gem which lasts: none in a session, which has one."""
    if client.protocol < "2026":
        return {}
    return {"gem": (await client.call("open_gem", {}))["structured"]["gem"]}


async def run(client, gem):
    """The value of the sum, answered by the client's gem."""
    return (await client.call(CODE, {"code": "3 + 4", **gem}))["text"]


async def walk(connect):
    seen = {}
    stack = contextlib.AsyncExitStack()
    client = await stack.enter_async_context(connect())
    seen["protocol"] = client.protocol
    seen["tools"] = await client.tools()
    gem = await hold(client)
    seen["text"] = await run(client, gem)
    seen["error"] = (await client.call(CODE, {"code": "1/0", **gem}))["error"]
    heard = []
    await client.call(TESTS, {"classNames": ["WalkTest"], **gem}, heard.append)
    seen["progress"] = heard
    await client.cancel(TESTS, {"classNames": ["WalkForEverTest"], **gem})
    # It is answered only once the tests that never end have been given up.
    seen["after"] = await run(client, gem)
    print("lose", flush=True)
    await asyncio.to_thread(sys.stdin.readline)
    try:
        seen["lost"] = await run(client, gem)
    except Exception as error:  # Each library has errors of its own.
        seen["lost"] = f"{type(error).__name__}: {error}"
    # A session that was lost may be an error again when it is left.
    with contextlib.suppress(Exception):
        await stack.aclose()
    async with connect() as client:
        seen["again"] = await run(client, await hold(client))
    return seen


def main(connect):
    print(json.dumps(asyncio.run(walk(connect))))
