/* text/office.c -- a member of a ZIP, then its XML without a tree.
 *
 * docx: the text of w:t inside word/document.xml.  odt: all character data of
 * content.xml behind office:body.  What ends a line is in `breaks`.
 */
#include "text/office.h"

#include <errno.h>
#include <libdeflate.h>
#include <sys/mman.h>

#include "archive/zip.h"
#include "base/limits.h"
#include "base/mem.h"
#include "base/os.h"
#include "text/xml.h"

static const struct {
	struct str name;
	char c;
	bool at_end; /* when the element ends, else where it stands */
} breaks[] = {
	{ STR("w:p"), '\n', true },
	{ STR("w:br"), '\n', false },
	{ STR("w:cr"), '\n', false },
	{ STR("w:tab"), '\t', false },
	{ STR("text:p"), '\n', true },
	{ STR("text:h"), '\n', true },
	{ STR("text:line-break"), '\n', false },
	{ STR("text:tab"), '\t', false },
	{ STR("text:s"), ' ', false },
};

struct office {
	const struct zip_entry *entries;
	size_t n;
	struct str payload;
};

/* A member, unpacked into memory that the caller frees with mem_free; empty when
 * it is not there, too large or damaged. */
static struct str member(const struct office *o, struct str name, const char **why)
{
	for (size_t i = 0; i < o->n; i++) {
		const struct zip_entry *e = &o->entries[i];
		struct libdeflate_decompressor *d;
		size_t got = 0;
		char *out;

		if (!str_eq(e->name, name))
			continue;
		if (e->size > LIMIT_OFFICE_XML || e->offset > o->payload.n || e->packed > o->payload.n - e->offset ||
		    (e->method != 0 && e->method != 8)) {
			*why = e->size > LIMIT_OFFICE_XML ? "a member is larger than the limit"
							  : "a member lies outside the file";
			return STR_NONE;
		}
		if (e->method == 0 && e->packed < e->size)
			return STR_NONE;
		out = mem_alloc(e->size + 1);
		if (e->method == 0) {
			memcpy(out, o->payload.p + e->offset, e->size);
			return str_n(out, e->size);
		}
		d = libdeflate_alloc_decompressor();
		if (d && libdeflate_deflate_decompress(d, o->payload.p + e->offset, e->packed, out, e->size, &got) ==
			     LIBDEFLATE_SUCCESS) {
			libdeflate_free_decompressor(d);
			return str_n(out, got);
		}
		if (d)
			libdeflate_free_decompressor(d);
		mem_free(out);
		*why = "a member is damaged";
		return STR_NONE;
	}
	return STR_NONE;
}

static void on_tag(struct buf *out, const struct xml_tag *t, bool docx, bool *on)
{
	if (docx && str_eq(t->full, STR("w:t")))
		*on = !t->end && !t->empty;
	if (!docx && str_eq(t->full, STR("office:body")))
		*on = !t->end;
	for (size_t i = 0; i < COUNT(breaks); i++)
		if (str_eq(t->full, breaks[i].name) && (breaks[i].at_end ? t->end || t->empty : !t->end) && out->n)
			buf_byte(out, breaks[i].c);
}

static void text_of_xml(struct buf *out, struct str xml, bool docx)
{
	bool on = false;

	while (xml.n) {
		ptrdiff_t at = str_chr(xml, '<');
		size_t n = at < 0 ? xml.n : (size_t)at;
		struct xml_tag t;

		if (on && n)
			xml_decode(out, str_n(xml.p, n));
		xml = str_sub(xml, n, xml.n);
		if (!xml.n)
			break;
		n = xml_tag(xml, &t);
		if (!n)
			break;
		on_tag(out, &t, docx, &on);
		xml = str_sub(xml, n, xml.n);
	}
}

static struct str title_of(struct arena *a, struct str meta)
{
	struct buf b = BUF(LIMIT_META);
	struct str rest = meta, out = STR_NONE;
	ptrdiff_t at = str_find(rest, STR("<dc:title")), end;

	if (at < 0)
		return out;
	rest = str_sub(rest, (size_t)at, rest.n);
	at = str_chr(rest, '>');
	end = str_find(rest, STR("</dc:title>"));
	if (at >= 0 && end > at) {
		xml_decode(&b, str_sub(rest, (size_t)at + 1, (size_t)end));
		out = str_trim(arena_str(a, buf_view(&b)));
	}
	buf_release(&b);
	return out;
}

static void read_members(struct arena *a, const struct office *o, struct str *text, struct str *title, const char **why)
{
	struct buf out = BUF(LIMIT_TEXT);
	struct str xml = member(o, STR("word/document.xml"), why), meta;
	bool docx = xml.p != NULL;
	const char *ignored = NULL;

	if (!docx && !*why)
		xml = member(o, STR("content.xml"), why);
	meta = member(o, docx ? STR("docProps/core.xml") : STR("meta.xml"), &ignored);
	*title = title_of(a, meta);
	text_of_xml(&out, xml, docx);
	*text = str_trim(arena_str(a, buf_view(&out)));
	if (out.full)
		*why = "the text is longer than the limit and was cut";
	else if (!text->n && !*why)
		*why = "the file has no text";
	mem_free((void *)(uintptr_t)xml.p);
	mem_free((void *)(uintptr_t)meta.p);
	buf_release(&out);
}

int office_text(struct arena *a, struct str payload, struct str *text, struct str *title, const char **why,
		struct err *err)
{
	struct office o = { .payload = payload };
	struct zip_entry *entries = NULL;
	struct flaws flaws = { 0 };
	int fd = memfd_create("office", MFD_CLOEXEC), rc;

	*text = *title = STR_NONE;
	*why = NULL;
	if (fd < 0)
		return err_sys(err, errno, "cannot make a memory file for an office file");
	rc = os_write(fd, payload.p, payload.n, "memory file of an office file", err);
	if (rc == WN_OK && (rc = zip_list(a, fd, "office file", payload.n, &entries, &o.n, &flaws, err)) == WN_OK) {
		o.entries = entries;
		read_members(a, &o, text, title, why);
	} else if (rc != WN_IO && rc < 0) {
		*why = "the file is no ZIP file";
		rc = WN_OK;
	}
	os_close(&fd);
	return rc;
}
