"""The walk with the Python SDK 1.x.

Usage: python_sdk_1.py URL
"""

import asyncio
import contextlib
import sys

from mcp import ClientSession, types
from mcp.client.streamable_http import streamablehttp_client

import walk


class Adapter:
    def __init__(self, session, protocol):
        self.session, self.protocol = session, protocol

    async def tools(self):
        return [tool.name for tool in (await self.session.list_tools()).tools]

    async def call(self, name, arguments, heard=None):
        async def progress(done, _total, _message):
            heard(done)

        result = await self.session.call_tool(name, arguments, progress_callback=progress if heard else None)
        return {"text": result.content[0].text, "error": result.isError, "structured": result.structuredContent}

    async def cancel(self, name, arguments):
        began = asyncio.Event()
        number = self.session._request_id  # This library cannot cancel, but its notifications can.
        call = asyncio.create_task(self.call(name, arguments, lambda _: began.set()))
        await began.wait()
        params = types.CancelledNotificationParams(requestId=number)
        notification = types.CancelledNotification(method="notifications/cancelled", params=params)
        await self.session.send_notification(types.ClientNotification(notification))
        call.cancel()


@contextlib.asynccontextmanager
async def connect():
    async with streamablehttp_client(sys.argv[1]) as (read, write, _), ClientSession(read, write) as session:
        initialized = await session.initialize()
        yield Adapter(session, initialized.protocolVersion)


walk.main(connect)
