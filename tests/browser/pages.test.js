// Every page of winnow in Chromium: wide and narrow, light and dark, with and without scripts.
// Claims: no console error, no axe violation, no sideways scrolling, every control reached by Tab with a visible focus.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { serve, short, whole } from "./harness.js";
import { axe, launch, odd, samples, shots } from "./setup.js";

let served, browser;

before(async () => {
	served = await serve({ sample: samples, odd: [odd()] });
	served.winnow("reduce", `${served.directory}/sample`, "--preset", "journalist", "--name", "first", "--quiet");
	served.winnow("reduce", `${served.directory}/sample`, "--preset", "exact", "--name", "second", "--quiet");
	browser = await launch();
});
after(async () => {
	await browser?.close();
	served?.stop();
});

const pages = {
	home: "/", overview: "/c/sample", urls: "/c/sample/urls", search: "/c/sample/search?q=library", collapsed: "/c/sample/search?q=library&cover=1",
	context: "/c/sample/search?q=library&view=kwic", "no-hits": "/c/sample/search?q=zeppelin", "bad-search": "/c/sample/search?q=%22open", studio: "/c/sample/rules/new",
	preset: "/c/sample/rules/new?preset=journalist", "bad-rule": "/c/sample/rules/new?rule=containment(a,b)%20%3E%3D%200.7%20and%20a.hostnme%20%3D%20b.host",
	rules: "/c/sample/rules", covers: "/c/sample/covers", cover: "/c/sample/covers/1", hidden: "/c/sample/covers/1/dropped", why: "/c/sample/covers/1/doc/3",
	"why-kept": "/c/sample/covers/1/doc/11", compare: "/c/sample/compare/1..2", diff: "/c/sample/diff/1..11", source: "/c/sample/diff/1..11?mode=source",
	sides: "/c/sample/diff/1..11?mode=rendered", calendar: "/sample/*/http://gazette.example/", day: "/sample/20100412*/http://gazette.example/",
	frame: "/sample/20101004060000/http://gazette.example/", parts: "/odd/20100310120000/http://parts.example/", hostile: "/c/odd/search?q=hostile",
	"not-archived": "/sample/*/http://nowhere.example/", jobs: "/jobs", help: "/help", api: "/api",
};
const answered = { "bad-search": 400, "not-archived": 404 }; // Chromium notes those as errors of its own
const ofEachKind = new Set(["home", "overview", "urls", "search", "preset", "bad-rule", "rules", "covers", "cover", "why", "compare", "diff", "calendar", "frame", "not-archived", "jobs", "help", "api"]);
const framed = new Set(["frame", "parts"]);

// What holds without looking at colours: done once a page and width.
const shape = async (page, name) => {
	const wide = await page.evaluate(() => document.documentElement.scrollWidth - innerWidth);
	assert.ok(wide <= 0, `${name}: ${wide} px too wide`);
	const small = await page.evaluate(() => [...document.querySelectorAll("button, summary, .button, header.top a, select, input:not([type=hidden])")]
		.map((e) => [e.outerHTML.slice(0, 80), e.getBoundingClientRect()]).filter(([, r]) => r.width && (r.height < 19.5 || r.width < 19.5)).map(([h]) => h));
	assert.deepEqual(small, [], `${name}: too small to hit`);
};

// By the debugger, not as a script of the page: its policy would refuse that.
const violations = async (page, rules) => {
	await page.evaluate(axe);
	const found = await page.evaluate((only) => globalThis.axe.run(document, { iframes: false, resultTypes: ["violations"], runOnly: only }), rules);
	return found.violations.map((v) => `${v.id}: ${v.nodes.map((n) => n.html).join(" | ")}`);
};
const everything = ["wcag2a", "wcag2aa", "wcag21a", "wcag21aa", "wcag22aa", "best-practice"];

for (const width of short ? [375] : [1200, 375])
	for (const scripts of short ? [true] : [true, false])
		test(`every page at ${width} px, light and dark, scripts ${scripts ? "on" : "off"}`, async (t) => {
			const context = await browser.newContext({ viewport: { width, height: 800 }, javaScriptEnabled: scripts, reducedMotion: "reduce" });
			const page = await context.newPage();
			let errors = [];
			page.on("console", (m) => m.type() === "error" && errors.push(m.text()));
			page.on("pageerror", (e) => errors.push(String(e)));
			await page.goto(served.start);
			for (const [name, path] of Object.entries(pages).filter(([name]) => !short || ofEachKind.has(name)))
				await t.test(name, async () => {
					errors = [];
					await page.emulateMedia({ colorScheme: "light" });
					const answer = await page.goto(served.origin + path);
					assert.equal(answer.status(), answered[name] ?? 200);
					for (const colorScheme of ["light", "dark"]) {
						await page.emulateMedia({ colorScheme });
						await page.screenshot({ path: `${shots}/${name}-${width}-${colorScheme}-${scripts ? "on" : "off"}.png`, fullPage: !framed.has(name) });
						// what is no matter of colours is looked at once
						if (scripts) assert.deepEqual(await violations(page, colorScheme === "light" ? everything : { type: "rule", values: ["color-contrast"] }), [], colorScheme);
					}
					if (scripts) await shape(page, name);
					if (!answered[name]) assert.deepEqual(errors, []);
				});
			await context.close();
		});

whole("every link and control of a page is reached by Tab, in view, with a focus that can be seen", async () => {
	const context = await browser.newContext({ viewport: { width: 1200, height: 800 } });
	const page = await context.newPage();
	await page.goto(served.start);
	for (const path of ["/c/sample", "/c/sample/rules/new?preset=journalist", "/c/sample/covers/1", "/sample/*/http://gazette.example/"]) {
		await page.goto(served.origin + path);
		const want = await page.evaluate(() => [...document.querySelectorAll("a[href], button, input:not([type=hidden]), select, textarea, summary")]
			.filter((e) => e.checkVisibility({ visibilityProperty: true }) && !e.closest("dialog") && (e.type !== "radio" || e.checked)).length);
		let seen = 0;
		await page.evaluate(() => document.activeElement.blur());
		for (let i = 0; i < want + 5; i++) {
			await page.keyboard.press("Tab");
			const now = await page.evaluate(() => {
				const e = document.activeElement;
				if (e === document.body || e.dataset.seen) return null;
				e.dataset.seen = "1";
				const r = e.getBoundingClientRect();
				return { outline: getComputedStyle(e).outlineStyle, inView: r.bottom > 0 && r.top < innerHeight, html: e.outerHTML.slice(0, 80) };
			});
			if (!now) continue;
			seen++;
			assert.notEqual(now.outline, "none", `${path}: ${now.html}`);
			assert.ok(now.inView, `${path}: ${now.html} is out of view`);
		}
		assert.ok(seen >= want, `${path}: ${seen} of ${want} reached`);
	}
	await context.close();
});

test("a concordance has its room on both sides of the words, and cards begin where they begin", async () => {
	const page = await browser.newPage({ viewport: { width: 1200, height: 800 } });
	await page.goto(`${served.origin}/c/sample/search?q=library&view=kwic`);
	const [left, word, right, day] = await page.evaluate(() => [...document.querySelectorAll(".kwic tbody tr:first-child td")].map((e) => e.getBoundingClientRect().width));
	assert.ok(left > 2 * word && right > 2 * word && day < word, `${[left, word, right, day]}`);
	await page.setViewportSize({ width: 375, height: 800 });
	await page.goto(`${served.origin}/`);
	assert.equal(await page.evaluate(() => new Set([...document.querySelectorAll("table.cards tbody tr:first-child td")].map((e) => getComputedStyle(e).paddingLeft)).size), 1);
	await page.close();
});

test("what the studio says of a rule is not cut off", async () => {
	const page = await browser.newPage({ viewport: { width: 375, height: 800 } });
	for (const query of ["", "?preset=journalist"]) {
		await page.goto(`${served.origin}/c/sample/rules/new${query}`);
		assert.ok(await page.$eval("#checked", (e) => e.scrollWidth <= e.clientWidth), query);
	}
	await page.close();
});

test("archived strings do nothing in our pages", async () => {
	const page = await browser.newPage();
	const asked = [];
	page.on("dialog", (d) => { asked.push(d.message()); d.dismiss(); });
	for (const path of ["/c/odd/search?q=hostile", "/c/odd/search?q=hostile&view=kwic", "/c/odd/urls", "/c/odd"]) {
		await page.goto(served.origin + path);
		assert.doesNotMatch(await page.title(), /owned|^1/);
		assert.equal(await page.locator("main script, main img").count(), 0, path);
	}
	assert.deepEqual(asked, []);
	await page.close();
});

test("the banner tells the span of a page's parts and what is missing", async () => {
	const page = await browser.newPage();
	await page.goto(`${served.origin}/odd/20100310120000/http://parts.example/`);
	const banner = await page.textContent(".banner");
	assert.match(banner, /2 parts span −3 d to \+24 h/);
	assert.match(banner, /1 is missing/);
	assert.match(banner, /capture 1 of 1/);
	await page.close();
});

test("every page has its forms for programs", async () => {
	const ask = async (path) => { const a = await fetch(served.origin + path); return [a.status, a.headers.get("content-type"), await a.text()]; };
	const objects = ["/c/sample.json", "/c/sample/rules/new.json?preset=exact", "/c/sample/covers/1.json", "/c/sample/covers/1/dropped.json", "/c/sample/covers/1/doc/3.json", "/c/sample/diff/1..11.json"];
	for (const path of objects) {
		const [status, type, text] = await ask(path);
		assert.equal(status, 200, path);
		assert.match(type, /application\/json/);
		const { data, meta, links } = JSON.parse(text);
		assert.ok(data && meta.version && links.self === path, path);
	}
	for (const path of ["/c/sample/covers", "/c/sample/covers/1", "/c/sample/urls", "/c/sample/rules", "/c/sample/search", "/c/sample/compare/1..2", "/jobs"]) {
		const query = path.endsWith("search") ? "?q=library" : "";
		const csv = await ask(`${path}.csv${query}`), lines = await ask(`${path}.jsonl${query}`), json = await ask(`${path}.json${query}`);
		assert.deepEqual([csv[0], lines[0], json[0]], [200, 200, 200], path);
		assert.match(csv[1], /text\/csv/);
		const head = csv[2].split("\r\n")[0].split(",");
		for (const line of lines[2].trim().split("\n").filter(Boolean)) assert.deepEqual(Object.keys(JSON.parse(line)), head, path);
		JSON.parse(json[2]);
	}
	const all = (await ask("/c/sample/covers/1.csv"))[2].trim().split("\r\n");
	assert.equal(all.length, 27, "every document of the cover, and the head");
});

whole("our scripts are at most 60 KB gzipped", async () => {
	const page = await browser.newPage();
	await page.goto(`${served.origin}/c/sample/rules/new`);
	const names = await page.evaluate(() => [...document.scripts].map((s) => s.src));
	assert.equal(names.length, 2);
	let sum = 0;
	for (const name of names) sum += (await (await fetch(name)).arrayBuffer()).byteLength; // as text, so no less than its gzip
	assert.ok(sum <= 60 * 1024, `${sum} bytes`);
	await page.close();
});
