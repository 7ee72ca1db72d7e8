"""The sizes of the files below a folder in sum, by extension."""
import os
import sys

groups = {}
total = 0
waiting = [sys.argv[1]]
while waiting:
    with os.scandir(waiting.pop()) as found:
        for entry in found:
            if entry.is_dir(follow_symlinks=False):
                waiting.append(entry.path)
                continue
            size = entry.stat(follow_symlinks=False).st_size
            ext = os.path.splitext(entry.name)[1][1:]
            groups[ext] = groups.get(ext, 0) + size
            total += size
print(len(groups), total, groups.get("so", 0))
