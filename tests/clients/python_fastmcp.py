"""The walk with fastmcp.

Usage: python_fastmcp.py URL MODE      MODE is the library's: auto or legacy
"""

import asyncio
import contextlib
import sys

from fastmcp import Client

import walk


class Adapter:
    def __init__(self, client):
        self.client, self.protocol = client, client.session.protocol_version

    async def tools(self):
        return [tool.name for tool in await self.client.list_tools()]

    async def call(self, name, arguments, heard=None):
        async def progress(done, _total, _message):
            heard(done)

        result = await self.client.call_tool_mcp(name, arguments, progress_handler=progress if heard else None)
        return {"text": result.content[0].text, "error": result.is_error, "structured": result.structured_content}

    async def cancel(self, name, arguments):
        began = asyncio.Event()
        call = asyncio.create_task(self.call(name, arguments, lambda _: began.set()))
        await began.wait()
        call.cancel()


@contextlib.asynccontextmanager
async def connect():
    async with Client(sys.argv[1], mode=sys.argv[2]) as client:
        yield Adapter(client)


walk.main(connect)
