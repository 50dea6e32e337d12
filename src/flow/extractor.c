/* flow/extractor.c -- see extractor.h. */
#include "flow/extractor.h"

#include <openssl/evp.h>
#include <pthread.h>

#include "archive/cdx.h"
#include "archive/psl.h"
#include "archive/stamp.h"
#include "archive/surt.h"
#include "archive/url.h"
#include "archive/verify.h"
#include "base/hash.h"
#include "base/limits.h"
#include "base/log.h"
#include "catalog/linkpack.h"
#include "flow/seen.h"
#include "sketch/shingle.h"
#include "text/document.h"
#include "text/main_ranges.h"

_Static_assert((int)LINK_KINDS == (int)LINKPACK_KINDS, "lists of links hold every kind, and no other");

struct extractor {
	struct extractor_options o;
	const struct surt_profile *profile;
	struct payload payload;
	struct documents *documents;
	struct shingler shingler;
	struct url url;
	struct buf key;
	struct buf host; /* of the last URL, and how long its domain is, which is its end */
	size_t domain_n;
	struct linkpack links;
	struct arena arena;  /* of one record */
	uint64_t texts_hash; /* of its texts, when all is parsed */
	const char *const *others;
	size_t n_others;
	bool in_large, in_wide; /* the page at hand is one */
	EVP_MD_CTX *sha;
	EVP_MD *sha256;
};

struct extractor *extractor_new(const struct extractor_options *o)
{
	struct extractor *x = mem_zalloc(sizeof *x);

	x->o = *o;
	x->profile = surt_profile(o->profile);
	x->documents = documents_new();
	x->shingler.spec = o->spec;
	x->key = BUF(4 * LIMIT_URL);
	x->host = BUF(4 * LIMIT_URL);
	x->links = LINKPACK;
	x->sha = EVP_MD_CTX_new();
	x->sha256 = EVP_MD_fetch(NULL, "SHA256", NULL);
	return x;
}

void extractor_others(struct extractor *x, const char *const *paths, size_t n)
{
	x->others = paths;
	x->n_others = n;
}

void extractor_free(struct extractor *x)
{
	if (!x)
		return;
	payload_release(&x->payload);
	documents_free(x->documents);
	shingler_release(&x->shingler);
	url_release(&x->url);
	buf_release(&x->key);
	buf_release(&x->host);
	linkpack_release(&x->links);
	arena_release(&x->arena);
	EVP_MD_CTX_free(x->sha);
	EVP_MD_free(x->sha256);
	mem_free(x);
}

static struct str keep(struct found *f, struct str s) { return s.n ? arena_str(&f->arena, s) : STR_NONE; }

/* URL, urlkey, host and registrable domain of a capture. */
static void set_url(struct extractor *x, struct found *f, struct str url)
{
	struct capture *c = &f->capture;

	if (url.n > LIMIT_URL)
		url.n = LIMIT_URL;
	c->url = keep(f, url);
	buf_reset(&x->key);
	surt_add(x->profile, url, &x->key);
	c->urlkey = keep(f, buf_view(&x->key));
	if (url_parse(&x->url, url, NULL) && x->url.has_host) {
		struct str host = url_hostname(&x->url);

		c->host = keep(f, host);
		if (!str_eq(host, buf_view(&x->host))) { /* most records are of the host of the record before */
			buf_reset(&x->host);
			buf_str(&x->host, host);
			x->domain_n = psl_domain(host).n;
		}
		c->domain = str_sub(c->host, host.n - x->domain_n, host.n);
	}
}

static enum capture_kind kind_of(enum record_type t)
{
	switch (t) {
	case RECORD_RESOURCE: return CAPTURE_RESOURCE;
	case RECORD_REVISIT: return CAPTURE_REVISIT;
	case RECORD_CONVERSION: return CAPTURE_CONVERSION;
	default: return CAPTURE_RESPONSE;
	}
}

static bool is_capture(const struct record *rec)
{
	switch (rec->type) {
	case RECORD_RESPONSE:
	case RECORD_REVISIT: return true;
	case RECORD_RESOURCE:
	case RECORD_CONVERSION: return !str_istarts(rec->content_type, STR("application/warc-fields"));
	default: return false;
	}
}

/* SHA-256 of the three lengths and the three texts: equal for equal contents only.  A main text that is all of the body, as
 * most are, is told by a length that no text has. */
static void content_key(struct extractor *x, const struct texts *t, unsigned char key[32])
{
	bool one = str_eq(t->main, t->body);
	const uint64_t sizes[3] = { t->title.n, t->body.n, one ? UINT64_MAX : t->main.n };
	unsigned n = 32;

	EVP_DigestInit_ex(x->sha, x->sha256, NULL);
	EVP_DigestUpdate(x->sha, sizes, sizeof sizes);
	EVP_DigestUpdate(x->sha, t->title.p, t->title.n);
	EVP_DigestUpdate(x->sha, t->body.p, t->body.n);
	if (!one)
		EVP_DigestUpdate(x->sha, t->main.p, t->main.n);
	EVP_DigestFinal_ex(x->sha, key, &n);
}

/* Ranges stand for the main text that they make: an equal payload has the same. */
static uint64_t texts_hash(const struct texts_in *in)
{
	const struct texts *t = &in->texts;
	uint64_t parts[6] = { t->title.n,	  t->body.n,	     t->main.n,
			      hash_str(t->title), hash_str(t->body), hash_str(in->ranges.n ? in->ranges : t->main) };

	return hash64(parts, sizeof parts);
}

/* The key of the content.  Where all is parsed, an equal payload may have been met: it gave the same texts, which a quick
 * hash of them confirms, and their key is known. */
static void find_key(struct extractor *x, struct found *f, const struct texts_in *t, struct str type)
{
	struct seen_payload e;

	x->texts_hash = x->o.parse_all ? texts_hash(t) : 0;
	if (x->o.parse_all && seen_payload(x->o.seen, &f->capture, type, &e) && e.has_document &&
	    e.texts == x->texts_hash)
		memcpy(f->content.key, e.key, sizeof e.key);
	else
		content_key(x, &t->texts, f->content.key);
}

/* Where main is parts of the body, which parts. */
static struct str main_ranges(struct extractor *x, const struct document *d)
{
	char *p;

	if (d->main.n == d->page.text.n || !d->nmain_ranges)
		return STR_NONE;
	p = arena_alloc(&x->arena, MAIN_RANGE_MOST * d->nmain_ranges);
	return str_n(p, main_ranges_pack(d->main_ranges, d->nmain_ranges, p));
}

/* Title, body and main text make a content; the texts are kept when no equal one was seen. */
static void set_content(struct extractor *x, struct found *f, const struct document *d, struct str title,
			struct str type)
{
	const struct texts_in *t = &(struct texts_in){ { title, d->page.text, d->main }, main_ranges(x, d) };

	f->has_document = true;
	find_key(x, f, t, type);
	if (seen_content(x->o.seen, f->content.key))
		return;
	f->has_texts = true;
	found_texts(f, t);
	f->content.title = f->texts.texts.title;
	f->content.bytes = t->texts.body.n;
}

/* The set of a main text that was kept as ranges, and is no longer there otherwise. */
static struct set shingle_main(struct shingler *s, const struct texts_in *t)
{
	struct set set;
	char *p;

	if (!t->ranges.n)
		return shingle_text(s, t->texts.main);
	p = mem_alloc(t->texts.main.n);
	if (!main_ranges_join(t->texts.body, t->ranges, p, t->texts.main.n))
		BUG("a main text is not what its ranges make");
	set = shingle_text(s, str_n(p, t->texts.main.n));
	mem_free(p);
	return set;
}

/* The sets of texts that were kept; ranges of the body are main. */
static void set_sets(struct extractor *x, struct found *f, const struct main_range *ranges, size_t n_ranges)
{
	const struct texts_in *t = &f->texts;
	struct str text = t->texts.body;
	struct shingler *s = &x->shingler;
	struct set body, main = { 0 };
	bool one = !t->ranges.n && str_eq(t->texts.main, text);

	if (!one && shingle_with_part(s, text, ranges, n_ranges, &body, &main)) {
		segment_pack(&f->packed, body, main);
	} else {
		body = shingle_text(s, text);
		segment_pack_body(&f->packed, body);
	}
	f->content.words = s->terms;
	f->content.shingles = body.n;
	if (!one && !main.p) {
		main = shingle_main(s, t);
		segment_pack_main(&f->packed, main);
	}
	f->content.shingles_main = one ? body.n : main.n;
}

static uint64_t page_key(const struct capture *c)
{
	uint64_t parts[2] = { hash_str(c->digest), hash_str(c->url) };
	uint64_t key = hash64(parts, sizeof parts);

	return key ? key : 1;
}

static void set_links(struct extractor *x, struct found *f, const struct page *page)
{
	uint64_t key = page_key(&f->capture);
	size_t usable = 0;

	while (usable < page->nlinks && !page->links[usable].url.n)
		usable++;
	if (usable == page->nlinks)
		return;
	f->page_key = key;
	if (seen_page(x->o.seen, key))
		return;
	linkpack_reset(&x->links);
	for (size_t i = 0; i < page->nlinks; i++) {
		const struct link *l = &page->links[i];

		if (l->url.n &&
		    !linkpack_add(&x->links, &(struct catalog_link){ l->kind, l->nofollow, l->url, l->anchor }))
			f->document_flaws |= DOC_FLAW_LINKS_CUT;
	}
	f->links = keep(f, linkpack_view(&x->links));
	f->has_links = true;
	if (!f->links.n)
		f->page_key = 0;
	else if (!(f->document_flaws & DOC_FLAW_LINKS_CUT)) /* a flaw is told each time */
		seen_page_is(x->o.seen, key);
	if (x->links.out.cap > 1 * MIB) { /* one giant must not stay for ever */
		linkpack_release(&x->links);
		x->links = LINKPACK;
	}
}

/* Fills f from what an equal payload gave before. */
static bool recall(struct extractor *x, struct found *f, struct str type)
{
	struct capture *c = &f->capture;
	struct seen_payload e;

	if (x->o.parse_all || !seen_payload(x->o.seen, c, type, &e))
		return false;
	c->mime = keep(f, str(e.mime));
	c->charset = keep(f, str(e.charset));
	c->published = e.published;
	c->why = e.why;
	f->has_document = e.has_document;
	memcpy(f->content.key, e.key, sizeof e.key);
	f->page_key = e.page_key;
	return true;
}

static void memorise(struct extractor *x, const struct found *f, struct str type)
{
	const struct capture *c = &f->capture;
	struct seen_payload e = { .texts = x->texts_hash,
				  .page_key = f->page_key,
				  .published = c->published,
				  .why = (uint8_t)c->why,
				  .has_document = f->has_document };

	/* what does not fit, or has a flaw to be told each time, is not remembered */
	if (c->mime.n >= sizeof e.mime || c->charset.n >= sizeof e.charset || f->document_flaws)
		return;
	memcpy(e.key, f->content.key, sizeof e.key);
	memcpy(e.mime, c->mime.p ? c->mime.p : "", c->mime.n);
	memcpy(e.charset, c->charset.p ? c->charset.p : "", c->charset.n);
	seen_payload_is(x->o.seen, c, type, &e);
}

/* A page above o.large that is made beside others: one at a time, so that two workers never hold such scratch. */
static bool enter_wide(struct extractor *x)
{
	if (!x->o.wide_turn)
		return false;
	if (!x->in_wide)
		pthread_mutex_lock(x->o.wide_turn);
	x->in_wide = true;
	return true;
}

/* A page of many megabytes takes several times its size while it is read and its sets are made: memory is bounded when
 * there is one at a time.  Workers refuse such pages; the thread that enters what they find makes room for one. */
static int enter_large(struct extractor *x, struct err *err)
{
	if (x->in_large)
		return WN_OK;
	if (!x->o.make_room)
		return err_set(err, WN_LIMIT, "a page of more than %zu bytes", x->o.large);
	x->in_large = true;
	return x->o.make_room(x->o.context, err);
}

/* What a large page was made of: payload, scratch of parsing.  Nothing found lies there, but what else d says does. */
static void drop_scratch(struct extractor *x)
{
	payload_release(&x->payload);
	documents_free(x->documents);
	x->documents = documents_new();
	arena_release(&x->arena);
}

static void leave_large(struct extractor *x)
{
	if (!x->in_large && !x->in_wide)
		return;
	shingler_release(&x->shingler);
	drop_scratch(x);
	x->in_large = false;
	if (x->in_wide)
		pthread_mutex_unlock(x->o.wide_turn);
	x->in_wide = false;
}

/* Sets of a large page are made when all it was read with is gone, but for the ranges. */
static void make_sets(struct extractor *x, struct found *f, const struct document *d)
{
	size_t n = d->nmain_ranges;
	struct main_range *ranges;

	if (!x->in_large) {
		if (f->has_texts)
			set_sets(x, f, d->main_ranges, n);
		return;
	}
	ranges = mem_array(n + 1, sizeof *ranges);
	if (n)
		memcpy(ranges, d->main_ranges, n * sizeof *ranges);
	drop_scratch(x);
	if (f->has_texts)
		set_sets(x, f, ranges, n);
	mem_free(ranges);
	found_spool(f);
}

static int make_document(struct extractor *x, struct found *f, struct str payload, struct str type, struct err *err)
{
	struct document_in in = { .payload = payload, .mime = type, .url = f->capture.url, .no_lang = true };
	struct capture *c = &f->capture;
	struct document d;
	struct stamp t;
	int rc;

	if ((rc = document_extract(&d, &x->arena, x->documents, &in, err)) < 0)
		return rc;
	if (x->o.large && d.page.text.n > 4 * x->o.large && !(enter_wide(x) && d.page.text.n <= 4 * x->o.wide) &&
	    (rc = enter_large(x, err)) < 0)
		return rc;
	c->mime = keep(f, d.mime);
	c->charset = keep(f, str(d.charset));
	c->why = (unsigned)d.why_none;
	f->document_flaws = d.flaws;
	if (d.failed)
		f->reader_failed = keep(f, str(d.failed));
	if (d.page.published.n && stamp_parse(d.page.published, &t))
		c->published = t.time;
	set_links(x, f, &d.page); /* before the texts: the arena's blocks double */
	if (d.why_none == DOCUMENT_HAS_TEXT)
		set_content(x, f, &d, d.page.title, type);
	make_sets(x, f, &d);
	return WN_OK;
}

/* The payload as far as its text can need it: all of it up to payload_max, or a beginning when nothing reads it. */
static int read_text_of(struct extractor *x, struct str type, struct str *all, struct err *err)
{
	size_t large = x->o.large && x->o.large < x->o.payload_max ? x->o.large : x->o.payload_max;
	bool cut;
	int rc = payload_all(&x->payload, large, all, &cut, err);

	if (rc < 0 || !cut || large == x->o.payload_max || !document_readable(*all, type))
		return rc;
	if (enter_wide(x) && ((rc = payload_more(&x->payload, x->o.wide, all, &cut, err)) < 0 || !cut))
		return rc;
	if ((rc = enter_large(x, err)) < 0)
		return rc;
	return payload_more(&x->payload, x->o.payload_max, all, &cut, err);
}

/* Whether the record says itself what its payload's digest is. */
static bool has_digest(const struct record *rec, struct digest *own)
{
	return rec->payload_digest.n && digest_parse(rec->payload_digest, own);
}

/* The digest of the decoded payload: of one that was passed over what the record says, unless it is coded. */
static struct str decoded_digest(const struct payload *p, const struct digest *own)
{
	bool coded = p->has_http && (p->http.transfer_encoding.n || p->http.content_encoding.n);
	const struct digest *d = p->head_only ? own : &p->digest;

	return p->head_only && (coded || own->kind != DIGEST_SHA1) ? STR_NONE : str_n((const char *)d->bytes, 20);
}

/* Payload of a response, resource or conversion: digests, text, links. */
static int read_payload(struct extractor *x, struct reader *r, struct record *rec, struct found *f, struct err *err)
{
	struct capture *c = &f->capture;
	struct payload *p = &x->payload;
	struct str all = STR_NONE, type;
	unsigned wants = PAYLOAD_CHECK | PAYLOAD_DIGEST;
	char text[DIGEST_TEXT];
	struct digest own = { 0 };
	bool cut;
	int rc;

	payload_others(p, x->others, x->n_others);
	if (x->o.index_only && has_digest(rec, &own))
		wants |= PAYLOAD_HEAD;
	if ((rc = payload_begin(p, r, rec, PAYLOAD_DECODED, wants, err)) < 0)
		return rc;
	type = keep(f, payload_type(p, rec));
	c->declared = keep(f, http_mime(type));
	if (p->has_http) {
		c->status = p->http.status;
		if (c->status >= 300 && c->status < 400)
			c->redirect = keep(f, p->http.location);
	}
	/* without documents nobody needs it in one piece: payload_end reads and hashes it */
	if (!x->o.index_only && (rc = read_text_of(x, type, &all, err)) < 0)
		return rc;
	if ((rc = payload_end(p, rec, err)) < 0)
		return rc;
	c->bytes = p->size;
	cut = p->size > x->o.payload_max;
	c->digest = keep(f, decoded_digest(p, &own));
	if (rec->payload_digest.n)
		c->payload_digest = keep(f, rec->payload_digest);
	else
		c->payload_digest = keep(f, str_n(text, digest_write(&p->payload_digest, text)));
	if (x->o.index_only) {
		c->mime = c->declared;
		return WN_OK;
	}
	if (cut)
		f->document_flaws |= DOC_FLAW_TEXT_CUT;
	if (recall(x, f, type))
		return WN_OK;
	if ((rc = make_document(x, f, all, type, err)) < 0)
		return rc;
	if (cut)
		f->document_flaws |= DOC_FLAW_TEXT_CUT;
	memorise(x, f, type);
	return WN_OK;
}

/* A revisit has its own head at most; text and the rest come from its original. */
static int read_revisit(struct extractor *x, struct reader *r, struct record *rec, struct found *f, struct err *err)
{
	struct capture *c = &f->capture;
	struct stamp t;
	int rc;

	if ((rc = payload_begin(&x->payload, r, rec, PAYLOAD_RAW, PAYLOAD_HEAD, err)) < 0)
		return rc;
	if (x->payload.has_http) {
		c->status = x->payload.http.status;
		c->declared = keep(f, http_mime(x->payload.http.content_type));
	}
	if ((rc = payload_end(&x->payload, rec, err)) < 0)
		return rc;
	c->payload_digest = keep(f, rec->payload_digest);
	c->refers_to = keep(f, rec->refers_to);
	c->refers_uri = keep(f, rec->refers_to_uri);
	if (rec->refers_to_date.n && stamp_parse_warc(rec->refers_to_date, &t))
		c->refers_time = t.time;
	return WN_OK;
}

/* "name: value" lines of application/warc-fields; the first of that name. */
static struct str warc_field(struct str block, const char *name)
{
	while (block.p) {
		struct str line = str_cut(&block, '\n'), head;

		if (str_chr(line, ':') < 0)
			continue;
		head = str_cut(&line, ':');
		if (str_ieq(str_trim(head), str(name)))
			return str_trim(line);
	}
	return STR_NONE;
}

/* The block's first part, enough for the fields of a warcinfo or metadata record. */
static struct str block_head(struct extractor *x, struct reader *r, const struct record *rec, struct err *err)
{
	struct buf all = BUF(64 * KIB);
	struct str piece = STR_NONE, out;

	if (rec->whole.p)
		return str_sub(rec->whole, 0, 64 * KIB);
	while (!all.full && reader_block(r, &piece, err) == WN_OK)
		buf_str(&all, piece);
	out = arena_str(&x->arena, buf_view(&all));
	buf_release(&all);
	return out;
}

static void read_warcinfo(struct extractor *x, struct reader *r, struct record *rec, struct found *f, struct err *err)
{
	struct str block = block_head(x, r, rec, err), name = warc_field(block, "isPartOf");
	struct catalog_crawl *k = ARENA_NEW(&f->arena, struct catalog_crawl);
	struct stamp t;

	if (name.n == 0)
		name = record_field(rec, "WARC-Filename");
	k->record_id = keep(f, rec->id);
	k->name = keep(f, name);
	k->software = keep(f, warc_field(block, "software"));
	k->operator_ = keep(f, warc_field(block, "operator"));
	k->fields = keep(f, block);
	if (stamp_parse(rec->date, &t))
		k->time = t.time;
	f->crawl = k;
}

static void read_metadata(struct extractor *x, struct reader *r, struct record *rec, struct found *f, struct err *err)
{
	struct str via;

	if (!str_istarts(rec->content_type, STR("application/warc-fields")) || rec->length > 64 * KIB)
		return;
	via = warc_field(block_head(x, r, rec, err), "via");
	if (via.n == 0)
		return;
	f->via = keep(f, via);
	f->via_of = keep(f, rec->concurrent_to.n ? rec->concurrent_to : rec->refers_to);
}

/* What was asked for: a POST's method and body become part of its response's urlkey. */
static void read_request(struct extractor *x, struct reader *r, struct record *rec, struct found *f, struct err *err)
{
	struct payload *p = &x->payload;
	struct str body;
	bool cut;

	f->is_request = true;
	f->asked_url = keep(f, str_sub(rec->target_uri, 0, LIMIT_URL));
	f->asked_of = keep(f, rec->concurrent_to);
	if (payload_begin(p, r, rec, PAYLOAD_DECHUNKED, 0, err) < 0)
		return;
	buf_reset(&x->key);
	if (p->has_http && p->http.request && !str_eq(p->http.method, STR("GET")) &&
	    payload_all(p, LIMIT_POST_BODY, &body, &cut, err) == WN_OK &&
	    cdx_post_query(p->http.method, p->http.content_type, body, &x->key))
		f->asked = keep(f, buf_view(&x->key));
	payload_end(p, rec, err);
}

struct found *extractor_found(struct extractor *x, struct reader *r, struct record *rec, struct err *err)
{
	struct found *f = found_new();
	struct stamp t;
	int rc = WN_OK;

	arena_reset(&x->arena);
	verify_head(rec);
	f->at = rec->span.at;
	f->inside = rec->span.skip || rec->part.n;
	if (is_capture(rec)) {
		struct capture *c = &f->capture;

		f->is_capture = true;
		c->kind = kind_of(rec->type);
		c->part = keep(f, rec->part);
		c->record_id = f->record_id = keep(f, rec->id);
		if (stamp_parse(rec->date, &t)) /* else it is of 1970; verify_head has noted why */
			c->time = t.time;
		set_url(x, f, rec->target_uri);
		rc = rec->type == RECORD_REVISIT ? read_revisit(x, r, rec, f, err) : read_payload(x, r, rec, f, err);
	} else if (rec->type == RECORD_WARCINFO) {
		read_warcinfo(x, r, rec, f, err);
	} else if (rec->type == RECORD_METADATA) {
		read_metadata(x, r, rec, f, err);
	} else if (rec->type == RECORD_REQUEST) {
		read_request(x, r, rec, f, err);
	}
	if (rc == WN_OK && reader_end(r, rec, err) < 0)
		rc = err->code;
	leave_large(x);
	if (rc < 0) { /* the file failed under us; scan reports it */
		found_free(f);
		return NULL;
	}
	f->capture.at = rec->span.at;
	f->capture.length = rec->span.length;
	f->capture.skip = rec->span.skip;
	found_flaws(f, rec->flaws.v, rec->flaws.n);
	if (f->crawl) {
		f->crawl->at = rec->span.at;
		f->crawl->length = rec->span.length;
	}
	return f;
}

struct found *extractor_text(struct extractor *x, struct str url, int64_t time, struct str text, struct str title)
{
	struct found *f = found_new();
	struct document_in in = { .payload = text,
				  .mime = STR("text/plain; charset=utf-8"),
				  .url = url,
				  .is_text = true,
				  .no_links = true,
				  .no_lang = true };
	struct document d;
	struct digest digest;

	arena_reset(&x->arena);
	f->is_capture = true;
	f->capture.kind = CAPTURE_RESOURCE;
	f->capture.time = time;
	set_url(x, f, url);
	f->capture.bytes = text.n;
	digest_of(DIGEST_SHA1, text, &digest);
	f->capture.digest = keep(f, str_n((const char *)digest.bytes, 20));
	if (document_extract(&d, &x->arena, x->documents, &in, NULL) == WN_OK) {
		f->capture.why = (unsigned)d.why_none;
		if (d.why_none == DOCUMENT_HAS_TEXT)
			set_content(x, f, &d, title, in.mime);
	}
	if (f->has_texts)
		set_sets(x, f, d.main_ranges, d.nmain_ranges);
	f->capture.mime = keep(f, STR("text/plain"));
	f->capture.charset = keep(f, STR("utf-8"));
	return f;
}
