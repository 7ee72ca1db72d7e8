#!/usr/bin/env python3
"""Makes the images and audio in files/ with the encoders and tag writers that other people use.

    python3 -m venv /tmp/venv && /tmp/venv/bin/pip install pillow pillow-heif av soundfile numpy mutagen
    /tmp/venv/bin/python tests/formats/make.py

The files are committed; the tests read them and compare with what is written here.
"""
import io
import pathlib
import subprocess

import av
import mutagen
import numpy
import pillow_heif
import soundfile
from mutagen.easymp4 import EasyMP4
from PIL import Image
from PIL.TiffImagePlugin import IFDRational, ImageFileDirectory_v2

FILES = pathlib.Path(__file__).parent / "files"
WIDTH, HEIGHT = 40, 30
TAGS = {"title": "Früh am Morgen", "artist": "Die Band", "album": "Erstes", "albumartist": "Diverse", "tracknumber": "3/12",
        "discnumber": "1/2", "date": "2024-05-12", "genre": "Folk"}


def main():
    FILES.mkdir(exist_ok=True)
    pillow_heif.register_heif_opener()
    images()
    for kind in ["mp3", "flac", "ogg", "opus", "m4a", "wav", "aiff"]:
        audio(kind)
    fragments()


def exif(orientation=6, offset="+02:00"):
    fields = Image.Exif()
    fields[0x010F] = "Nordlicht"
    fields[0x0110] = "N-1 Mark II"
    fields[0x0112] = orientation
    fields[0x0132] = "2025:01:01 00:00:00"
    camera = fields.get_ifd(0x8769)
    camera[0x9003] = "2024:05:12 23:30:05"
    camera[0x9004] = "2025:01:01 00:00:00"
    if offset:
        camera[0x9011] = offset
    camera[0xA434] = "NL 24-70mm F2.8"
    place = fields.get_ifd(0x8825)
    place[1], place[2] = "S", (IFDRational(33), IFDRational(51), IFDRational(2436, 100))
    place[3], place[4] = "E", (IFDRational(151), IFDRational(12), IFDRational(3516, 100))
    place[5], place[6] = b"\1", IFDRational(125, 10)
    return fields


def images():
    image = Image.new("RGB", (WIDTH, HEIGHT), (200, 30, 30))
    image.save(FILES / "camera.jpg", exif=exif(), quality=20)
    image.save(FILES / "old_camera.jpg", exif=exif(1, None), quality=20)
    image.save(FILES / "plain.jpg", quality=20)
    image.save(FILES / "camera.png", exif=exif())
    image.save(FILES / "camera.webp", exif=exif(), quality=20)
    image.save(FILES / "lossless.webp", lossless=True)
    image.save(FILES / "lossy.webp", quality=20)
    fields = ImageFileDirectory_v2()
    for tag, value in exif().items():
        fields[tag] = value
    for tag in (0x8769, 0x8825):
        fields[tag] = dict(exif().get_ifd(tag))
    image.convert("1").save(FILES / "camera.tif", tiffinfo=fields)
    image.save(FILES / "plain.bmp")
    image.save(FILES / "plain.gif")
    image.save(FILES / "camera.heic", exif=exif(), quality=20)
    image.save(FILES / "camera.avif", exif=exif(), quality=20)


def audio(kind):
    """A second of silence, which each encoder makes small."""
    rate = 48000 if kind == "opus" else 8000
    sound, path = io.BytesIO(), FILES / f"song.{kind}"
    samples = numpy.zeros((1, rate), dtype=numpy.int16)
    if kind == "ogg":
        soundfile.write(sound, samples[0], rate, format="OGG", subtype="VORBIS")
    else:
        encode(sound, kind, rate, samples)
    path.write_bytes(sound.getvalue())
    tag(path, kind)


def fragments():
    """Two seconds of silence as a recorder writes them, which does not know how long it will record."""
    sound = ["-f", "lavfi", "-i", "anullsrc=r=8000:cl=mono", "-t", "2", "-c:a", "aac", "-b:a", "8k"]
    form = ["-map_metadata", "-1", "-fflags", "+bitexact", "-movflags", "frag_keyframe+empty_moov", "-frag_duration", "500000"]
    path = FILES / "song.fragments.m4a"
    subprocess.run(["ffmpeg", "-v", "error", "-y", *sound, *form, "-f", "ipod", path], check=True)


def encode(sound, kind, rate, samples):
    codec = {"mp3": "libmp3lame", "flac": "flac", "opus": "libopus", "m4a": "aac", "wav": "pcm_s16le",
             "aiff": "pcm_s16be"}[kind]
    with av.open(sound, "w", format={"m4a": "ipod"}.get(kind, kind)) as container:
        container.metadata.clear()
        stream = container.add_stream(codec, rate=rate, layout="mono")
        if kind in ("mp3", "m4a"):
            stream.bit_rate = 8000
        frame = av.AudioFrame.from_ndarray(samples, format="s16", layout="mono")
        frame.sample_rate = rate
        for packet in stream.encode(frame):
            container.mux(packet)
        for packet in stream.encode(None):
            container.mux(packet)


def tag(path, kind):
    if kind == "mp3":
        tagged = mutagen.File(path, easy=True)
    elif kind == "m4a":
        tagged = EasyMP4(path)
    else:
        tagged = mutagen.File(path)
    if tagged.tags is None:
        tagged.add_tags()
    if kind in ("wav", "aiff"):
        frames = {"TIT2": "title", "TPE1": "artist", "TALB": "album", "TPE2": "albumartist", "TRCK": "tracknumber",
                  "TPOS": "discnumber", "TDRC": "date", "TCON": "genre"}
        for frame, name in frames.items():
            tagged.tags.add(getattr(mutagen.id3, frame)(encoding=3, text=TAGS[name]))
    else:
        tagged.tags.clear()
        for name, text in TAGS.items():
            tagged[name] = text
    # Room for later changes would only make the files larger.
    tagged.save(padding=lambda info: 0)


if __name__ == "__main__":
    main()
