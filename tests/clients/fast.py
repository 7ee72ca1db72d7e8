#!/usr/bin/env python3
"""fastmcp against `ns mcp`: `fast.py NS`, run by the Python of its environment."""

import asyncio
import os
import sys
import tempfile

# Nothing is left behind in the repository.
sys.dont_write_bytecode = True

import tree  # noqa: E402


async def work(command, place):
    from fastmcp import Client
    from fastmcp.client.transports import StdioTransport
    from mcp.types import ResourceTemplateReference

    async with Client(StdioTransport(command=command[0], args=command[1:])) as client:
        resources = [str(resource.uri) for resource in await client.list_resources()]
        assert len(resources) == 6, resources
        for uri in resources:
            assert await client.read_resource(uri), uri
        text = (await client.read_resource(f"file://{place}/docs/a.md"))[0].text
        assert text == "# A\n\nneedle one\n", text
        try:
            await client.read_resource("file:///etc/passwd")
        except Exception as error:
            assert "outside the sandbox" in str(error), error
        else:
            raise AssertionError("a file outside was read")
        assert len(await client.list_resource_templates()) == 1
        reference = ResourceTemplateReference(type="ref/resource", uri=f"file://{place}/{{+path}}")
        completion = await client.complete(reference, {"name": "path", "value": "src/"})
        assert completion.values == ["src/deep/", "src/main.rs"], completion
        prompts = [prompt.name for prompt in await client.list_prompts()]
        assert len(prompts) > 30, prompts
        prompt = await client.get_prompt("inventory", {"folder": "docs"})
        assert "--folder=docs" in prompt.messages[0].content.text, prompt
        return len(resources) + len(prompts)


def main():
    with tempfile.TemporaryDirectory() as place:
        place = os.path.realpath(place)
        tree.make(place)
        print(f"{asyncio.run(work([sys.argv[1], 'mcp', '--sandbox', place], place))} resources and prompts arrived")


if __name__ == "__main__":
    main()
