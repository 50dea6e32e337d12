// Real archives replayed in Chromium; tests/suites/45-replay gives them and what another reader (warcio) found in them.
// REPLAY is a JSON list of { name, files, urls: file with every target URI, captures: how many pages at most }.
// Claims: nothing is asked of another host, and what is missing is missing in the archive.
import { test } from "node:test";
import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { join } from "node:path";
import { hostsAsked, outside, serve } from "./harness.js";

// A generator of Park and Miller: the same seed, the same pages.
const seed = Number(process.env.SEED ?? 1);
function shuffled(list) {
	let state = (seed * 48271) % 2147483647;
	const out = [...list];
	for (let i = out.length - 1; i > 0; i--) {
		state = (state * 48271) % 2147483647;
		const j = state % (i + 1);
		[out[i], out[j]] = [out[j], out[i]];
	}
	return out;
}
// What two spellings of a URL have in common for an index: neither scheme nor www nor the end of a path tells pages apart.
const plain = (url) => {
	try {
		const u = new URL(url.trim().replace(/^<|>$/g, ""));
		return `${u.hostname.replace(/^www\d*\./, "")}${u.port ? `:${u.port}` : ""}${decodeURI(u.pathname).replace(/\/$/, "").toLowerCase()}${u.search.toLowerCase()}`;
	} catch {
		return url;
	}
};

for (const { name, files, urls, captures } of JSON.parse(process.env.REPLAY))
	test(`${name}: pages replayed with seed ${seed}`, { timeout: 1800000 }, async () => {
		const held = new Set(readFileSync(urls, "utf8").split("\n").map(plain));
		const s = await serve({ web: files });
		try {
			const rows = s.winnow("sql", join(s.directory, "web"), "select stamp, url from captures where mime in ('text/html', 'application/xhtml+xml') and status = 200 order by id", "--format", "jsonl").trim().split("\n").map((l) => JSON.parse(l));
			const pages = shuffled(rows).slice(0, captures);
			const missing = new Map(), broken = [];
			let asked = 0;
			const { hosts } = await hostsAsked(async (browser) => {
				const context = await browser.newContext();
				const page = await context.newPage();
				page.on("response", (answer) => {
					const target = /^\/web\/\d{1,14}[a-z]{2,3}_\/(.*)$/.exec(answer.url().slice(s.origin.length));
					if (!target) return;
					asked++;
					if (answer.headers()["x-winnow-error"]) missing.set(target[1], answer.status());
					else if (answer.status() >= 500 && !answer.headers()["memento-datetime"]) broken.push(`${answer.status()} ${answer.url()}`);
				});
				for (const { stamp, url } of pages) {
					await page.goto(`${s.origin}/web/${stamp}/${url}`, { waitUntil: "commit" });
					await page.waitForLoadState("networkidle", { timeout: 10000 }).catch(() => 0); // pages with timers never rest
				}
			});
			const lost = [...missing].filter(([url]) => held.has(plain(url))).map(([url, status]) => `${status} ${url}`);
			console.log(`${name}: ${pages.length} of ${rows.length} pages, ${asked} requests, ${missing.size} URLs not archived, ${lost.length} of them in the archive, ${outside(hosts).length} hosts outside`);
			assert.deepEqual({ strangers: outside(hosts), lost, broken }, { strangers: [], lost: [], broken: [] });
			assert.ok(pages.length > 0 && asked >= pages.length);
		} finally {
			s.stop();
		}
	});
