"""Archives whose bytes depend on their contents alone: every file has one time, and root owns it."""
import gzip
import io
import tarfile
import time
import zipfile
from dataclasses import dataclass

#: Level of compression. The short form of `packaging/test` takes 1, since it only looks whether packages work.
level = 9


@dataclass(frozen=True)
class Entry:
    """A file in an archive."""
    name: str
    content: bytes
    mode: int = 0o644


def gzipped(content, epoch):
    """Returns the content compressed, with the given time and no file name in the head."""
    packed = io.BytesIO()
    with gzip.GzipFile(filename="", mode="wb", compresslevel=level, fileobj=packed, mtime=epoch) as file:
        file.write(content)
    return packed.getvalue()


def tar_gz(entries, epoch):
    """Returns a compressed archive of the entries, sorted. Directories follow from the names."""
    packed = io.BytesIO()
    with tarfile.open(fileobj=packed, mode="w", format=tarfile.GNU_FORMAT) as archive:
        for entry in sorted(entries, key=lambda entry: entry.name):
            info = tarfile.TarInfo(entry.name)
            info.size, info.mode, info.mtime = len(entry.content), entry.mode, epoch
            archive.addfile(info, io.BytesIO(entry.content))
    return gzipped(packed.getvalue(), epoch)


def zipped(entries, epoch):
    """Returns a zip archive of the entries, in their order."""
    packed = io.BytesIO()
    with zipfile.ZipFile(packed, "w", zipfile.ZIP_DEFLATED, compresslevel=level) as archive:
        for entry in entries:
            info = zipfile.ZipInfo(entry.name, time.gmtime(epoch)[:6])
            info.create_system, info.external_attr = 3, (0o100000 | entry.mode) << 16
            info.compress_type = zipfile.ZIP_DEFLATED
            archive.writestr(info, entry.content, compresslevel=level)
    return packed.getvalue()
