"""The settings of many services in TOML, YAML, INI and JSON."""

NAMES = ["auth", "billing", "catalog", "chat", "export", "feed", "geo", "images", "jobs", "ledger", "mail", "metrics"]
NAMES += ["orders", "proxy", "quota", "reports", "search", "stock", "tax", "users"]
PORTS = [
    8080,
    8081,
    8082,
    8080,
    8083,
    8084,
    8085,
    8086,
    8087,
    8081,
    8088,
    9090,
    8089,
    8080,
    8091,
    8092,
    8093,
    8094,
    8095,
    8092,
]
HOST = "db-old.example.com"

TOML = """# {name}
[server]
port = {port} # public
level = "info"

[database]
host = "{host}"
port = 5432
replica = "analytics-{host}"
# before 2024: {host}
"""
YAML = """# {name}
database:
  host: {host}
  port: 5432
  url: "postgres://{name}@{host}:5432/{name}"
server:
  # port: 8080
  port: "{port}"
  level: info
"""
INI = """; {name}
[admin]
port=9999
[server]
port = {port}
level = info
[database]
host = {host}
fallback = {host}.backup.net
"""
JSON = """{{
  "server": {{ "port": {port}, "level": "info" }},
  "database": {{ "host": "{host}", "port": 5432 }},
  "allowed": ["{host}", "x{host}"]
}}
"""
FORMS = [("config.toml", TOML), ("config.yaml", YAML), ("config.ini", INI), ("settings.json", JSON)]
# Services whose settings must not be changed.
FROZEN = ["chat", "ledger", "users"]


def make(tree):
    for number, (name, port) in enumerate(zip(NAMES, PORTS)):
        file, form = FORMS[number % 4]
        text = form.format(name=name, port=port, host="db.example.com" if name == "geo" else HOST)
        newline = "\r\n" if name in ("catalog", "jobs", "stock") else "\n"
        mode = {"auth": 0o600, "mail": 0o640, "tax": 0o444}.get(name, 0o644)
        tree.write(f"services/{name}/{file}", text.replace("\n", newline), mode=mode)
        tree.write(f"services/{name}/README.md", f"# {name}\n\nTalks to `{HOST}`.\n")
        if name in FROZEN:
            tree.write(f"services/{name}/FROZEN", "Ask Anna before you change anything here.\n")
    tree.write("services/run.sh", f"#!/bin/sh\nping {HOST}\n", mode=0o755)
