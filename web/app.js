// What scripts add to winnow's pages; every page works without them.
const root = document.documentElement;
const $ = (selector) => document.querySelector(selector);
const remembered = (key) => { try { return localStorage.getItem(key); } catch { return null; } };
const remember = (key, value) => { try { localStorage.setItem(key, value); } catch { /* private window: for this page only */ } };

// Light or dark, remembered in this browser.
if (remembered("theme")) root.dataset.theme = remembered("theme");
const theme = $("#theme");
if (theme) {
	theme.hidden = false;
	theme.addEventListener("click", () => {
		const now = root.dataset.theme ?? (matchMedia("(prefers-color-scheme: dark)").matches ? "dark" : "light");
		root.dataset.theme = now === "dark" ? "light" : "dark";
		remember("theme", root.dataset.theme);
	});
}

// Times are UTC; the reader's own stand in the tooltip.
for (const t of document.querySelectorAll("time[datetime]")) {
	const at = new Date(t.dateTime);
	if (!Number.isNaN(at.valueOf())) t.title = at.toLocaleString(undefined, { dateStyle: "full", timeStyle: "long" });
}

// On a phone the facets of a search would stand between the reader and what was found.
if (matchMedia("(max-width: 46rem)").matches) for (const d of document.querySelectorAll(".with-side aside details[open]")) d.open = false;

// Single keys, which can be turned off: ? shows them.
const sheet = $("#keys"), on = $("#keys-on"), help = $("#help");
if (sheet) {
	help.hidden = false;
	help.addEventListener("click", () => sheet.showModal());
	on.checked = remembered("keys") !== "off";
	on.addEventListener("change", () => remember("keys", on.checked ? "on" : "off"));
}
const typing = (t) => t.closest?.("input:not([type=checkbox]):not([type=radio]), textarea, select, [contenteditable]");
const follow = (rel) => $(`a[rel="${rel}"]`)?.click();
const go = (path) => [...document.querySelectorAll("header.top a")].find((a) => a.pathname.endsWith(path))?.click();
const pages = { s: "/search", r: "/rules/new", c: "/covers", j: "/jobs" };
const rows = () => [...document.querySelectorAll("ol.hits > li, table.cards tbody tr, .covered > li")];
const focusOn = (e) => { e.tabIndex = -1; e.focus(); e.scrollIntoView({ block: "nearest" }); };
const current = () => document.activeElement.closest("ol.hits > li, table.cards tbody tr, .covered > li");
const toRow = (by) => {
	const all = rows(), at = all.indexOf(current());
	const next = all[at < 0 ? (by > 0 ? 0 : all.length - 1) : at + by];
	if (next) focusOn(next);
};
let change = -1;
const toChange = (by) => {
	const all = [...document.querySelectorAll(".diff ins, .diff del")];
	if (!all.length) return;
	change = (change + by + all.length) % all.length;
	focusOn(all[change]);
};
const keys = {
	"/": () => $("input[type=search]")?.focus(), "[": () => follow("prev"), "]": () => follow("next"), n: () => toChange(1), p: () => toChange(-1),
	j: () => toRow(1), k: () => toRow(-1), d: () => (current() ?? document).querySelector("a[href*='/diff/']")?.click(),
	x: () => { const d = (current() ?? document).querySelector("details"); if (d) d.open = !d.open; },
};
let chord = false;
document.addEventListener("keydown", (e) => {
	if (e.ctrlKey || e.altKey || e.metaKey || typing(e.target) || sheet?.open) return;
	if (e.key === "?") { sheet?.showModal(); e.preventDefault(); return; }
	if (!on?.checked) return;
	const act = chord ? (e.key === "o" ? () => $("header.top .coll")?.click() : pages[e.key] && (() => go(pages[e.key]))) : keys[e.key];
	chord = !chord && e.key === "g";
	if (!act) return;
	act();
	e.preventDefault();
});

// The banner speaks of the capture in the address alone: when the frame loads a second page, its facts no longer hold.
const frame = $("iframe.replay");
if (frame) {
	let loads = 0;
	frame.addEventListener("load", () => {
		if (++loads < 2) return;
		for (const e of document.querySelectorAll("[data-capture]")) e.hidden = true;
		$("#moved").hidden = false;
	});
}

// What is being counted or computed elsewhere is asked for again.
const later = $("[data-again]");
if (later) setTimeout(() => location.reload(), 1000 * Number(later.dataset.again));

// A job's progress, by events or else by asking; speaks at quarters only.
const job = $("[data-job]");
if (job) {
	const bar = job.querySelector("progress"), line = job.querySelector(".now"), left = job.querySelector(".left"), spoken = job.querySelector("[role=status]");
	let quarter = -1, title = document.title;
	const span = (s) => (s < 100 ? `${Math.round(s)} s` : s < 6000 ? `${Math.round(s / 60)} min` : `${(s / 3600).toFixed(1)} h`);
	const show = (data) => {
		if (!["queued", "running", "paused"].includes(data.state)) { location.reload(); return false; }
		const phase = data.phases.at(-1);
		if (!phase) return true;
		const share = phase.total ? phase.done / phase.total : 0;
		line.textContent = `${phase.id}: ${phase.done.toLocaleString("en")}${phase.total ? ` of ${phase.total.toLocaleString("en")}` : ""} ${phase.unit}`;
		left.textContent = data.eta ? `About ${span(data.eta.low_s)} to ${span(data.eta.high_s)} left, an estimate.` : "";
		if (phase.total) { bar.max = phase.total; bar.value = phase.done; } else bar.removeAttribute("value");
		if (Math.floor(share * 4) !== quarter) { quarter = Math.floor(share * 4); spoken.textContent = `${phase.id}, ${quarter * 25} percent`; }
		document.title = `${Math.round(share * 100)} % ${title}`;
		return true;
	};
	const ask = async () => {
		let wait = 1000;
		try {
			const answer = await fetch(job.dataset.job, { headers: { Accept: "application/json" } });
			if (!show((await answer.json()).data)) return;
		} catch {
			line.textContent = "The server does not answer; trying again.";
			wait = 5000;
		}
		setTimeout(ask, wait);
	};
	const events = new EventSource(job.dataset.events);
	for (const kind of ["progress", "phase", "done"]) events.addEventListener(kind, (e) => show(JSON.parse(e.data)));
	events.addEventListener("error", () => { // lost: asks instead, until the job has ended
		events.close();
		line.textContent = "Reconnecting.";
		ask();
	});
}

// Archives dropped on the page, or chosen: sent with progress, then the job that takes them in.
const upload = $("form.upload");
if (upload) {
	const said = upload.querySelector(".sending"), bar = upload.querySelector("progress"), zone = upload.closest(".drop, details");
	const send = (file) => {
		const name = upload.elements.name?.value, ask = new XMLHttpRequest();
		ask.open("POST", `${upload.dataset.upload}?file=${encodeURIComponent(file.name)}${name ? `&name=${encodeURIComponent(name)}` : ""}`);
		ask.setRequestHeader("Content-Type", "application/octet-stream");
		ask.upload.addEventListener("progress", (e) => {
			bar.hidden = false;
			if (e.lengthComputable) bar.value = e.loaded / e.total;
			said.textContent = `${file.name}: ${(e.loaded / 1e6).toFixed(1)} of ${(file.size / 1e6).toFixed(1)} MB sent`;
		});
		ask.addEventListener("load", () => {
			let answer = {};
			try { answer = JSON.parse(ask.responseText); } catch { /* not ours */ }
			if (answer.data) location.assign(upload.dataset.jobs + encodeURIComponent(answer.data.job));
			else { bar.hidden = true; said.textContent = `${file.name} was not taken: ${answer.detail ?? ask.statusText}`; }
		});
		ask.addEventListener("error", () => { bar.hidden = true; said.textContent = `${file.name} could not be sent; nothing was kept of it.`; });
		ask.send(file);
	};
	upload.querySelector(".drop-hint").hidden = false;
	upload.addEventListener("submit", (e) => { e.preventDefault(); if (upload.elements.file.files[0]) send(upload.elements.file.files[0]); });
	document.addEventListener("dragover", (e) => { e.preventDefault(); zone.classList.add("over"); });
	document.addEventListener("dragleave", (e) => { if (!e.relatedTarget) zone.classList.remove("over"); });
	document.addEventListener("drop", (e) => {
		e.preventDefault();
		zone.classList.remove("over");
		if (e.dataTransfer.files[0]) send(e.dataTransfer.files[0]);
	});
}
