// What the tests of our pages share beside harness.js: the sample, archives of odd pages, axe, a browser.
import { mkdirSync, mkdtempSync, readFileSync } from "node:fs";
import { createRequire } from "node:module";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { chromium } from "playwright-core";
import { build, writeArchive } from "./harness.js";

export const axe = readFileSync(createRequire(import.meta.url).resolve("axe-core/axe.min.js"), "utf8");
export const shots = `${build}/screenshots`;
mkdirSync(shots, { recursive: true });
export const samples = ["spring-2010", "autumn-2010", "spring-2011"].map((s) => `${build}/sample-${s}.warc.gz`);
export const launch = () => chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox"] });

// A page of 2010 with a style of three days before, whose image is of a day after, and one part that is missing;
// and a page that tries to be ours: its strings stand in titles, addresses and texts.
export const odd = () => {
	const path = join(mkdtempSync(join(tmpdir(), "winnow-odd-")), "odd.warc");
	writeArchive(path, [
		{ url: "http://parts.example/", time: "2010-03-10T12:00:00Z", body: "<!doctype html><title>Parts</title><link rel=stylesheet href=/s.css><img src=/gone.png alt=gone><p>One two three four five six seven" },
		{ url: "http://parts.example/s.css", time: "2010-03-07T12:00:00Z", type: "text/css", body: "body { background: url(/b.png) }" },
		{ url: "http://parts.example/b.png", time: "2010-03-11T12:00:00Z", type: "image/png", body: "not a picture" },
		{ url: "http://hostile.example/?a=%22%3E%3Cscript%3Edocument.title=1%3C/script%3E", time: "2010-01-01T00:00:00Z",
			body: `<!doctype html><title>"><script>document.title='owned'</script>&lt;/title&gt;&lt;img src=x onerror=alert(1)&gt;</title><p>hostile words \u202eevil ${"and more ".repeat(20)}` },
	]);
	return path;
};
