"""The facts that packages state about the project: from Cargo.toml and the last commit, and from nowhere else."""
import json
import os
import subprocess
from dataclasses import dataclass

ROOT = os.path.dirname(os.path.dirname(os.path.dirname(os.path.abspath(__file__))))


@dataclass(frozen=True)
class Project:
    """The project as packages describe it; the names are those of Cargo.toml."""
    name: str
    version: str
    description: str
    license: str
    author: str
    email: str
    homepage: str
    repository: str
    keywords: tuple
    npm_scope: str
    mcp_name: str
    binstall: dict
    #: Seconds since 1970 of the last commit, the time of every file in every package.
    epoch: int

    @property
    def release(self):
        """The address below which a release offers its files."""
        return f"{self.repository}/releases/download/v{self.version}"


def read_project():
    """Returns the project of this checkout."""
    words = ["cargo", "metadata", "--no-deps", "--format-version", "1"]
    metadata = json.loads(subprocess.check_output(words, cwd=ROOT))
    package = next(it for it in metadata["packages"] if it["manifest_path"] == os.path.join(ROOT, "Cargo.toml"))
    author, email = package["authors"][0].rstrip(">").split(" <")
    own = package["metadata"]["packaging"]
    return Project(
        name=package["name"], version=package["version"], description=package["description"],
        license=package["license"], author=author, email=email, homepage=package["homepage"],
        repository=package["repository"], keywords=tuple(package["keywords"]), npm_scope=own["npm-scope"],
        mcp_name=own["mcp-name"], binstall=package["metadata"]["binstall"], epoch=commit_time())


def commit_time():
    """Returns the time of the last commit in seconds since 1970."""
    words = ["git", "log", "-1", "--format=%ct"]
    asked = subprocess.run(words, cwd=ROOT, capture_output=True, text=True)
    if asked.returncode != 0 or not asked.stdout.strip():
        raise SystemExit("packaging/build: this is not a git checkout, from which the archive of the sources is made")
    return int(asked.stdout)


def read(path):
    """Returns the bytes of a file of the checkout."""
    with open(os.path.join(ROOT, path), "rb") as file:
        return file.read()


def template(path, /, **values):
    """Returns a file of `packaging/templates` in which each `@NAME@` is replaced by its value."""
    text = read(f"packaging/templates/{path}").decode()
    for key, value in values.items():
        text = text.replace(f"@{key.upper()}@", value)
    return text
