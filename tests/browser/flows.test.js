// Ways through winnow: a journalist's flow whole, by mouse and by keyboard; keys; the studio's two views.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { execFileSync } from "node:child_process";
import { mkdtempSync, readFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { build, serve, short, whole } from "./harness.js";
import { launch, samples, shots } from "./setup.js";

let served, browser;

before(async () => {
	served = await serve({ sample: samples.slice(0, 2) });
	browser = await launch();
});
after(async () => {
	await browser?.close();
	served?.stop();
});

const open = async (options = {}) => {
	const context = await browser.newContext(options);
	const page = await context.newPage();
	await page.goto(served.start);
	return page;
};

// Until the job's page tells its end; without scripts the page loads itself again.
const ended = async (page) => {
	await page.waitForURL(/\/jobs\/[^/]+/);
	await page.locator(".note.good a").waitFor({ timeout: 60000 });
};

for (const scripts of short ? [true] : [true, false])
	test(`from / to a computed cover with a preset in at most eight clicks, scripts ${scripts ? "on" : "off"}`, async () => {
		const page = await open({ javaScriptEnabled: scripts });
		let clicks = 0;
		const click = (what) => { clicks++; return page.click(what); };
		await click("main >> text=sample");
		await click("nav >> text=Rules");
		await click("main >> text=near-duplicate");
		await click("text=Compute the cover");
		await ended(page);
		await click(".note.good a");
		assert.match(await page.textContent("h1"), /^Cover \d+/);
		assert.match(await page.textContent("main"), /proven minimum/);
		assert.ok(clicks <= 8, `${clicks} clicks`);
		await page.context().close();
	});

test("the same by keyboard alone", async () => {
	const page = await open();
	const press = async (what) => {
		for (let i = 0; i < 120; i++) {
			await page.keyboard.press("Tab");
			if ((await page.evaluate(() => document.activeElement.querySelector("b")?.textContent ?? document.activeElement.textContent)).trim() === what) return page.keyboard.press("Enter");
		}
		assert.fail(`no Tab leads to ${what}`);
	};
	await press("sample");
	await page.waitForURL(/\/c\/sample$/);
	await press("Rules");
	await page.waitForURL(/rules\/new$/);
	await press("exact");
	await page.waitForURL(/preset=exact/);
	await press("Compute the cover");
	await ended(page);
	await press(await page.textContent(".note.good a"));
	await page.waitForURL(/covers\/\d+$/);
	await page.context().close();
});

test("flow of a journalist: search, set, preset, threshold, borderline diff, quota, compute, keep this one, take away", async () => {
	const page = await open();
	await page.goto(`${served.origin}/c/sample/search`);
	await page.fill("#q", "library");
	await page.fill("#from", "2010");
	await page.fill("#to", "2010-12");
	await page.click("form[role=search] >> text=Search");
	assert.match(await page.textContent("[role=status]"), /texts match/);
	await page.click("text=In context");
	assert.match(await page.textContent("table.kwic"), /library/i);
	await page.click("text=Make this my set");
	assert.match(await page.inputValue("#where"), /text ~ "library" and time >= 2010/);
	assert.match(await page.textContent("#preview"), /Keep/);
	const before = await page.textContent("#preview .facts");
	await page.fill("#at", "100");
	await page.waitForFunction((old) => document.querySelector("#preview .facts").textContent !== old, before);
	assert.match(await page.inputValue("#rule"), />= 1 and/);
	await page.click(".curve li:nth-child(3) a"); // back to 70 by the curve
	await page.waitForURL(/0\.7/);
	const diff = page.locator("#preview .covered a", { hasText: "diff" }).first();
	await diff.click();
	assert.match(await page.textContent("h1"), /What changed/);
	await page.goBack();
	await page.click("summary >> text=Which documents");
	if (!(await page.isVisible("#least"))) await page.click("summary >> text=Which documents");
	await page.fill("#least", "1");
	await page.fill("#per", "host,year");
	await page.fill("#name", "flow");
	await page.click("text=Compute the cover");
	await ended(page);
	await page.click(".note.good a");
	assert.match(await page.textContent("h1"), /flow/);
	assert.match(await page.textContent("main"), /At least 1 kept per host,year/);
	const kept = Number((await page.textContent(".pager >> text=/Kept: /")).replace(/\D/g, ""));
	await page.click("text=Hidden: ");
	await page.locator("button", { hasText: "keep this one" }).first().click();
	await ended(page);
	await page.click(".note.good a");
	assert.match(await page.textContent("main"), /1 documents were kept because somebody said so/);
	assert.ok(Number((await page.textContent(".pager >> text=/Kept: /")).replace(/\D/g, "")) >= kept);
	const [download] = await Promise.all([page.waitForEvent("download"), page.click("main >> text=CSV")]);
	assert.match(download.suggestedFilename(), /cover-\d+\.csv/);
	const [archive] = await Promise.all([page.waitForEvent("download"), page.click("button >> text=warc")]);
	assert.match(archive.suggestedFilename(), /cover-\d+\.warc\.gz/);
	assert.ok(JSON.parse(served.winnow("verify", await archive.path(), "--json")).records > 3);
	await page.click("text=Methods note");
	assert.match(await page.textContent("body"), /sha256|rule/i);
	await page.context().close();
});

whole("fields and text are two views of one rule; a wrong text keeps the last good preview", async () => {
	const page = await open();
	await page.goto(`${served.origin}/c/sample/rules/new?preset=journalist`);
	await page.fill("#rule", "jaccard(a, b) >= 0.85 and a.urlkey = b.urlkey and a.title = b.title");
	await page.waitForFunction(() => document.querySelector("#measure").value === "jaccard");
	assert.equal(await page.inputValue("#at"), "85");
	assert.equal(await page.inputValue("#more"), "a.title = b.title");
	assert.ok(await page.isChecked("input[name=same][value=url]"));
	assert.ok(!(await page.isChecked("input[name=order]")));
	await page.check("input[name=order]");
	await page.waitForFunction(() => document.querySelector("#rule").value.includes("a.time <= b.time"));
	assert.match(page.url(), /a\.time/, "the address has the rule");
	const good = await page.textContent("#preview");
	await page.fill("#rule", "containment(a, b) >= 0.7 and a.hostnme = b.host");
	await page.locator("#checked.bad").waitFor();
	assert.match(await page.textContent("#checked"), /host/);
	assert.equal(await page.textContent("#preview"), good);
	await page.fill("#rule", "a.host = b.host or jaccard(a, b) >= 0.9");
	await page.locator("#no-fields").waitFor({ state: "visible" });
	await page.context().close();
});

whole("a rule is saved in the collection, found again and forgotten, without scripts", async () => {
	const page = await open({ javaScriptEnabled: false });
	await page.goto(`${served.origin}/c/sample/rules/new?preset=exact`);
	await page.fill("#name", "my <rule>");
	await page.click("text=Save the rule");
	await page.waitForURL(/rules\/my%20%3Crule%3E/);
	assert.match(await page.inputValue("#rule"), /a\.content = b\.content/);
	await page.goto(`${served.origin}/c/sample/rules`);
	assert.match(await page.textContent("table"), /my <rule>/);
	await page.click("text=my <rule>");
	await page.click("text=Forget the saved rule");
	await page.goto(`${served.origin}/c/sample/rules`);
	assert.doesNotMatch(await page.textContent("main"), /my <rule>/);
	await page.context().close();
});

whole("keys: the sheet, pages, rows, changes; single keys can be turned off", async () => {
	const page = await open();
	await page.goto(`${served.origin}/c/sample`);
	await page.keyboard.press("?");
	assert.ok(await page.isVisible("#keys"));
	await page.keyboard.press("Escape");
	await page.keyboard.press("g");
	await page.keyboard.press("c");
	await page.waitForURL(/\/covers$/);
	await page.keyboard.press("g");
	await page.keyboard.press("s");
	await page.waitForURL(/\/search$/);
	await page.goto(`${served.origin}/c/sample/search?q=library`);
	await page.keyboard.press("j");
	await page.keyboard.press("j");
	assert.equal(await page.evaluate(() => [...document.querySelectorAll("ol.hits > li")].indexOf(document.activeElement)), 1);
	await page.keyboard.press("/");
	assert.equal(await page.evaluate(() => document.activeElement.id), "q");
	await page.goto(`${served.origin}/c/sample/diff/1..11`);
	await page.keyboard.press("n");
	assert.match(await page.evaluate(() => document.activeElement.tagName), /INS|DEL/);
	await page.keyboard.press("?");
	await page.uncheck("#keys-on");
	await page.keyboard.press("Escape");
	await page.keyboard.press("g");
	await page.keyboard.press("c");
	await page.waitForTimeout(100);
	assert.match(page.url(), /diff/);
	await page.keyboard.press("?");
	assert.ok(await page.isVisible("#keys"), "the sheet can still be opened, to turn them on again");
	await page.context().close();
});

whole("a cover is told to be stale when the collection moved on, and brought up to date by a job", async () => {
	const stale = await serve({ stale: samples.slice(0, 1) });
	stale.winnow("reduce", `${stale.directory}/stale`, "--preset", "exact", "--quiet");
	stale.winnow("ingest", `${stale.directory}/stale`, samples[1], "--quiet");
	const context = await browser.newContext({ javaScriptEnabled: false });
	const page = await context.newPage();
	await page.goto(stale.start);
	await page.goto(`${stale.origin}/c/stale/covers/1`);
	assert.match(await page.textContent(".note.bad"), /this cover is of revision/);
	await page.click("text=Compute it for the collection as it is now");
	await ended(page);
	await page.click(".note.good a");
	assert.equal(await page.locator(".note.bad").count(), 0);
	await context.close();
	stale.stop();
});

whole("nothing that changes anything is on the pages of a server that only reads", async () => {
	const read = await serve({ read: samples.slice(0, 1) }, ["--read-only"]);
	read.winnow("reduce", `${read.directory}/read`, "--preset", "exact", "--quiet");
	const page = await browser.newPage();
	for (const path of ["/", "/c/read", "/c/read/rules/new?preset=exact", "/c/read/covers/1", "/c/read/covers/1/dropped"]) {
		await page.goto(read.origin + path);
		assert.equal(await page.locator("form[method=post], button[formmethod=post]").count(), 0, path);
	}
	await page.close();
	read.stop();
});

// A server without a collection, with a folder of its own for what is uploaded.
const empty = async () => {
	const uploads = mkdtempSync(join(tmpdir(), "winnow-uploads-"));
	return { ...(await serve({}, ["--uploads", uploads])), uploads };
};

for (const scripts of [true, false])
	whole(`without a collection: one click makes the sample one, scripts ${scripts ? "on" : "off"}`, async () => {
		const own = await empty();
		const context = await browser.newContext({ javaScriptEnabled: scripts });
		const page = await context.newPage();
		await page.goto(own.start);
		assert.match(await page.textContent("h1"), /Read an archive/);
		await page.screenshot({ path: `${shots}/start-1200-light-${scripts ? "on" : "off"}.png`, fullPage: true });
		await page.click("text=Try the sample");
		await ended(page);
		await page.click(".note.good a");
		assert.match(await page.textContent("h1"), /sample/);
		await page.goto(`${own.origin}/c/sample/search?q=library`);
		assert.match(await page.textContent("[role=status]"), /match/);
		await context.close();
		own.stop();
	});

whole("without a collection: a dropped archive becomes one, with progress; so does a chosen one without scripts", async () => {
	const own = await empty();
	const context = await browser.newContext();
	const page = await context.newPage();
	await page.goto(own.start);
	await page.evaluate(async (bytes) => {
		const data = new DataTransfer();
		data.items.add(new File([new Uint8Array(bytes)], "dropped news.warc.gz"));
		document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
	}, [...readFileSync(samples[0])]);
	await ended(page);
	await page.click(".note.good a");
	assert.match(await page.textContent("h1"), /dropped ?news/);
	assert.match(await page.textContent(".facts"), /Captures\s*10/);
	await page.goto(own.start);
	await page.evaluate(() => {
		const data = new DataTransfer();
		data.items.add(new File(["this is no archive"], "notes.txt"));
		document.dispatchEvent(new DragEvent("drop", { dataTransfer: data, bubbles: true, cancelable: true }));
	});
	await page.locator(".sending", { hasText: "was not taken" }).waitFor();
	await context.close();
	const plain = await browser.newContext({ javaScriptEnabled: false });
	const form = await plain.newPage();
	await form.goto(own.start);
	await form.setInputFiles("#file", samples[1]);
	await form.fill("#name", "autumn");
	await form.click("text=Make it a collection");
	await ended(form);
	await form.click(".note.good a");
	assert.match(await form.textContent("h1"), /autumn/);
	await plain.close();
	own.stop();
});

whole("make demo ends by printing a URL where the sample can be explored", async () => {
	const said = execFileSync(new URL("../../tools/demo", import.meta.url).pathname, [build], { encoding: "utf8", stdio: ["ignore", "pipe", "inherit"] });
	const last = said.trim().split("\n").at(-1);
	const page = await browser.newPage();
	await page.goto(last.match(/^Explore the sample: (http:\S+)$/)[1]);
	await page.click("main >> text=demo");
	assert.match(await page.textContent(".facts"), /Captures\s*28/);
	await page.close();
	process.kill(Number(readFileSync(`${build}/demo.pid`, "utf8")));
});
