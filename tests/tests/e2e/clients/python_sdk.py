"""Drives the server with the Python SDK: lists the tools, calls one, prints one line of JSON.

Usage: python_sdk.py URL MODE          MODE is the SDK's: auto or legacy
"""

import asyncio
import json
import sys

from mcp import Client


async def main(url: str, mode: str) -> None:
    async with Client(url, mode=mode) as client:
        tools = await client.list_tools()
        good = await client.call_tool("execute_code", {"code": "3 + 4"})
        bad = await client.call_tool("execute_code", {"code": "1/0"})
        answer = {
            "protocol": client.protocol_version,
            "tools": [tool.name for tool in tools.tools],
            "text": good.content[0].text,
            "error": bad.is_error,
        }
    print(json.dumps(answer))


asyncio.run(main(sys.argv[1], sys.argv[2]))
