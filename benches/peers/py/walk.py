"""Walks a folder with os.scandir and takes type, size and time of change of every entry."""
import os
import sys


def walk(folder):
    entries = size = newest = 0
    waiting = [folder]
    while waiting:
        with os.scandir(waiting.pop()) as found:
            for entry in found:
                status = entry.stat(follow_symlinks=False)
                entries += 1
                newest = max(newest, status.st_mtime_ns)
                if entry.is_dir(follow_symlinks=False):
                    waiting.append(entry.path)
                else:
                    size += status.st_size
    return entries, size


print(*walk(sys.argv[1]))
