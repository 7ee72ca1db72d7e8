// "Try it" in the book as mdBook makes it: `.ci/book` builds it and names its folder in BOOK.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { isLong, launch, serve, site } from "./support.mjs";

const folder = process.env.BOOK;

test("each script of the book has its link", { timeout: 600_000, skip: folder ? false : "only by .ci/book" }, async () => {
  const pages = JSON.parse(readFileSync(join(site, "blocks.json"), "utf8"));
  const names = Object.keys(pages).filter((name) => isLong || name.startsWith("cookbook/"));
  assert.ok(names.length > 4, names.join());
  const book = await serve({ "/": folder });
  const browser = await launch();
  try {
    for (const [name, width] of names.flatMap((name) => [[name, 1280], [name, 390]])) {
      const page = await browser.newPage({ viewport: { width, height: 800 } });
      const problems = [];
      page.on("pageerror", (error) => problems.push(String(error)));
      await page.goto(`${book.url}/${name}.html`);
      await page.waitForSelector("a.try-it", { timeout: 10_000 });
      const scripts = await page.$$eval("a.try-it", (links) =>
        links.map((link) => {
          const [, , encoded] = new URL(link.href).hash.slice(1).split(".");
          const bytes = Uint8Array.from(atob(encoded.replaceAll("-", "+").replaceAll("_", "/")), (char) => char.charCodeAt(0));
          return new TextDecoder().decode(bytes);
        }));
      assert.deepEqual(scripts, pages[name].map(({ script }) => script), name);
      const overflow = await page.evaluate(() => document.documentElement.scrollWidth - document.documentElement.clientWidth);
      assert.ok(overflow <= 0, `${name} is ${overflow} pixels wider than a window of ${width}`);
      assert.deepEqual(problems, [], name);
      if (width === 1280) {
        await page.click("a.try-it");
        await page.waitForSelector("html[data-ready]", { timeout: 60_000 });
        assert.equal(await page.inputValue("#script"), pages[name][0].script, name);
      }
      await page.close();
    }
  } finally {
    await browser.close();
    book.close();
  }
});
