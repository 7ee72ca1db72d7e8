"""Failures of every tool, as a client receives them: each has its code and message in both halves of the answer.

    python failures.py URL

connects the older PyPI client to a server of server-sent events, such as `mcp-proxy` with `ns mcp` behind it.
"""

import asyncio
import json
import sys

PATHS = ["../outside", "no/such/entry", "docs", "docs/a.md/below"]


def value(name, schema, path):
    """A value of the type that a parameter has; parameters with paths get `path`."""
    if "enum" in schema:
        return schema["enum"][0]
    if name in ("path", "source", "destination", "dir"):
        return path
    return {"integer": 1, "number": 1, "boolean": False, "array": [path], "object": {}}.get(schema.get("type"), path)


def tries(schema):
    """Arguments with which a tool fails: the first with every tool, the others with tools that work on paths."""
    properties = schema.get("properties", {})
    required = {name: properties[name] for name in schema.get("required", [])}
    return [{"zzz": 1}] + [{name: value(name, schema, path) for name, schema in required.items()} for path in PATHS]


async def arrive(call, tools, names=None):
    """Calls the tools in ways that fail; `call` gives (is_error, structured, text). Returns the number of failures."""
    codes = {}
    for name, schema in tools:
        if names and name not in names:
            continue
        for number, arguments in enumerate(tries(schema)):
            failed, structured, text = await call(name, arguments)
            shown = f"{name} {arguments}: {text[:300]}"
            # A text has no structure and comes as it is.
            assert structured is None or json.loads(text) == structured, shown
            assert structured is not None or not failed, shown
            assert failed or number > 0, shown
            if failed:
                error = structured["error"]
                assert isinstance(error["code"], str) and isinstance(error["message"], str), shown
                codes.setdefault(error["code"], set()).add(name)
    assert len(codes["bad_args"]) == len(names or tools)
    for code in ["sandbox_violation", "not_found", "not_a_directory", "is_a_directory", "already_exists"]:
        assert codes.get(code), f"no tool failed with {code}"
    return sum(map(len, codes.values()))


async def main(url):
    from mcp import ClientSession
    from mcp.client.sse import sse_client

    async with sse_client(url) as (read, write), ClientSession(read, write) as session:
        await session.initialize()

        async def call(tool, arguments):
            result = await session.call_tool(tool, arguments)
            return result.isError, result.structuredContent, result.content[0].text

        tools = [(tool.name, tool.inputSchema) for tool in (await session.list_tools()).tools]
        assert len(tools) > 150, len(tools)
        print(f"{await arrive(call, tools)} failures of tools arrived")


if __name__ == "__main__":
    asyncio.run(main(sys.argv[1]))
