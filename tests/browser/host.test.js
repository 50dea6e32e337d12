// --replay-host: archived pages on a host of their own, with storage and cookies there, and still no way to winnow's pages or out.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { createServer } from "node:net";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostsAsked, outside, serve, whole, writeArchive } from "./harness.js";

const time = "2010-04-12T06:00:00Z", stamp = "20100412060000", live = "live.invalid";
const script = (code) => `<!doctype html><title>p</title><p id=p>page</p><script>${code}</script>`;
const far = (name) => `("https:"+["/","/"].join("")+"${name}.live"+".invalid"+"/x")`;
const pages = {
	"store": { headers: [["Set-Cookie", "visit=first; Path=/; Domain=.app.example; Expires=Wed, 14 Apr 2010 00:00:00 GMT"]], body: script(`localStorage.setItem("k","kept");document.cookie="made=here";window.done=new Promise((r)=>{const o=indexedDB.open("d");o.onsuccess=()=>r("stored");o.onerror=()=>r(String(o.error))})`) },
	"read": { body: script(`window.got={kept:localStorage.getItem("k"),cookie:document.cookie,origin:self.origin}`) },
	"attack": { body: script(`window.got=(async()=>{const tried={},ui="http:"+["/","/"].join("")+"winnow.localhost:"+location.port;
		try{parent.document.title="forged";tried.parent="in"}catch{tried.parent="refused"}
		const w=document.createElement("iframe");document.body.append(w); /* a window that no script of ours has touched */
		try{await w.contentWindow.fetch(ui+"/api/v1/collections",{credentials:"include"});tried.api="in"}catch{tried.api="refused"}
		try{await navigator.serviceWorker.register("/e/${stamp}js_/http://app.example/sw.js");tried.worker="in"}catch{tried.worker="refused"}
		try{const n=Object.getOwnPropertyDescriptor(Navigator.prototype,"serviceWorker");await n.get.call(navigator).register("/e/${stamp}js_/http://app.example/sw.js");tried.worker2="in"}catch{tried.worker2="refused"}
		const f=document.createElement("iframe");f.setAttributeNS(null,"src",ui+"/c/e");document.body.append(f);
		tried.frame=await new Promise((r)=>{f.onload=()=>{try{r(f.contentDocument&&f.contentDocument.body.textContent.includes("winnow")?"in":"refused")}catch{r("refused")}};setTimeout(()=>r("refused"),2000)});
		document.cookie="winnow=shadow; path=/";document.cookie="winnow=tossed; path=/; domain=winnow.localhost";
		tried.popup=window.open(ui+"/")?"in":"refused";
		return tried})()`) },
	"leaks": { body: script(`fetch(${far("fetch")}).catch(()=>0);new Image().src=${far("image")};try{new WebSocket("wss://socket.${live}/x")}catch{};const s=document.createElement("script");s.setAttributeNS(null,"src",${far("script")});document.body.append(s);
		document.documentElement.insertAdjacentHTML("beforeend","<link rel=stylesheet href="+${far("style")}+"><style>@font-face{font-family:z;src:url("+${far("font")}+")}p{font-family:z;background:url("+${far("background")}+")}</style><link rel=preconnect href="+${far("preconnect")}+"><link rel=dns-prefetch href="+${far("dns")}+"><video src="+${far("video")}+"></video><object data="+${far("object")}+"></object>");
		try{new Worker(URL.createObjectURL(new Blob(["fetch("+JSON.stringify(${far("worker")})+")"])))}catch{};window.open(${far("popup")})`) },
	"away": { body: script(`try{top.location=${far("top")}}catch{}`) }, // at the top a page may navigate itself, with an origin or without
};
const ui = "winnow.localhost", replay = "pages.winnow.localhost";
let s, scratch;
const framed = (name) => `${s.origin}/e/${stamp}/http://app.example/${name}`;
const ways = (hosts) => outside(hosts).filter((h) => !h.startsWith(`${ui} `) && !h.startsWith(`${replay} `));
const inside = (page) => page.frames().find((f) => f.url().includes("mp_/"));

before(async () => {
	scratch = mkdtempSync(join(tmpdir(), "winnow-host-"));
	const captures = Object.entries(pages).map(([name, p]) => ({ url: `http://app.example/${name}`, time, ...p }));
	captures.push({ url: "http://app.example/sw.js", time, type: "text/javascript", body: "self.onfetch=()=>{}" }, { url: "http://app.example/links", time, body: `<!doctype html><title>links</title><a id=a href=/read>read</a>` });
	writeArchive(join(scratch, "app.warc"), captures);
	// two names of one site: browsers that keep storage from frames of other sites let this one have its own
	const port = await new Promise((resolve) => {
		const probe = createServer().listen(0, "127.0.0.1", () => {
			const { port } = probe.address();
			probe.close(() => resolve(port));
		});
	});
	s = await serve({ e: [join(scratch, "app.warc")] }, ["--listen", `127.0.0.1:${port}`, "--public-url", `http://${ui}:${port}/`, "--replay-host", replay]);
});
after(() => {
	s?.stop();
	if (scratch) rmSync(scratch, { recursive: true, force: true });
});

test("pages keep storage and cookies at the host of their own, and winnow's are elsewhere", async () => {
	const { hosts, result } = await hostsAsked(async (browser) => {
		const context = await browser.newContext(), page = await context.newPage();
		await page.goto(s.start);
		await page.goto(framed("store"));
		await page.waitForLoadState("networkidle");
		const at = new URL(inside(page).url()), stored = await inside(page).evaluate(() => window.done);
		await page.goto(framed("read"));
		await page.waitForLoadState("networkidle");
		return { at: at.hostname, stored, ...(await inside(page).evaluate(() => window.got)), cookies: await context.cookies() };
	});
	assert.equal(result.at, replay);
	assert.equal(result.stored, "stored");
	assert.equal(result.kept, "kept");
	assert.match(result.cookie, /visit=first/);
	assert.equal(result.origin, s.origin.replace(ui, replay));
	assert.deepEqual(result.cookies.filter((c) => c.domain === ui).map((c) => c.name), ["winnow"]);
	assert.ok(result.cookies.filter((c) => c.domain !== ui && c.name === "visit").every((c) => c.path === `/e/${stamp}mp_/http://app.example/`), JSON.stringify(result.cookies));
	assert.deepEqual(ways(hosts), []);
});

test("a page with an origin reaches neither winnow's pages, its API, nor a service worker", async () => {
	const { result } = await hostsAsked(async (browser) => {
		const context = await browser.newContext(), page = await context.newPage();
		await page.goto(s.start);
		const before = (await context.cookies()).find((c) => c.name === "winnow").value;
		await page.goto(framed("attack"));
		const tried = await inside(page).evaluate(() => window.got);
		const title = await page.title(), cookie = (await context.cookies()).find((c) => c.name === "winnow" && c.domain === ui).value;
		await page.goto(`${s.origin}/c/e/rules/new?preset=journalist`);
		const saved = await page.evaluate(async () => (await fetch("/api/v1/collections/e/covers", { method: "POST", headers: { "Content-Type": "application/json" }, body: "{}" })).status);
		return { tried, title, same: cookie === before, windows: context.pages().length, saved };
	});
	assert.deepEqual(result.tried, { parent: "refused", api: "refused", worker: "refused", worker2: "refused", frame: "refused", popup: "refused" });
	assert.ok(!result.title.includes("forged") && result.same && result.windows === 1, JSON.stringify(result));
	assert.notEqual(result.saved, 401, "the cookie that was tossed beside ours takes the token away");
});

for (const [name, where] of [["leaks", "framed"], ["leaks", "at the top"], ["away", "framed"]])
	whole(`nothing leads out: ${name} ${where}`, async () => {
		const { hosts } = await hostsAsked(async (browser) => {
			const page = await (await browser.newContext()).newPage();
			await page.goto(where === "framed" ? framed(name) : `${s.origin}/e/${stamp}mp_/http://app.example/${name}`, { waitUntil: "commit" });
			await page.waitForLoadState("networkidle", { timeout: 5000 }).catch(() => 0);
			return page.url();
		});
		assert.deepEqual(ways(hosts), []);
	});

whole("a link leads to the frame page of its target, at winnow's host", async () => {
	const { result } = await hostsAsked(async (browser) => {
		const page = await (await browser.newContext()).newPage();
		await page.goto(framed("links"));
		await page.waitForLoadState("networkidle");
		await inside(page).click("#a");
		await page.waitForURL(framed("read"));
		await page.waitForLoadState("networkidle");
		return page.textContent(".banner");
	});
	assert.match(result, /app\.example\/read/);
});
