"""What MCP clients and their registry read."""
import glob
import json
import os
import re
import shutil
import zipfile

from formats import texts, tools
from .trial import contents, installed, needs, way


@way("mcpb", is_short=True)
def mcpb(trial):
    """Unpacks the bundle as a client does, and starts the server by its manifest."""
    with zipfile.ZipFile(trial.package("*.mcpb")) as packed:
        for info in packed.infolist():
            path = packed.extract(info, trial.within("bundle"))
            os.chmod(path, info.external_attr >> 16 & 0o777)
        manifest = json.loads(packed.read("manifest.json"))
    said = trial.use([trial.within("bundle", manifest["server"]["entry_point"])])
    for allowed in ("false", "true"):
        values = {"__dirname": trial.within("bundle"), "user_config.folder": trial.within("work"),
                  "user_config.write": allowed}
        config = manifest["server"]["mcp_config"]
        words = [re.sub(r"\$\{([^}]*)\}", lambda name: values[name[1]], word)
                 for word in [config["command"], *config["args"]]]
        trial.serve(words, None, trial.place, writes=allowed == "true")
    return said


@way("mcpb-check")
def mcpb_check(trial):
    needs("node")
    cli = installed("mcpb/node_modules/@anthropic-ai/mcpb/dist/cli/cli.js")
    trial.run(["node", cli, "unpack", trial.package("*.mcpb"), trial.within("bundle")])
    trial.run(["node", cli, "validate", trial.within("bundle/manifest.json")])
    trial.run([trial.within("bundle/server/ns"), "--version"])
    return "mcpb validates the manifest, and unpacks a program that starts"


@way("server.json")
def server_json(trial):
    shutil.copy(trial.file("server.json"), trial.place)
    said = trial.run([installed("checks/bin/skillsaw"), "lint", "--strict", trial.place])
    schema = json.loads(contents(glob.glob(os.path.join(
        tools.PLACE, "checks/lib/*/site-packages/skillsaw/schemas/mcp_registry/v2025_12_11/server.schema.json"))[0]))
    script = "import json, sys, jsonschema; s, d = map(json.loads, sys.argv[1:]); jsonschema.validate(d, s)"
    trial.run([installed("checks/bin/python"), "-c", script, json.dumps(schema), contents(trial.file("server.json"))])
    assert json.loads(contents(trial.file("server.json")))["$schema"] == texts.SCHEMA
    return f"validated only, by the schema of 2025-12-11 and skillsaw ({said.strip().splitlines()[-1]})"
