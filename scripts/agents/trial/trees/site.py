"""The source of a site: pages with front matter in many states, and pictures that some of them show."""

PICTURES = [
    "logo.png",
    "dark-logo.png",
    "team photo.jpg",
    "Chart.svg",
    "chart.svg",
    "icons/ok.svg",
    "icons/no.svg",
    "icons/wait.svg",
    "2023/office.jpg",
    "2023/party.jpg",
    "cover.jpg",
    "old/cover.jpg",
    "map.webp",
    "größe.png",
    "banner.png",
    "banner.png.bak.png",
    "hero.avif",
]


def make(tree):
    for picture in PICTURES:
        tree.write(f"static/img/{picture}", f"\x89picture {picture}\n".encode("latin-1"))
    tree.write("static/css/main.css", "body { background: none }\n")
    pages(tree)
    odd_pages(tree)


def pages(tree):
    for number in range(24):
        year, month, day = 2021 + number % 5, number % 12 + 1, number % 27 + 1
        date = [f"{day:02}.{month:02}.{year}", f"{year}-{month:02}-{day:02}", f'"{day}.{month}.{year}"'][number % 3]
        draft = "draft: true\n" if number % 6 == 1 else "draft: false\n" if number % 4 == 2 else ""
        head = f"title: Page {number}\ndate: {date}\n{draft}tags: [a, b]\n"
        body = f"# Page {number}\n\nText of {day}.{month}.{year}.\n\ndate: 01.02.2003\n"
        text = f"---\n{head}---\n\n{body}{SHOWN.get(number, '')}"
        newline = "\r\n" if number % 8 == 3 else "\n"
        mode = 0o600 if number == 6 else 0o644
        folder = ["content", "content/blog", "content/docs/guide"][number % 3]
        tree.write(f"{folder}/page-{number:02}.md", text.replace("\n", newline), mode=mode)


SHOWN = {
    0: "![The logo](/img/logo.png)\n",
    2: '<img src="/img/team%20photo.jpg" alt="">\n',
    4: "![](../../static/img/icons/ok.svg)\n",
    5: "![Not dark-logo.png](/img/Chart.svg?v=2)\n",
    7: '![with a title](/img/2023/office.jpg "The office")\n',
    9: "![a](/img/icons/wait.svg) and ![b](/img/map.webp#part)\n",
    11: "![über](/img/gr%C3%B6%C3%9Fe.png)\n",
    13: "<img alt='x' src='/img/banner.png.bak.png'>\n",
}


def odd_pages(tree):
    tree.write("content/no-front-matter.md", "# None\n\n---\ndate: 03.05.2024\n---\n")
    tree.write("content/empty.md", "")
    tree.write("content/no-date.md", "---\ntitle: No date\ncover: /img/cover.jpg\n---\nText\n")
    tree.write("content/fine.md", "---\ntitle: Fine\ndate: 2024-05-03\ndraft: false\n---\n")
    head = "---\ntitle: Sample\nupdated: 01.01.2020\ndate: 31.12.2023 # approved\n---\n"
    tree.write("content/docs/sample.md", head + "\n```yaml\n---\ndate: 1.1.2020\n---\n```\n")
    tree.write("content/docs/notes.txt", "---\ndate: 1.1.2020\n---\n/img/hero.avif\n")
    tree.write("content/blog/rule.md", "---\ntitle: Ends\ndate: 5.6.2022\n---\ntext\n\n---\n\nmore")
