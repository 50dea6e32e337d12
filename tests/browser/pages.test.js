// Every page of winnow in Chromium: wide and narrow, light and dark, with and without scripts.
// Claims: no console error, no axe violation, no sideways scrolling; and the way from / to a cover, by keyboard too.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { spawn, execFileSync } from "node:child_process";
import { mkdirSync, readFileSync, rmSync } from "node:fs";
import { createRequire } from "node:module";
import { chromium } from "playwright-core";

const build = process.env.BUILD ?? new URL("../../build", import.meta.url).pathname;
const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
const shots = `${build}/screenshots`;
let server, browser, start, base;

before(async () => {
	const coll = `${build}/browser-sample`;
	rmSync(coll, { recursive: true, force: true });
	mkdirSync(shots, { recursive: true });
	const samples = ["spring-2010", "autumn-2010", "spring-2011"].map((s) => `${build}/sample-${s}.warc.gz`);
	execFileSync(`${build}/winnow`, ["ingest", coll, ...samples, "--quiet"]);
	execFileSync(`${build}/winnow`, ["reduce", coll, "--preset", "journalist", "--name", "first", "--quiet"]);
	server = spawn(`${build}/winnow`, ["serve", `sample=${coll}`, "--listen", "127.0.0.1:0", "--json"], { stdio: ["ignore", "pipe", "ignore"] });
	const line = await new Promise((resolve) => server.stdout.once("data", (d) => resolve(String(d))));
	start = JSON.parse(line).url;
	base = new URL(start).origin;
	browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });
});
after(async () => {
	await browser?.close();
	server?.kill();
});

const pages = {
	home: "/", overview: "/c/sample", search: "/c/sample/search?q=library", collapsed: "/c/sample/search?q=library&cover=1", "no-hits": "/c/sample/search?q=zeppelin",
	"bad-search": "/c/sample/search?q=%22open", studio: "/c/sample/rules/new", preset: "/c/sample/rules/new?preset=journalist",
	"bad-rule": "/c/sample/rules/new?rule=containment(a,b)%20%3E%3D%200.7%20and%20a.hostnme%20%3D%20b.host", covers: "/c/sample/covers", cover: "/c/sample/covers/1",
	hidden: "/c/sample/covers/1/dropped", why: "/c/sample/covers/1/doc/3", diff: "/c/sample/diff/1..2", calendar: "/sample/*/http://gazette.example/",
	frame: "/sample/20101004060000/http://gazette.example/", "not-archived": "/sample/*/http://nowhere.example/", jobs: "/jobs",
};
const allowed = new Set(["bad-search", "not-archived"]); // answered 400 and 404: Chromium notes that as an error of its own

for (const [name, path] of Object.entries(pages))
	for (const width of [1200, 375])
		for (const colorScheme of ["light", "dark"])
			for (const scripts of [true, false])
				test(`${name} at ${width} px, ${colorScheme}, scripts ${scripts ? "on" : "off"}`, async () => {
					const context = await browser.newContext({ viewport: { width, height: 800 }, colorScheme, javaScriptEnabled: scripts, reducedMotion: "reduce" });
					const page = await context.newPage();
					const errors = [];
					page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
					page.on("pageerror", (e) => errors.push(String(e)));
					await page.goto(start);
					await page.goto(base + path);
					await page.screenshot({ path: `${shots}/${name}-${width}-${colorScheme}-${scripts ? "on" : "off"}.png`, fullPage: name !== "frame" });
					if (scripts) {
						const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
						assert.ok(wide <= 0, `${wide} px too wide`);
						// by the debugger, not as a script of the page: its policy would refuse that
						await page.evaluate(axe);
						const found = await page.evaluate(() => globalThis.axe.run(document, { iframes: false, runOnly: ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"] }));
						assert.deepEqual(found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ")}`), []);
					}
					if (!allowed.has(name)) assert.deepEqual(errors, []);
					await context.close();
				});

for (const scripts of [true, false])
	test(`from / to a cover with a preset in four clicks, scripts ${scripts ? "on" : "off"}`, async () => {
		const context = await browser.newContext({ javaScriptEnabled: scripts });
		const page = await context.newPage();
		await page.goto(start);
		await page.click("text=sample");
		await page.click("nav >> text=Rules");
		await page.click("main >> text=near-duplicate");
		await page.click("text=Compute the cover");
		await page.waitForURL(/\/jobs\/\d+/);
		for (let i = 0; i < 50 && !(await page.locator(".note.good a").count()); i++) {
			await page.waitForTimeout(100);
			if (!scripts) await page.reload();
		}
		await page.click(".note.good a");
		assert.match(await page.textContent("h1"), /^Cover \d+/);
		await context.close();
	});

test("the same by keyboard alone", async () => {
	const context = await browser.newContext();
	const page = await context.newPage();
	const press = async (what) => {
		for (let i = 0; i < 80; i++) {
			await page.keyboard.press("Tab");
			if ((await page.evaluate(() => document.activeElement.textContent)).trim() === what) return page.keyboard.press("Enter");
		}
		assert.fail(`no Tab leads to ${what}`);
	};
	await page.goto(start);
	await press("sample");
	await page.waitForURL(/\/c\/sample$/);
	await press("Rules");
	await page.waitForURL(/rules\/new$/);
	await press("exact");
	await page.waitForURL(/preset=exact/);
	await press("Compute the cover");
	await page.waitForURL(/\/jobs\/\d+/);
	await context.close();
});
