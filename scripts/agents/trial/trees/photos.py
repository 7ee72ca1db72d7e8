"""Photos with the names that cameras, telephones and people give, with copies among them."""

import random

NAMES = [
    "IMG_{0}{1}{2}_101112.jpg",
    "PXL_{0}{1}{2}_083000123.jpg",
    "{0}-{1}-{2} 10.11.12.jpg",
    "WhatsApp Image {0}-{1}-{2} at 18.00.00.jpeg",
    "Screenshot_{0}{1}{2}.PNG",
    "Ausflug Größe {0}-{1}-{2}.heic",
    "[best] {0}-{1}-{2} it's ☀.jpg",
    "-{0}{1}{2}-.jpg",
]
UNDATED = [
    "DSC_0042.JPG",
    "20240230_111111.jpg",
    "IMG_20241301_101112.jpg",
    "100% fun.jpg",
    "scan 1234.png",
    " 2024.jpg",
]


def make(tree):
    chance = random.Random(7)
    days = [(chance.randint(2021, 2025), chance.randint(1, 12), chance.randint(1, 28)) for _ in range(40)]
    for number, (year, month, day) in enumerate(days):
        name = NAMES[number % len(NAMES)].format(year, f"{month:02}", f"{day:02}")
        folder = ["camera", "camera/100CANON", "camera/old phone/DCIM"][number % 3]
        tree.write(f"{folder}/{name}", picture(chance, number))
    for number, name in enumerate(UNDATED):
        tree.write(f"camera/{name}", picture(chance, 100 + number))
    # Names that are there twice and three times, with other contents.
    for folder in ("camera/100CANON", "camera/old phone/DCIM", "camera"):
        tree.write(f"{folder}/IMG_20240503_120000.jpg", picture(chance, len(folder)))
    for folder in ("camera", "camera/100CANON"):
        tree.write(f"{folder}/2023-11-30 trip.to.sea.jpg", picture(chance, len(folder)))
    tree.write("camera/notes 2024-05-03.txt", "not a picture\n")
    tree.write("camera/IMG_20240503_120000.jpg.xmp", "<xmp/>\n")
    library(tree, chance)


def library(tree, chance):
    """Folders with copies under other names, and pictures that differ in the last byte alone."""
    contents = [picture(chance, number) for number in range(24)]
    for number, content in enumerate(contents):
        tree.write(f"library/{2020 + number % 4}/p{number:02}.jpg", content)
        if number % 3 == 0:
            tree.write(f"library/{2020 + (number + 1) % 4}/copy of p{number:02}.jpg", content)
        if number % 6 == 0:
            tree.write(f"library/Álbum/{number} (1).JPEG", content)
        if number % 5 == 1:
            tree.write(f"library/edited/p{number:02}.jpg", content[:-1] + bytes([content[-1] ^ 1]))
        if number % 4 == 0:
            tree.write(f"library/{2020 + number % 4}/p{number:02}.txt", "by anna\n")
    tree.write("library/Zoo/a.png", contents[1])
    tree.write("library/zoo/b.png", contents[1], mode=0o444)


def picture(chance, number):
    """Returns bytes of a random length that are no text."""
    return b"\xff\xd8\xff\xe0" + bytes([number % 256]) + chance.randbytes(chance.randint(300, 60_000)) + b"\xff\xd9"
