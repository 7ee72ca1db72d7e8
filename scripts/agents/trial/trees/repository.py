"""A repository of packages in JavaScript and crates in Rust, with what git ignores lying about."""

import json

PACKAGES = {
    # Package: declared dependencies, and the lines of its source that name modules.
    "api": (
        ["express", "left-pad", "zod", "@harbor/core"],
        ['import express from "express";', "import { z } from 'zod';", 'import { core } from "@harbor/core/http";'],
    ),
    "auth": (
        ["jsonwebtoken", "react", "react-dom"],
        ["const jwt = require('jsonwebtoken');", 'import { render } from "react-dom";'],
    ),
    "cli": (
        ["chalk", "commander", "@harbor/core"],
        ['// import chalk from "chalk" made the start slow', "const { program } = require('commander')"],
    ),
    "core": (["lodash", "uuid"], ['import get from "lodash/get";', "export { v4 } from 'uuid';"]),
    "mail": (["nodemailer", "mjml"], ['const transport = await import("nodemailer");', 'const text = "mjml";']),
    "queue": (["bullmq", "ioredis"], ['import {\n  Queue,\n  Worker,\n} from "bullmq";', 'import "ioredis";']),
    "report": (["pdfkit", "d3", "d3-scale"], ['import { scaleLinear } from "d3-scale";']),
    "ui": (["react", "clsx"], ['import React from "react";', 'export * from "./button";']),
}
AUTHORS = ["anna", "ben", "Chloé", "d.kim"]


def make(tree):
    tree.write(".gitignore", "node_modules/\n/target/\ndist/\n*.log\n!keep.log\n/generated/*\n!/generated/README.md\n")
    tree.write("package.json", '{\n  "name": "harbor",\n  "private": true,\n  "workspaces": ["packages/*"]\n}\n')
    tree.write("Cargo.toml", '[workspace]\nmembers = ["crates/*"]\nresolver = "2"\n')
    tree.write("README.md", "# Harbor 2.4.1\n\nTODO(anna): say how to install version 2.4.1.\n")
    packages(tree)
    crates(tree)
    ignored(tree)
    tree.write(".github/workflows/ci.yml", "# TODO(anna): cache\non: push\n# TODO(d.kim): macOS\n")
    tree.write("scripts/release.sh", "#!/bin/sh\n# TODO(ben): sign\nset -eu\n", mode=0o755)


def packages(tree):
    for number, (name, (dependencies, imports)) in enumerate(PACKAGES.items()):
        manifest = {
            "name": f"@harbor/{name}",
            "version": "3.0.0" if name == "queue" else "1.9.0" if name == "mail" else "2.4.1",
            "dependencies": {dependency: "^2.4.1" if number % 2 else "2.4.1" for dependency in dependencies},
            "devDependencies": {"vitest": "2.4.1", "typescript": "5.4.0"},
        }
        if name == "report":
            # The version of another thing stands before the package's own.
            manifest = {"engines": {"node": ">=18", "version": "2.4.1"}} | manifest
        indent = "\t" if name == "cli" else 4 if name == "core" else 2
        text = json.dumps(manifest, indent=indent, ensure_ascii=False) + ("" if name == "auth" else "\n")
        newline = "\r\n" if name == "ui" else "\n"
        tree.write(f"packages/{name}/package.json", text.replace("\n", newline))
        todos = "".join(f"// TODO({AUTHORS[(number + turn) % 4]}): part {turn}\n" for turn in range(number % 3 + 1))
        tree.write(f"packages/{name}/src/index.ts", "\n".join(imports) + f"\n{todos}export const name = '{name}';\n")
        tree.write(
            f"packages/{name}/test/index.test.ts", f'import {{ test }} from "vitest";\n// todo(anna): more {name}\n'
        )
    tree.write("packages/report/src/lib/chart.ts", "// d3 is nice\n/* TODO(ben): colours; TODO(ben): axes */\n")
    tree.write("packages/auth/src/session.js", "// TODO: nobody's\n// TODO(anna) without a colon\n")
    tree.write("packages/core/test/fixture/package.json", '{ "name": "fixture", "version": "2.4.1" }\n')
    tree.write("packages/ui/.gitignore", "snapshots/\n")
    tree.write("packages/ui/snapshots/button.ts", "// TODO(anna): snapshot\n")


def crates(tree):
    for number, name in enumerate(["engine", "store", "tools", "wire"]):
        dependencies = '[dependencies]\nserde = { version = "2.4.1", features = ["derive"] }\nrand = "2.4.1"\n'
        package = f'[package]\nname = "harbor-{name}"\nversion = "2.4.1" # as the others\nedition = "2021"\n'
        if name == "wire":
            package = f"# {name}\n[package]\nname = 'harbor-{name}'\nedition = '2021'\nversion   =   '2.4.1'\n"
        first, second = (dependencies, package) if name == "store" else (package, dependencies)
        table = '\n[dependencies.time]\nversion = "2.4.1"\n' if name == "tools" else ""
        tree.write(f"crates/{name}/Cargo.toml", f"{first}\n{second}{table}")
        body = "".join(f"    // TODO({AUTHORS[turn % 4]}): {turn}\n" for turn in range(number * 2))
        tree.write(f"crates/{name}/src/lib.rs", f"pub fn {name}() {{\n{body}}}\n")


def ignored(tree):
    for package in ("express", "left-pad", "react"):
        tree.write(f"node_modules/{package}/package.json", f'{{"name": "{package}", "version": "2.4.1"}}\n')
        tree.write(f"node_modules/{package}/index.js", "// TODO(anna): theirs\nmodule.exports = {};\n" * 5)
    tree.write("packages/cli/node_modules/chalk/package.json", '{"name": "chalk", "version": "2.4.1"}\n')
    tree.write("packages/cli/node_modules/chalk/index.js", "// TODO(ben): theirs\n")
    tree.write("packages/api/dist/index.js", "// TODO(d.kim): built\n")
    tree.write("target/debug/build.rs", "// TODO(ben): built\n")
    tree.write("crates/engine/target/notes.rs", "// TODO(ben): not the target of the root\n")
    tree.write("build.log", "TODO(anna): 1\n")
    tree.write("logs/keep.log", "TODO(Chloé): kept\n")
    tree.write("generated/schema.ts", "// TODO(anna): generated\n")
    tree.write("generated/README.md", "TODO(ben): say how this is made\n")
    tree.write("assets/logo.bin", b"\x00\x01TODO(anna)\x00\xff" * 3)
