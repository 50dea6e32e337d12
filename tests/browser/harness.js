// What the browser tests share: archives written on the spot, a server on a free port, and Chromium with its net log.
import { execFileSync, spawn } from "node:child_process";
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { test } from "node:test";
import { chromium } from "playwright-core";

export const build = process.env.BUILD ?? new URL("../../build", import.meta.url).pathname;
const winnow = `${build}/winnow`;

// SHORT=1 (run --short) is what every change must pass: tests and rows marked `whole` belong to the whole run alone.
export const short = process.env.SHORT === "1";
export const whole = short ? () => {} : test;

// A WARC of responses: { url, time: "2010-01-02T03:04:05Z", status?, type?, headers?: [name, value][], body }.
export function writeArchive(path, captures) {
	const parts = [];
	for (const c of captures) {
		const headers = [["Content-Type", c.type ?? "text/html; charset=utf-8"], ...(c.headers ?? [])];
		const http = Buffer.from(`HTTP/1.1 ${c.status ?? 200} X\r\n${headers.map(([n, v]) => `${n}: ${v}\r\n`).join("")}\r\n${c.body ?? ""}`);
		parts.push(Buffer.from(`WARC/1.1\r\nWARC-Type: response\r\nWARC-Target-URI: ${c.url}\r\nWARC-Date: ${c.time}\r\nWARC-Record-ID: <urn:uuid:${crypto.randomUUID()}>\r\nContent-Type: application/http; msgtype=response\r\nContent-Length: ${http.length}\r\n\r\n`), http, Buffer.from("\r\n\r\n"));
	}
	writeFileSync(path, Buffer.concat(parts));
}

// Collections by name, each a list of archive files, served on a port of their own.
export async function serve(collections, options = []) {
	const directory = mkdtempSync(join(tmpdir(), "winnow-browser-"));
	for (const [name, files] of Object.entries(collections)) execFileSync(winnow, ["ingest", join(directory, name), ...files, "--quiet"]);
	const named = Object.keys(collections).map((name) => `${name}=${join(directory, name)}`);
	const process = spawn(winnow, ["serve", ...named, "--listen", "127.0.0.1:0", "--json", ...options], { stdio: ["ignore", "pipe", "ignore"] });
	const line = await new Promise((resolve, reject) => {
		process.stdout.once("data", (d) => resolve(String(d)));
		process.once("exit", (code) => reject(new Error(`winnow serve ended with ${code}`)));
	});
	const start = JSON.parse(line).url;
	return { directory, start, origin: new URL(start).origin, winnow: (...args) => execFileSync(winnow, args, { maxBuffer: 2 ** 30 }).toString(), stop() { process.kill(); rmSync(directory, { recursive: true, force: true }); } };
}

// Runs `visit(browser)` in a Chromium of its own and tells which hosts it asked for: requests, name look-ups and connections
// from Chromium's own log, so that prefetches and connections opened ahead, which no page event reports, are counted.
export async function hostsAsked(visit, args = []) {
	const directory = mkdtempSync(join(tmpdir(), "winnow-netlog-"));
	const log = join(directory, "net.json");
	const browser = await chromium.launch({ executablePath: "/usr/bin/chromium", args: ["--no-sandbox", `--log-net-log=${log}`, "--disable-background-networking", "--disable-component-update", "--disable-domain-reliability", ...args] });
	let result;
	try {
		result = await visit(browser);
	} finally {
		await browser.close();
	}
	const hosts = namesIn(readFileSync(log, "utf8"));
	rmSync(directory, { recursive: true, force: true });
	return { hosts, result };
}

// host -> "request" (something was asked of it), else "connection" (its name was looked up or a connection was opened)
function namesIn(text) {
	// a log whose writer was stopped lacks its closing brackets
	const log = (() => {
		try {
			return JSON.parse(text);
		} catch {
			return JSON.parse(`${text.replace(/,\s*$/, "")}]}`);
		}
	})();
	const hosts = new Map();
	const note = (host, how) => (how === "request" || !hosts.has(host)) && hosts.set(host, how);
	for (const { params, source } of log.events) {
		if (typeof params?.url === "string" && /^(https?|wss?|ftp):/.test(params.url)) note(new URL(params.url).hostname, source.type === log.constants.logSourceType.URL_REQUEST ? "request" : "connection");
		for (const name of [params?.host, params?.qname]) if (typeof name === "string") note(name.replace(/^\w+:\/\//, "").replace(/:\d+$/, "").replace(/\.$/, ""), "connection");
	}
	return hosts;
}

// Of what hostsAsked found, whatever is not this machine and none of Chromium's own errands.
const errands = new Set(["update.googleapis.com", "accounts.google.com", "content-autofill.googleapis.com", "clients2.google.com", "optimizationguide-pa.googleapis.com", "safebrowsing.googleapis.com", "android.clients.google.com", "redirector.gvt1.com"]);
export const outside = (hosts) => [...hosts].filter(([h]) => !/^(127\.0\.0\.1|localhost|\[::1\])$/.test(h) && !errands.has(h)).map(([h, how]) => `${h} (${how})`);
