-- The catalogue of a collection: catalog.db, SQLite in WAL mode.
--
-- Rules of the house: tables in the singular are ours and may change with the
-- schema version; views in the plural are documented (winnow-sql.7) and keep
-- their columns.  Ids are given in the order in which records were read, so
-- that the same input gives the same ids whatever the number of threads.
-- Times are seconds since 1970 UTC; digests are 20 bytes of SHA-1.

create table meta (key text primary key, value any) without rowid;

-- An archive file.  done_to: its records before this offset are in; the rest
-- is read by the next ingest.  hash: XXH3-128 of its first `bytes` bytes.
create table file (
	id integer primary key,
	path text not null,
	name text not null,		-- last part of path
	bytes integer not null,
	mtime integer not null,		-- nanoseconds
	hash blob not null,
	done_to integer not null,
	complete integer not null,	-- 1: read to its end
	records integer not null,
	lines integer not null		-- 1: lines of JSON, not an archive
);
create index file_bytes on file (bytes);

create table host (id integer primary key, name text not null unique, domain text not null);

-- Words that repeat without end: MIME types, charsets, languages.
create table word (id integer primary key, text text not null unique);

-- What a warcinfo record says of the crawl its file belongs to.
create table crawl (
	id integer primary key, file integer not null, at integer not null, length integer not null, record_id text not null, name text not null, software text not null,
	operator text not null, time integer not null, fields text not null
);

-- Equal title, body and main text, byte for byte, are one content.
-- key: SHA-256 of the three lengths and texts; of the first two, where the third is the second.
create table content (
	id integer primary key,
	key blob not null unique,
	title text, lang integer, confidence real,
	words integer not null, shingles integer not null, shingles_main integer not null, bytes integer not null
);

-- Contents that are gone, until the full-text index has forgotten them too.
create table dead_content (id integer primary key);

create table capture (
	id integer primary key,
	file integer not null,		-- 0: from a CDX file
	at integer not null, length integer not null, skip integer not null, part text, -- span; part: the WARC inside a WACZ
	kind integer not null,		-- 0 response, 1 resource, 2 revisit, 3 metadata, 4 conversion, 5 request
	time integer not null,
	host integer not null,
	urlkey text not null, url text not null,
	status integer,			-- null: none (resource records)
	mime integer, declared integer, charset integer, -- words: identified, as the server said, of the text
	bytes integer not null,		-- decoded payload
	digest blob, payload_digest text, -- of the decoded payload, null when it was passed over; as the WARC says
	content integer,		-- null: no document
	why integer not null,		-- why there is none: 0 there is one, else document_why
	crawl integer,
	original integer,		-- of a revisit: the capture with the payload
	published integer,		-- the time the page itself names
	page integer,			-- its links
	redirect text, via text, method text
);

-- For how many there are of each, without a pass over all.
create index capture_host on capture (host);
create index capture_file on capture (file);

-- Captures that were altered or removed after they were added, in that order: what was derived from them is brought up to date by it.
create table altered (seq integer primary key autoincrement, capture integer not null);
create trigger capture_altered after update on capture begin insert into altered (capture) values (old.id); end;
create trigger capture_removed after delete on capture begin insert into altered (capture) values (old.id); end;

-- Sorted by urlkey and time: every question of a URL's history is a range here.
create table capture_key (urlkey text not null, time integer not null, capture integer not null,
	primary key (urlkey, time, capture)) without rowid;

-- 64-bit hashes of record ids, URI + date and payload digests, by which revisits find their original.
create table capture_hash (hash integer not null, capture integer not null, primary key (hash, capture)) without rowid;

-- Captures of a content, for documents by content and for removal.
create table content_capture (content integer not null, capture integer not null, primary key (content, capture)) without rowid;

-- A revisit's own words about its original, until it is found and after.
create table revisit (capture integer primary key, refers_to text, refers_uri text, refers_time integer, unresolved integer not null);
create index revisit_open on revisit (unresolved) where unresolved;

-- A page is a distinct list of links, of one URL and payload.
-- links: says that they are in a segment, or all of them in one string, docs/format/links.md; the view `links` shows them as rows.
create table page (id integer primary key, key integer not null unique, links blob);

create table flaw (id integer primary key, file integer not null, at integer not null, kind text not null, detail text not null, capture integer);
create index flaw_file on flaw (file);

-- User attributes: values by url, urlkey, host or id.  A value is what was given: `blob` is the type that changes none.
create table attribute (id integer primary key, name text not null unique, type text not null, by text not null);
create table attribute_value (attribute integer not null, key any not null, value blob, primary key (attribute, key)) without rowid;

-- Runs of reduce and their result.
create table cover (
	id integer primary key, name text, rule text not null, rule_sha256 text not null, selection text, options text not null,
	revision integer not null, created integer not null, state text not null, documents integer not null, kept integer not null,
	lower_bound integer not null, report text not null
);
-- cover_member (cover, capture, kept, witness, shared, size, witness_size) is no table but the files runs/*.members,
-- which winnow's own SQLite shows as one.

-- Rules that people saved under a name.
create table rule (name text primary key, text text not null, selection text) without rowid;

create view files as select id, path, name, bytes, complete, records, (select count(*) from capture c where c.file = file.id) as captures from file;
create view hosts as select h.id, h.name as host, h.domain, (select count(*) from capture c where c.host = h.id) as captures from host h;
create view contents as
	select c.id, c.title, w.text as lang, c.confidence, c.words, c.shingles, c.shingles_main, c.bytes,
		(select count(*) from content_capture cc where cc.content = c.id) as captures
	from content c left join word w on w.id = c.lang;
create view captures as
	select c.id, c.url, c.urlkey, strftime('%Y-%m-%dT%H:%M:%SZ', c.time, 'unixepoch') as time,
		strftime('%Y%m%d%H%M%S', c.time, 'unixepoch') as stamp, c.time as seconds, h.name as host, h.domain,
		case c.kind when 0 then 'response' when 1 then 'resource' when 2 then 'revisit' when 3 then 'metadata' when 4 then 'conversion' else 'request' end as kind,
		m.text as mime, d.text as type, s.text as charset, c.status, c.bytes,
		lower(hex(c.digest)) as digest, c.payload_digest, c.content, f.name as file, c.at as offset, c.length,
		k.name as crawl, c.original, strftime('%Y-%m-%dT%H:%M:%SZ', c.published, 'unixepoch') as published, c.redirect, c.via, c.page
	from capture c join host h on h.id = c.host left join word m on m.id = c.mime left join word d on d.id = c.declared
		left join word s on s.id = c.charset left join file f on f.id = c.file left join crawl k on k.id = c.crawl;
create view documents as
	select c.*, t.title, w.text as lang, t.words, t.shingles
	from captures c join content t on t.id = c.content left join word w on w.id = t.lang;
create view links as
	select c.id as capture, c.url as source, l.seq, l.kind, l.nofollow, l.target, l.anchor
	from capture c join page p on p.id = c.page join unpack_links(p.links) l;
create view flaws as select w.id, f.name as file, w.at as offset, w.kind, w.detail, w.capture from flaw w left join file f on f.id = w.file;
create view attributes as select a.name, a.type, a.by, v.key, v.value from attribute a join attribute_value v on v.attribute = a.id;
create view covers as select id, name, rule, rule_sha256, selection, revision,
	strftime('%Y-%m-%dT%H:%M:%SZ', created, 'unixepoch') as created, state, documents, kept, documents - kept as dropped, lower_bound from cover;
create view cover_members as select m.cover, m.capture as id, case m.kept when 1 then 'kept' else 'dropped' end as state, m.witness as by_id,
	m.shared, m.size, m.witness_size from cover_member m;
create view pairs as select m.cover, m.capture as a, m.witness as b, m.shared, m.size as size_a, m.witness_size as size_b
	from cover_member m where m.kept = 0;
