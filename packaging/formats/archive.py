"""The archive that `install.sh`, Homebrew and `cargo binstall` unpack."""
from . import project as facts
from .archives import Entry, tar_gz


def name(project, program):
    """Returns the name of the archive without its ending, which is also its only directory."""
    return f"{project.name}-{project.version}-{program.target}"


def build(project, program, documents):
    """Returns the name and the bytes of the archive."""
    folder = name(project, program)
    texts = [Entry(path, facts.read(path)) for path in ("README.md", "CHANGELOG.md", "LICENSE-MIT", "LICENSE-APACHE")]
    entries = [Entry("ns", program.content, 0o755), *texts, *documents]
    entries = [Entry(f"{folder}/{entry.name}", entry.content, entry.mode) for entry in entries]
    return f"{folder}.tar.gz", tar_gz(entries, project.epoch)
