// The npm clients of both generations against `ns mcp`: `node typescript.mjs NS SANDBOX`, in the directory where they are
// installed. With a URL in place of NS, the server listens there, and its token is NS_MCP_TOKEN.
//
// Both clients validate structured content against the output schema of its tool, the older one also in failures. So
// each failure of each tool must arrive as what it is, and not as an error of the client.

import assert from "node:assert/strict";
import { rmSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { pathToFileURL } from "node:url";

const [ns, sandbox] = process.argv.slice(2);
const require = createRequire(`${process.cwd()}/`);
const load = (name) => import(pathToFileURL(require.resolve(name)));

const command = { command: ns, args: ["mcp", "--sandbox", sandbox, "--write", "--tools", "all"] };

const isUrl = ns.startsWith("http");
const headers = { Authorization: `Bearer ${process.env.NS_MCP_TOKEN}` };

function overHttp(Transport) {
  return new Transport(new URL(ns), { requestInit: { headers } });
}

async function older() {
  const { Client } = await load("@modelcontextprotocol/sdk/client/index.js");
  const { StdioClientTransport } = await load("@modelcontextprotocol/sdk/client/stdio.js");
  const { StreamableHTTPClientTransport } = await load("@modelcontextprotocol/sdk/client/streamableHttp.js");
  const client = new Client({ name: "typescript", version: "1" });
  await client.connect(isUrl ? overHttp(StreamableHTTPClientTransport) : new StdioClientTransport(command));
  return client;
}

async function newer() {
  const { Client, StreamableHTTPClientTransport } = await load("@modelcontextprotocol/client");
  const { StdioClientTransport } = await load("@modelcontextprotocol/client/stdio");
  const client = new Client({ name: "typescript", version: "2" });
  await client.connect(isUrl ? overHttp(StreamableHTTPClientTransport) : new StdioClientTransport(command));
  return client;
}

// A value of the type that a parameter has; `path` is for parameters with paths.
function value(name, schema, path) {
  if (schema.enum) return schema.enum[0];
  if (schema.pattern || /path|source|destination|^dir$/.test(name)) return path;
  switch (schema.type) {
    case "string": return path;
    case "integer": case "number": return 1;
    case "boolean": return false;
    case "array": return [path];
    case "object": return {};
    default: return path;
  }
}

function required(tool, path) {
  const { properties = {}, required = [] } = tool.inputSchema;
  return Object.fromEntries(required.map((name) => [name, value(name, properties[name], path)]));
}

async function failures(client) {
  const { tools } = await client.listTools();
  assert.ok(tools.length > 150, `${tools.length} tools`);
  const codes = new Map();
  for (const tool of tools) {
    const tries = [{ zzz: 1 }, required(tool, "../outside"), required(tool, "no/such/entry"), required(tool, "docs"), required(tool, "docs/a.md/below")];
    for (const args of tries) {
      const result = await client.callTool({ name: tool.name, arguments: args });
      const shown = `${tool.name} ${JSON.stringify(args)}: ${JSON.stringify(result).slice(0, 300)}`;
      const { structuredContent, content: [{ text }] } = result;
      // A text has no structure and comes as it is.
      if (structuredContent) assert.deepEqual(JSON.parse(text), structuredContent, shown);
      else assert.ok(!tool.outputSchema && !result.isError, shown);
      if (args === tries[0]) assert.ok(result.isError, shown);
      if (!result.isError) continue;
      const { code, message } = result.structuredContent.error;
      assert.ok(typeof code === "string" && typeof message === "string", shown);
      codes.set(code, (codes.get(code) ?? new Set()).add(tool.name));
    }
  }
  assert.equal(codes.get("bad_args").size, tools.length);
  for (const code of ["sandbox_violation", "not_found", "not_a_directory", "is_a_directory", "already_exists"]) {
    assert.ok(codes.get(code)?.size > 0, `no tool failed with ${code}`);
  }
  return [...codes.values()].reduce((sum, tools) => sum + tools.size, 0);
}

// An image and a sound as content of their own, whose data is in no text.
async function media(client) {
  const files = { "pixel.gif": ["image", "image/gif", GIF], "tone.wav": ["audio", "audio/wav", WAV] };
  for (const [path, [type, mimeType, data]] of Object.entries(files)) {
    writeFileSync(`${sandbox}/${path}`, Buffer.from(data, "base64"));
    const result = await client.callTool({ name: "read_media", arguments: { path } });
    assert.ok(!result.isError, JSON.stringify(result));
    assert.deepEqual(result.content.at(-1), { type, data, mimeType });
    assert.deepEqual(JSON.parse(result.content[0].text), result.structuredContent);
    assert.ok(!("data" in result.structuredContent));
    rmSync(`${sandbox}/${path}`);
  }
}

const GIF = "R0lGODlhAQABAPAAAP8AAAAAACH5BAAAAAAALAAAAAABAAEAAAICRAEAOw==";
const WAV = "UklGRigAAABXQVZFZm10IBAAAAABAAEAQB8AAEAfAAABAAgAZGF0YQQAAACAkIBw";

// Resources, completions and prompts, with the checks that the client makes of their forms.
async function extras(client) {
  const { resources } = await client.listResources();
  assert.ok(resources.length >= 6, `${resources.length} resources`);
  for (const { uri } of resources) {
    const [contents] = (await client.readResource({ uri })).contents;
    assert.equal(contents.uri, uri);
  }
  await assert.rejects(client.readResource({ uri: "file:///etc/passwd" }), /outside the sandbox/);
  const [{ uriTemplate }] = (await client.listResourceTemplates()).resourceTemplates;
  const asked = { ref: { type: "ref/resource", uri: uriTemplate }, argument: { name: "path", value: "src/" } };
  assert.deepEqual((await client.complete(asked)).completion.values, ["src/deep/", "src/main.rs"]);
  const { prompts } = await client.listPrompts();
  const { messages } = await client.getPrompt({ name: "inventory", arguments: { folder: "src" } });
  assert.match(messages[0].content.text, /--folder=src/);
  return resources.length + prompts.length;
}

for (const connect of [older, newer]) {
  const client = await connect();
  console.log(`${connect.name}: ${await extras(client)} resources and prompts`);
  console.log(`${connect.name}: ${await failures(client)} failures of tools arrived`);
  await media(client);
  await client.close();
}
