// What scripts add to winnow's pages; every page works without them.

// Light or dark, remembered in this browser.
const root = document.documentElement;
const stored = () => { try { return localStorage.getItem("theme"); } catch { return null; } };
const theme = document.getElementById("theme");
if (stored()) root.dataset.theme = stored();
if (theme) {
	theme.hidden = false;
	theme.addEventListener("click", () => {
		const dark = getComputedStyle(root).colorScheme === "dark" ||
			(!root.dataset.theme && matchMedia("(prefers-color-scheme: dark)").matches);
		root.dataset.theme = dark ? "light" : "dark";
		try { localStorage.setItem("theme", root.dataset.theme); } catch { /* private window: for this page only */ }
	});
}

// Single keys: / goes to the search field, [ and ] to the previous and next capture, n and p to changes.
const typing = (t) => t.closest("input, textarea, select, [contenteditable]");
const follow = (rel) => document.querySelector(`a[rel="${rel}"]`)?.click();
let change = -1;
const step = (by) => {
	const changes = [...document.querySelectorAll(".diff ins, .diff del")];
	if (!changes.length) return;
	change = (change + by + changes.length) % changes.length;
	changes[change].tabIndex = -1;
	changes[change].focus();
};
document.addEventListener("keydown", (e) => {
	if (e.ctrlKey || e.altKey || e.metaKey || typing(e.target)) return;
	const act = {
		"/": () => document.querySelector("input[type=search]")?.focus(), "[": () => follow("prev"), "]": () => follow("next"),
		"n": () => step(1), "p": () => step(-1),
	}[e.key];
	if (!act) return;
	act();
	e.preventDefault();
});

// The banner speaks of the capture in the address alone: when the frame loads a second page, its facts no longer hold.
const frame = document.querySelector("iframe.replay");
if (frame) {
	let loads = 0;
	frame.addEventListener("load", () => {
		if (++loads < 2) return;
		for (const e of document.querySelectorAll("[data-capture]")) e.hidden = true;
		document.getElementById("moved").hidden = false;
	});
}

// A job's progress: asks until it ends, then loads the page once more. Speaks at quarters only.
const job = document.querySelector("[data-job]");
if (job && job.dataset.state !== "done") {
	const bar = job.querySelector("progress"), line = job.querySelector(".now"), spoken = job.querySelector("[role=status]");
	let quarter = -1;
	const ask = async () => {
		try {
			const answer = await fetch(job.dataset.job, { headers: { Accept: "application/json" } });
			const { data } = await answer.json();
			if (!["queued", "running"].includes(data.state)) return location.reload();
			const phase = data.phases.at(-1);
			if (phase) {
				const share = phase.total ? phase.done / phase.total : 0;
				line.textContent = `${phase.id}: ${phase.done.toLocaleString("en")}` + (phase.total ? ` of ${phase.total.toLocaleString("en")}` : "") + ` ${phase.unit}`;
				if (phase.total) { bar.max = phase.total; bar.value = phase.done; }
				if (Math.floor(share * 4) !== quarter) { quarter = Math.floor(share * 4); spoken.textContent = `${phase.id}, ${quarter * 25} percent`; }
				document.title = `${Math.round(share * 100)}% ${phase.id} - winnow`;
			}
			setTimeout(ask, 500);
		} catch {
			line.textContent = "The server does not answer; trying again.";
			setTimeout(ask, 5000);
		}
	};
	ask();
}

// The studio: checks the text while it is written; what was last good stays on the page.
const studio = document.getElementById("rule");
if (studio?.dataset.check) {
	const said = document.getElementById("checked"), live = document.getElementById("live");
	let wait, running;
	studio.addEventListener("input", () => {
		clearTimeout(wait);
		wait = setTimeout(async () => {
			running?.abort();
			running = new AbortController();
			try {
				const answer = await fetch(studio.dataset.check + encodeURIComponent(studio.value), { signal: running.signal });
				const { data } = await answer.json();
				said.textContent = data.ok ? `Understood: ${data.rule}` : data.error;
				said.className = data.ok ? "note good" : "note bad";
				studio.setAttribute("aria-invalid", String(!data.ok));
				const { preview } = data;
				if (preview) live.textContent = `The text as it is now keeps ${preview.kept.value.toLocaleString("en")} and hides ` +
					`${preview.dropped.value.toLocaleString("en")} of ${preview.documents.toLocaleString("en")} documents` +
					(preview.kept.exact ? " (exact)." : ` (estimate; kept ${preview.kept.ci95.join(" to ")}).`) + " Check shows the rest.";
			} catch { /* a newer text is on its way, or the server is gone: the form still works */ }
		}, 250);
	});
}
