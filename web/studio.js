// The rule studio while someone works in it: fields, text and preview follow each other.
// The server reads and writes rules; this only asks it, and shows what it says.  What was last good stays on the page.
const form = document.getElementById("studio");
const text = document.getElementById("rule");
const said = document.getElementById("checked");
const preview = document.getElementById("preview");
const fields = document.getElementById("builder");
let wait, running;

for (const e of form.querySelectorAll(".no-script")) e.hidden = true;

const query = (view) => {
	const all = new URLSearchParams(new FormData(form));
	for (const [name, value] of [...all]) if (!value) all.delete(name);
	if (view === "fields") { all.set("view", "fields"); all.delete("rule"); }
	else for (const name of ["measure", "at", "order", "samelang", "main", "same", "more"]) all.delete(name);
	return all;
};

// The fields as the server read them from the text.
const fill = (f) => {
	document.getElementById("no-fields").hidden = Boolean(f);
	if (!f) return;
	for (const name of ["measure", "at", "more"]) form.elements[name].value = f[name] ?? "";
	for (const name of ["order", "samelang", "main"]) form.elements[name].checked = f[name];
	for (const radio of form.elements.same) radio.checked = radio.value === f.same;
};

const show = (data, view) => {
	said.textContent = data.ok ? "Understood." : data.error;
	said.className = data.ok ? "note good" : "fixed note bad";
	text.setAttribute("aria-invalid", String(!data.ok));
	if (data.rule && view === "fields") text.value = data.rule;
	if (data.rule && view === "text") fill(data.fields);
	if (!data.ok) return;
	preview.innerHTML = data.html; // written and escaped by the server's own page code
	const plan = document.querySelector("#plan pre");
	if (plan) plan.textContent = data.plan;
	for (const a of document.querySelectorAll(".presets a")) {
		if (a.querySelector("b").textContent === data.preset) a.setAttribute("aria-current", "true");
		else a.removeAttribute("aria-current");
	}
	const state = query("text");
	state.set("rule", data.rule);
	history.replaceState(null, "", `${form.action}?${state}`);
};

const ask = async (view) => {
	running?.abort();
	running = new AbortController();
	preview.setAttribute("aria-busy", "true");
	try {
		const answer = await fetch(`${text.dataset.check}?${query(view)}`, { signal: running.signal });
		show((await answer.json()).data, view);
	} catch (e) {
		if (e.name === "AbortError") return; // a newer one is on its way
		said.textContent = "The server does not answer. What you wrote is still here.";
		said.className = "note bad";
	}
	preview.removeAttribute("aria-busy");
};

const soon = (view) => {
	clearTimeout(wait);
	wait = setTimeout(() => ask(view), 250);
};

text.addEventListener("input", () => soon("text"));
fields.addEventListener("input", () => soon("fields"));
document.getElementById("where").addEventListener("input", () => soon("text"));
if (preview.dataset.wanted !== undefined) ask("text");
