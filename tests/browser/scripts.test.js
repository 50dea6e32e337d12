// Pages that live by their scripts: what replay.js and the rewriting of scripts give them, and that location leads nowhere else.
import assert from "node:assert/strict";
import { mkdtempSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { after, before, test } from "node:test";
import { hostsAsked, outside, serve, writeArchive } from "./harness.js";

const time = "2010-01-01T00:00:00Z";
const stamp = "20100101000000";
const site = "http://app.example";
const dot = Buffer.from("GIF89a\x01\0\x01\0\0\0\0;", "latin1").toString("latin1");
const js = (path, body) => ({ url: site + path, time, type: "application/javascript", body });
const page = (path, body) => ({ url: site + path, time, body: `<!doctype html><title>${path}</title>${body}` });

// Each entry becomes R.name: a promise or a value.
const asked = {
	href: "location.href", host: "window.location.hostname", origin: "document.location.origin", text: "'' + self.location", same: "location === window.location && location === document.location",
	own: "(function (location) { return location.href })({ href: 'mine' })", key: "({ location: 3 }).location", self: "(function () { var self = { location: 4 }; self.location = 5; return self.location })()",
	cookie: "(document.cookie = 'a=b', document.cookie)", store: "(localStorage.setItem('x', '1'), localStorage.x)",
	fetch: "fetch('/data.json').then(r => r.json()).then(j => j.ok)", absolute: "fetch('//app.example/data.json').then(r => r.json()).then(j => j.ok)",
	built: "fetch(new URL('/data.json', location.href)).then(r => r.json()).then(j => j.ok)", busted: "fetch('data.json?_=' + Date.now()).then(r => r.json()).then(j => j.ok)",
	xhr: "new Promise(d => { const x = new XMLHttpRequest(); x.open('GET', '/data.json'); x.onload = () => d(x.responseText); x.send() })",
	script: "new Promise(d => { const s = document.createElement('script'); s.src = '/late.js'; s.onload = () => d(window.late); document.head.append(s) })",
	dynamic: "import('/m/mod.js').then(m => m.v)", computed: "import('/m/' + 'mod' + '.js').then(m => m.v)",
	message: "new Promise(d => { addEventListener('message', e => e.data === 'hello' && d(e.data)); window.postMessage('hello', 'http://app.example') })",
	worker: "new Promise(d => { new Worker('/w.js').onmessage = e => d(e.data) })", moduleWorker: "new Promise(d => { new Worker('/m/wm.js', { type: 'module' }).onmessage = e => d(e.data) })",
	markup: "new Promise(d => { const p = document.createElement('p'); p.innerHTML = '<img src=\"/dot.gif\" alt=\"a > b\">'; p.firstChild.onload = () => d('loaded'); document.body.append(p) })",
	pushed: "(history.pushState({}, '', '/pushed?x=1'), location.pathname + location.search)",
};
const wanted = {
	href: `${site}/`, host: "app.example", origin: site, text: `${site}/`, same: true, own: "mine", key: 3, self: 5, cookie: "a=b", store: "1",
	fetch: "yes", absolute: "yes", built: "yes", busted: "yes", xhr: '{"ok":"yes"}', script: "late", dynamic: "module", computed: "module", message: "hello",
	worker: `7 yes ${site}/w.js`, moduleWorker: "module yes", markup: "loaded", pushed: "/pushed?x=1", inline: "module", mapped: "library", below: "library", star: "module",
	written: "written", styled: ["/dot.gif", "/dot.gif"],
};

const home = page("/", `<link rel=stylesheet href=/one-line.css><p id=a></p><p id=b></p>
<script>window.R={};window.D=[]</script>
<script type=importmap>{"imports":{"lib":"/m/lib.js","below/":"http://app.example/m/"}}</script>
<script type=module>import {v} from "/m/mod.js"; import lib from "lib"; import below from "below/lib.js"; import * as all from "./m/star.js"; Object.assign(R, {inline: v, mapped: lib, below, star: all.v})</script>
<script>document.write('<script src="/written.js"><\\/script>')</script>
<script>addEventListener("load", async () => {${Object.entries(asked).map(([k, v]) => `try { R.${k} = await (${v}) } catch (e) { R.${k} = "failed: " + e }`).join(";\n")};
const url = (id) => getComputedStyle(document.getElementById(id)).backgroundImage.replace(/^.*app[.]example|"[)]$/g, ""); R.styled = [url("a"), url("b")]; window.ready = true })</script>`);

const goes = { assigned: "location = '/next'", href: "location.href = 'next'", window: "window.location = '//app.example/next'", replaced: "location.replace('/next')", part: "location.pathname = '/next'", top: "top.location = '/next'" };
const archive = [home, page("/next", "<p>next"), page("/buster", "<script>if (top !== self) top.location = self.location; if (top.location != location) top.location.href = location.href</script><p>shown"),
	...Object.entries(goes).map(([name, code]) => page(`/go-${name}`, `<script>${code}</script>`)), page("/handler", "<button onclick=\"location='/next'\">go</button>"),
	js("/late.js", "window.late='late'"), js("/written.js", "R.written='written'"), js("/m/mod.js", "export const v='module'"), js("/m/lib.js", "export default 'library'"), js("/m/star.js", "export*from'./mod.js'"),
	js("/w.js", "importScripts('/wi.js'); fetch('/data.json').then(r=>r.json()).then(j=>postMessage(self.Z+' '+j.ok+' '+location.href)).catch(e=>postMessage('failed '+e))"), js("/wi.js", "self.Z=7"),
	js("/m/wm.js", "import {v} from './mod.js'; fetch('/data.json').then(r=>r.json()).then(j=>postMessage(v+' '+j.ok))"),
	{ url: `${site}/data.json`, time, type: "application/json", body: '{"ok":"yes"}' }, { url: `${site}/dot.gif`, time, type: "image/gif", body: dot },
	{ url: `${site}/one-line.css`, time, type: "text/css", body: "#a{background:url(\"/dot.gif\")}#b{background:url('http://app.example/dot.gif')}" }];

// XML: a drawing with scripts and images of its own, a document with a style sheet, a presentation read as players read it.
archive.push({ url: `${site}/drawing.svg`, time, type: "image/svg+xml", body: `<?xml version="1.0"?><!DOCTYPE svg [<!ENTITY ns "http://www.w3.org/2000/svg">]><svg xmlns="&ns;" xmlns:x="http://www.w3.org/1999/xlink">
<style>svg { background: url(&quot;http://app.example/dot.gif&quot;) }</style><image x:href="http://app.example/dot.gif" width="1" height="1" onload="window.drawn = 1"/>
<script>addEventListener("load", async () => { const r = await fetch("/data.json"); window.R = { host: location.host, drawn: 1 &lt; 2 &amp;&amp; window.drawn, ok: (await r.json()).ok, background: getComputedStyle(document.documentElement).backgroundImage } })</script></svg>` },
{ url: `${site}/styled.xml`, time, type: "text/xml", body: '<?xml version="1.0"?><?xml-stylesheet type="text/css" href="http://app.example/one-line.css"?><r id="a">text</r>' },
{ url: `${site}/feed.xml`, time, type: "text/xml", body: '<?xml version="1.0"?><?xml-stylesheet type="text/xsl" href="/feed.xsl"?><rss><channel><title>seen</title></channel></rss>' }, { url: `${site}/feed.xsl`, time, type: "text/xsl", body: "<r/>" },
{ url: `${site}/film.mpd`, time, type: "application/dash+xml", body: "<MPD><Period><BaseURL>http://app.example/m/</BaseURL><SegmentTemplate initialization='/data.json' media='$Number$.js'/></Period></MPD>" }, js("/m/1.js", "segment"),
page("/player", `<script>(async () => {
const got = await fetch("/film.mpd"), mpd = new DOMParser().parseFromString(await got.text(), "text/xml"), base = new URL(mpd.querySelector("BaseURL").textContent, got.url), t = mpd.querySelector("SegmentTemplate");
const read = async (to) => { const r = await fetch(new URL(to, base)); return r.text() };
window.R = [await read(t.getAttribute("initialization")), await read(t.getAttribute("media").replace("$Number$", 1))] })()</script>`));

let server;
before(async () => {
	const path = join(mkdtempSync(join(tmpdir(), "winnow-scripts-")), "app.warc");
	writeArchive(path, archive);
	server = await serve({ e: [path] });
});
after(() => server?.stop());
const at = (path, mod = "mp_") => `${server.origin}/e/${stamp}${mod}/${site}${path}`;
const frameOf = (tab) => tab.frames().find((f) => f.url().includes("mp_"));

for (const [name, mod] of [["alone", "mp_"], ["framed", ""]])
	test(`scripts find what they look for, ${name}`, async () => {
		const { hosts, result } = await hostsAsked(async (browser) => {
			const tab = await browser.newPage();
			await tab.goto(at("/", mod));
			const frame = mod ? tab.mainFrame() : frameOf(tab);
			await frame.waitForFunction("window.ready");
			return frame.evaluate("R");
		});
		assert.deepEqual(result, wanted);
		assert.deepEqual(outside(hosts), []);
	});

test("scripts that go elsewhere stay in the archive", async () => {
	const { hosts } = await hostsAsked(async (browser) => {
		const tab = await browser.newPage();
		for (const name of Object.keys(goes)) {
			await tab.goto(at(`/go-${name}`), { waitUntil: "commit" });
			await tab.waitForURL(at("/next"));
		}
		await tab.goto(at("/handler"));
		await tab.click("button");
		await tab.waitForURL(at("/next"));
	});
	assert.deepEqual(outside(hosts), []);
});

test("a page that wants to be at the top is shown in its frame", async () => {
	await hostsAsked(async (browser) => {
		const tab = await browser.newPage();
		await tab.goto(at("/buster", ""));
		const frame = frameOf(tab);
		await frame.waitForSelector("p");
		assert.equal(tab.url(), at("/buster", ""));
		assert.equal(await frame.textContent("p"), "shown");
	});
});

for (const [name, path, got, want] of [["a drawing's scripts and images", "/drawing.svg", "R", (r, o) => assert.deepEqual(r, { host: "app.example", drawn: 1, ok: "yes", background: `url("${o}/e/${stamp}im_/${site}/dot.gif")` })],
	["the style sheet of a document", "/styled.xml", "getComputedStyle(document.documentElement).backgroundImage", (r, o) => assert.equal(r, `url("${o}/e/${stamp}im_/${site}/dot.gif")`)],
	["a feed whose transform would be refused is shown", "/feed.xml", "document.documentElement.textContent", (r) => assert.match(r, /seen/)],
	["a presentation in DASH", "/player", "R", (r) => assert.deepEqual(r, ['{"ok":"yes"}', "segment"])]])
	test(`XML leads into the archive: ${name}`, async () => {
		const { hosts, result } = await hostsAsked(async (browser) => {
			const tab = await browser.newPage();
			await tab.goto(at(path));
			await tab.waitForFunction(got === "R" ? "window.R" : "true");
			return tab.evaluate(got);
		});
		want(result, server.origin);
		assert.deepEqual(outside(hosts), []);
	});
