#!/usr/bin/env python3
"""The PyPI client of either generation against `ns mcp`: `pypi.py NS`, run by the Python of its environment.
`pypi.py URL` is for a server that listens, with the token in NS_MCP_TOKEN; it must ask before `delete_file`.

The client validates every answer against its output schema by itself.
"""

import asyncio
import base64
import contextlib
import io
import json
import os
import sys
import tempfile
import wave

from PIL import Image

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True

import failures  # noqa: E402
import tree  # noqa: E402

PARTS = []


def check(what, holds):
    if not holds:
        raise AssertionError(what)
    PARTS.append(what)


async def work(call, tools):
    """Does the same with either client; `call` gives (is_error, structured, text)."""
    check("the tools in order", [tool.name for tool in tools][:3] == ["find", "list_dir", "read_file"])
    check("all of them", len(tools) == 17)
    reads = [
        ("list_dir", {"recursive": True}),
        ("find", {"path": "docs", "depth": 1}),
        ("find", {"path": "."}),
        ("find", {"type": "all", "depth": 1, "sort": "size"}),
        ("read_file", {"file_path": "src/deep/ünïcode.txt"}),
        ("find", {"dir": ".", "pattern": ["*.md", "!new"], "gitignore": True}),
        ("search_files", {"text": "needle"}),
        ("read_files", {"paths": ["long.txt", "docs/a.md"], "last_lines": 2}),
        ("language_guide", {}),
        ("history", {}),
    ]
    for tool, arguments in reads:
        failed, structured, text = await call(tool, arguments)
        # A text has no structure and comes as it is.
        is_text = tool in ("list_dir", "language_guide")
        check(f"{tool} {arguments}", not failed and structured == (None if is_text else json.loads(text)))
    schemas = [(tool.name, getattr(tool, "inputSchema", None) or tool.input_schema) for tool in tools]
    # The question about a deletion is asked below.
    schemas = [(name, schema) for name, schema in schemas if name != "delete_file"]
    check("every failure arrives", await failures.arrive(call, schemas) > len(schemas))
    changes = [
        ("create_directory", {"directory_path": "new"}),
        ("write_file", {"file_path": "new/a.txt", "content": "one"}),
        ("edit_file", {"file_path": "new/a.txt", "old_text": "one", "new_text": "two"}),
        ("copy_file", {"source_path": "new/a.txt", "destination_path": "new/b.txt"}),
        ("move_file", {"source": "new/b.txt", "destination": "new/c.txt"}),
    ]
    for tool, arguments in changes:
        failed, structured, _ = await call(tool, arguments)
        check(f"{tool}: {structured}", not failed)
    script = 'SET file = FS.ReadFile("new/a.txt")\nEMIT file.content\nRETURN {"lines": file.lineCount}'
    failed, structured, _ = await call("run_script", {"script": script})
    check("a script", not failed and structured["output"] == "two\n" and structured["value"] == {"lines": 1})
    failed, structured, _ = await call("run_script", {"script": "EMIT lenght(1)"})
    check("a mistake in a script", failed and structured["error"]["line"] == 1)
    failed, structured, _ = await call("delete_file", {"path": "new", "recursive": True})
    check("a deletion that a person allowed", not failed)
    failed, structured, _ = await call("undo", {})
    check("what was deleted is there again", not failed)
    failed, structured, _ = await call("read_file", {"file_path": "new/c.txt"})
    check("with its content", not failed and structured["content"] == "two")


async def see(content):
    """Reads an image and a sound; `content` gives (structured, blocks) of a call."""
    structured, blocks = await content("read_media", {"path": "photo.png", "max_side": 64})
    block = blocks[-1].model_dump(by_alias=True)
    check("an image", (block["type"], block["mimeType"]) == ("image", "image/png"))
    with Image.open(io.BytesIO(base64.b64decode(block["data"]))) as image:
        check("its size", image.size == (64, 32) == (structured["width"], structured["height"]))
        red, green, _ = image.convert("RGB").getpixel((48, 24))
        check("its pixels", abs(red - 192) < 8 and abs(green - 96) < 8)
    check("the data comes once", "data" not in structured and block["data"] not in blocks[0].text)
    structured, blocks = await content("read_media", {"path": "sound.wav"})
    block = blocks[-1].model_dump(by_alias=True)
    check("a sound", (block["type"], block["mimeType"]) == ("audio", "audio/wav"))
    with wave.open(io.BytesIO(base64.b64decode(block["data"]))) as sound:
        check("its samples", sound.readframes(8) == bytes(range(8)) and structured["width"] is None)


def make_media(place):
    """Writes an image and a sound."""
    image = Image.new("RGB", (256, 128))
    image.putdata([(x, y, 0) for y in range(128) for x in range(256)])
    image.save(f"{place}/photo.png")
    with wave.open(f"{place}/sound.wav", "wb") as sound:
        sound.setparams((1, 1, 8000, 0, "NONE", ""))
        sound.writeframes(bytes(range(8)))


async def extras(client, place):
    """Reads resources, completes paths and gets prompts with either client."""
    uri = f"file://{place}/"
    listed = [str(resource.uri) for resource in (await client.list_resources()).resources]
    check("resources in order", listed[:2] == [f"{uri}docs/a.md", f"{uri}docs/b.md"])
    for resource in listed:
        await client.read_resource(resource)
    unicode = next(resource for resource in listed if "deep" in resource)
    check("an encoded name", (await client.read_resource(unicode)).contents[0].text == "äöü€\n")
    for outside in ("file:///etc/passwd", f"{uri}none"):
        try:
            await client.read_resource(outside)
        except Exception as error:
            check(f"{outside} is refused", "outside the sandbox" in str(error) or "does not exist" in str(error))
        else:
            check(f"{outside} was read", False)
    templates = await client.list_resource_templates()
    template = getattr(templates, "resourceTemplates", None) or templates.resource_templates
    shown = getattr(template[0], "uriTemplate", None) or template[0].uri_template
    check("the template", shown == uri + "{+path}")
    prompts = [prompt.name for prompt in (await client.list_prompts()).prompts]
    check("prompts", len(prompts) > 30 and "inventory" in prompts)
    prompt = await client.get_prompt("inventory", {"folder": "docs"})
    check("a prompt", '["--folder=docs"]' in prompt.messages[0].content.text)
    return uri + "{+path}"


async def completes(client, types, template):
    reference = types.ResourceTemplateReference(type="ref/resource", uri=template)
    found = (await client.complete(reference, {"name": "path", "value": "docs/"})).completion
    check("a completion", found.values == ["docs/a.md", "docs/b.md"] and found.total == 2)


def is_url(command):
    return command[0].startswith("http")


def headers():
    return {"Authorization": f"Bearer {os.environ['NS_MCP_TOKEN']}"}


async def old(command):
    from mcp import ClientSession, StdioServerParameters, types
    from mcp.client.stdio import stdio_client
    from mcp.client.streamable_http import streamablehttp_client

    async def elicit(_, params):
        check("the question has the plan", "new/ (2 entries, 6 bytes)" in params.message)
        return types.ElicitResult(action="accept", content={"answer": "once"})

    place = None if is_url(command) else command[command.index("--sandbox") + 1]
    updates = asyncio.Queue()

    async def hear(message):
        if isinstance(message, types.ServerNotification):
            await updates.put(message.root)

    if is_url(command):
        streams = streamablehttp_client(command[0], headers=headers())
    else:
        streams = stdio_client(StdioServerParameters(command=command[0], args=command[1:]))
    async with streams as (read, write, *_):
        async with ClientSession(read, write, elicitation_callback=elicit, message_handler=hear) as session:
            hello = await session.initialize()
            check("the revision", hello.protocolVersion == "2025-11-25")

            async def call(tool, arguments):
                result = await session.call_tool(tool, arguments)
                return result.isError, result.structuredContent, result.content[0].text

            async def content(tool, arguments):
                result = await session.call_tool(tool, arguments)
                return result.structuredContent, result.content

            if place:
                template = await extras(session, place)
                await completes(session, types, template)
                await session.set_logging_level("warning")
                uri = f"file://{place}/docs/b.md"
                await session.subscribe_resource(uri)
                with open(f"{place}/docs/b.md", "a", encoding="utf-8") as file:
                    file.write(".")
                update = await asyncio.wait_for(updates.get(), 30)
                check("an update", str(update.params.uri) == uri)
                await session.unsubscribe_resource(uri)
            await work(call, (await session.list_tools()).tools)
            if place:
                await see(content)


async def new(command):
    from mcp import Client, StdioServerParameters, types

    async def elicit(_, params):
        check("the question has the plan", "new/ (2 entries, 6 bytes)" in params.message)
        return types.ElicitResult(action="accept", content={"answer": "once"})

    place = None if is_url(command) else command[command.index("--sandbox") + 1]
    async with contextlib.AsyncExitStack() as stack:
        if is_url(command):
            from mcp.client.streamable_http import create_mcp_http_client, streamable_http_client

            http = await stack.enter_async_context(create_mcp_http_client(headers=headers()))
            server = streamable_http_client(command[0], http_client=http)
        else:
            server = StdioServerParameters(command=command[0], args=command[1:])
        client = await stack.enter_async_context(Client(server, elicitation_callback=elicit))
        check("the revision", client.protocol_version == "2026-07-28")

        async def call(tool, arguments):
            result = await client.call_tool(tool, arguments)
            return result.is_error, result.structured_content, result.content[0].text

        async def content(tool, arguments):
            result = await client.call_tool(tool, arguments)
            return result.structured_content, result.content

        if place:
            template = await extras(client, place)
            await completes(client, types, template)
            uri = f"file://{place}/docs/b.md"
            async with client.listen(resource_subscriptions=[uri], resources_list_changed=True) as stream:
                with open(f"{place}/docs/b.md", "a", encoding="utf-8") as file:
                    file.write(".")
                update = await asyncio.wait_for(anext(aiter(stream)), 30)
                check(f"an update: {update}", uri in repr(update))
        await work(call, (await client.list_tools()).tools)
        if place:
            await see(content)


def main():
    with tempfile.TemporaryDirectory() as place:
        place = os.path.realpath(place)
        tree.make(place)
        command = [sys.argv[1]]
        with open(f"{place}/neuroscript.toml", "w", encoding="utf-8") as policy:
            policy.write('[tools]\nask = ["delete_file"]\n')
        make_media(place)
        if not is_url(command):
            command += ["mcp", "--sandbox", place, "--write", "--tools", "default,read_media"]
        try:
            from mcp import Client  # noqa: F401
        except ImportError:
            asyncio.run(old(command))
        else:
            asyncio.run(new(command))
    print(f"{len(PARTS)} passed, 0 failed")


if __name__ == "__main__":
    main()
